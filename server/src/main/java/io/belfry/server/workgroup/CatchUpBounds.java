package io.belfry.server.workgroup;

import io.belfry.server.config.SlowConsumerConfig.Policy;

/**
 * The part of a subject that a lagging session still receives; sent to the subject's lane with each read. Immutable.
 *
 * @param policy what to skip if the history does not have all missed messages or a bound is exceeded
 * @param bytesMax maximum bytes of the latest messages that are sent, or {@link #ALL} within the bound
 * @param millisMax maximum age of messages that are sent, or {@link #ALL}
 */
record CatchUpBounds(Policy policy, long bytesMax, long millisMax) {
    static final long ALL = Long.MAX_VALUE;

    /** No cut: every message is sent, and a gap where one is gone. */
    static final CatchUpBounds NOTHING = new CatchUpBounds(Policy.DISCONNECT, ALL, ALL);

    /** Returns whether the session exceeded the bound of bytes or of time, whatever the age of what it reads. */
    boolean isPast() {
        return bytesMax != ALL;
    }

    boolean isTooOld(long timeMillis, long nowMillis) {
        return millisMax != ALL && nowMillis - timeMillis > millisMax;
    }
}
