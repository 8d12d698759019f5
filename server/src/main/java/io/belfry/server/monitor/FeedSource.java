package io.belfry.server.monitor;

import org.jspecify.annotations.Nullable;

/** Makes the messages of the feed. Called on the sampler's thread, and only for subjects that somebody follows. */
interface FeedSource {
    /**
     * Returns the message of one second, a JSON object in UTF-8, or null if there is none.
     *
     * @param before the snapshot of the second before
     */
    byte @Nullable [] json(FeedSubject subject, Snapshot before, Snapshot now);
}
