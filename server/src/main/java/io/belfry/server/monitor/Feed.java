package io.belfry.server.monitor;

import org.jspecify.annotations.Nullable;

/**
 * Publishes a node's figures once per second to those of its subjects that somebody follows. Owner: the sampler's thread.
 */
final class Feed {
    private final FeedOutlet outlet;
    private final FeedSource source;
    private final String node;
    private Snapshot before;

    Feed(FeedOutlet outlet, FeedSource source, String node, Snapshot first) {
        this.outlet = outlet;
        this.source = source;
        this.node = node;
        this.before = first;
    }

    void onSecond(Snapshot now) {
        Snapshot last = before;
        before = now;
        for (FeedSubject each : FeedSubject.values()) {
            String subject = each.of(node);
            if (outlet.isFollowed(subject)) {
                publish(subject, source.json(each, last, now));
            }
        }
    }

    private void publish(String subject, byte @Nullable [] json) {
        if (json != null) {
            outlet.publish(subject, json);
        }
    }
}
