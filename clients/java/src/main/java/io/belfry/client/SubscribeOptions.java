package io.belfry.client;

import io.belfry.protocol.Position;
import io.belfry.protocol.SubscribeRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What comes before the live messages, and whether all of those come. Immutable.
 *
 * @param history so many of the latest messages first; for plain subjects
 * @param from resume after this position; for plain subjects, and then history is passed over
 * @param conflateMillis of each subject at most one live message in this time, the latest; 0 = all; an hour at most
 */
public record SubscribeOptions(int history, @Nullable Position from, int conflateMillis) {
    /** Live messages, and the retained one if there is one. */
    public static final SubscribeOptions LIVE = new SubscribeOptions(0, null, 0);

    public SubscribeOptions {
        if (history < 0) {
            throw new IllegalArgumentException("history is a count from 0, not " + history);
        }
        if (conflateMillis < 0 || conflateMillis > SubscribeRequest.CONFLATE_MILLIS_MAX) {
            throw new IllegalArgumentException("conflate is a time from 0 to an hour, not " + conflateMillis + " ms");
        }
    }

    public static SubscribeOptions history(int count) {
        return new SubscribeOptions(count, null, 0);
    }

    public static SubscribeOptions from(Position position) {
        return new SubscribeOptions(0, position, 0);
    }

    /** The latest message of each subject once in this time at most. */
    public static SubscribeOptions conflate(Duration interval) {
        return LIVE.andConflate(interval);
    }

    /** These, and of the live messages the latest once in this time at most. */
    public SubscribeOptions andConflate(Duration interval) {
        return new SubscribeOptions(history, from, Math.toIntExact(interval.toMillis()));
    }

    boolean areForPlainSubjects() {
        return history > 0 || from != null;
    }
}
