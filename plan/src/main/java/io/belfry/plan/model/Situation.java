package io.belfry.plan.model;

/**
 * What one node has to do at the worst moment: it is the fullest of those that are left. Immutable.
 *
 * @param sessions on this node
 * @param published messages a second whose publishers are on this node
 * @param read messages a second that this node reads from Kafka; 0 without
 * @param back sessions a second that come from failed nodes
 * @param linked whether publishes go by Kafka
 */
record Situation(Value sessions, Value published, Value read, Value back, boolean linked) {}
