package io.belfry.server.workgroup;

import io.belfry.server.config.SlowConsumerConfig.Policy;

/**
 * What a session that lags still gets of a subject, told to the subject's lane with each read. Immutable.
 *
 * @param policy what to leave out where the history has not all that was missed, or that is past a bound
 * @param bytesMax so much of the latest it still gets, or {@link #ALL} while it is within the bound
 * @param millisMax it gets nothing older than that, or {@link #ALL}
 */
record Cut(Policy policy, long bytesMax, long millisMax) {
    static final long ALL = Long.MAX_VALUE;

    /** Everything, and a gap where that is not there any more. */
    static final Cut NOTHING = new Cut(Policy.DISCONNECT, ALL, ALL);

    /** Whether the session is past the bound of bytes or of time, whatever the age of what it reads. */
    boolean isPast() {
        return bytesMax != ALL;
    }

    boolean isTooOld(long timeMillis, long nowMillis) {
        return millisMax != ALL && nowMillis - timeMillis > millisMax;
    }
}
