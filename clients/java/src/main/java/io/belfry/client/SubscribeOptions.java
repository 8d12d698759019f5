package io.belfry.client;

import io.belfry.protocol.Position;
import org.jspecify.annotations.Nullable;

/**
 * What comes before the live messages. Immutable.
 *
 * @param history so many of the latest messages first; for plain subjects
 * @param from resume after this position; for plain subjects, and then history is passed over
 */
public record SubscribeOptions(int history, @Nullable Position from) {
    /** Live messages, and the retained one if there is one. */
    public static final SubscribeOptions LIVE = new SubscribeOptions(0, null);

    public SubscribeOptions {
        if (history < 0) {
            throw new IllegalArgumentException("history is a count from 0, not " + history);
        }
    }

    public static SubscribeOptions history(int count) {
        return new SubscribeOptions(count, null);
    }

    public static SubscribeOptions from(Position position) {
        return new SubscribeOptions(0, position);
    }
}
