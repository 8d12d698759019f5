package io.belfry.server.monitor;

import java.util.Locale;

/** The subjects to which a node publishes its figures. */
enum FeedSubject {
    /** The object of {@code /stats}, without the parts that have subjects of their own. */
    STATS,
    /** The distribution of delivery latency of the last second. */
    LATENCY,
    /** The workgroups. */
    LANES,
    /** The sessions with the largest lag. */
    SLOW,
    /** The events of the last second; nothing is published without one. */
    EVENTS,
    /** The summary of each node, in one subject of the whole cluster. */
    NODES;

    /** The subject of {@link #NODES}. */
    static final String CLUSTER = "/$cluster/nodes";

    /** Returns the name of the subject. All characters that a node's name may have are valid in a segment. */
    String of(String node) {
        return this == NODES ? CLUSTER : "/$node/" + node + "/" + name().toLowerCase(Locale.ROOT);
    }
}
