package io.belfry.server.monitor;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latest summary of each node of the cluster. This node follows the other nodes' summaries only while somebody asks. Any
 * thread, except where a method says otherwise.
 */
final class NodeOverview {
    private static final Logger LOG = LoggerFactory.getLogger(NodeOverview.class);

    /** Time after the last question at which this node stops following. */
    private static final long ASKED_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Maximum number of nodes; more can only come from messages that no node wrote. */
    private static final int NODES_MAX = 1_000;

    private final FeedOutlet outlet;
    private final boolean clustered;
    private final LongSupplier nanoClock;
    private final Map<String, NodeSummary> others = new ConcurrentSkipListMap<>();
    private final AtomicBoolean following = new AtomicBoolean();
    private volatile long askedNanos;

    NodeOverview(FeedOutlet outlet, boolean clustered, LongSupplier nanoClock) {
        this.outlet = outlet;
        this.clustered = clustered;
        this.nanoClock = nanoClock;
    }

    /** Returns the summaries by name of node. Those of other nodes are complete about two seconds after the first call. */
    List<NodeSummary> with(NodeSummary own) {
        askedNanos = nanoClock.getAsLong();
        if (clustered && following.compareAndSet(false, true)) {
            others.clear();
            outlet.follow(FeedSubject.CLUSTER, this::onMessage);
        }
        Map<String, NodeSummary> all = new ConcurrentSkipListMap<>(others);
        all.put(own.node(), own);
        return List.copyOf(all.values());
    }

    /** Stops following some time after the last question. Called once per second. */
    void onSecond() {
        if (following.get()
                && nanoClock.getAsLong() - askedNanos > ASKED_NANOS
                && following.compareAndSet(true, false)) {
            outlet.unfollow(FeedSubject.CLUSTER);
        }
    }

    private void onMessage(byte[] data, long seenMillis) {
        try {
            NodeSummary summary = NodeSummary.read(data, seenMillis);
            if (others.size() < NODES_MAX || others.containsKey(summary.node())) {
                others.put(summary.node(), summary);
            }
        } catch (IOException malformed) {
            LOG.debug("a message of {} is not a node's summary", FeedSubject.CLUSTER, malformed);
        }
    }
}
