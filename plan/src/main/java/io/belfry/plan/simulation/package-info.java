/**
 * Simulates how sessions reconnect after nodes fail. It keeps counts per node and time step, drawn from the distributions
 * that single clients would produce, so a billion sessions cost no more than a million. It does not know where the limits
 * of a node come from. Seeded and single-threaded; reads no clock.
 */
@NullMarked
package io.belfry.plan.simulation;

import org.jspecify.annotations.NullMarked;
