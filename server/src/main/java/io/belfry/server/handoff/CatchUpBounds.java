package io.belfry.server.handoff;

import io.belfry.server.config.SlowConsumerConfig.Policy;

/**
 * The part of a subject that a lagging session still receives; sent to the subject's lane with each read. Immutable.
 *
 * @param policy what to skip if the history does not have all missed messages or a bound is exceeded
 * @param bytesMax maximum bytes of the latest messages that are sent, or {@link #ALL} within the bound
 * @param millisMax maximum age of messages that are sent, or {@link #ALL}
 */
public record CatchUpBounds(Policy policy, long bytesMax, long millisMax) {
    /** Bytes counted per message beside its data, so that empty messages also count towards the bound. */
    public static final int MESSAGE_BYTES = 32;

    public static final long ALL = Long.MAX_VALUE;

    /** No cut: every message is sent, and a gap where one is gone. */
    public static final CatchUpBounds NOTHING = new CatchUpBounds(Policy.DISCONNECT, ALL, ALL);

    /** Returns whether the session exceeded the bound of bytes or of time, whatever the age of what it reads. */
    public boolean isPast() {
        return bytesMax != ALL;
    }

    /** Returns whether a message is older than a lagging session receives. */
    public boolean isTooOld(long timeMillis, long nowMillis) {
        return millisMax != ALL && nowMillis - timeMillis > millisMax;
    }
}
