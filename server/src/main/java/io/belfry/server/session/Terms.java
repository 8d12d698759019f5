package io.belfry.server.session;

import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import org.jspecify.annotations.Nullable;

/**
 * The options of a subscription. Immutable.
 *
 * @param from the position to recover from, of a plain subject
 * @param patternFrom the position to recover from, of a pattern
 * @param history number of the latest messages to send first, without {@code from}
 * @param conflateMillis minimum time between two messages, of which the latest is delivered; 0 = no conflation
 * @param follow false to read past messages only
 * @param delta whether messages may be deltas from the message before
 */
public record Terms(
        @Nullable Position from,
        @Nullable PatternPosition patternFrom,
        int history,
        int conflateMillis,
        boolean follow,
        boolean delta) {
    public Terms(@Nullable Position from, int history, int conflateMillis, boolean follow) {
        this(from, null, history, conflateMillis, follow);
    }

    /** Creates terms without deltas. */
    public Terms(
            @Nullable Position from,
            @Nullable PatternPosition patternFrom,
            int history,
            int conflateMillis,
            boolean follow) {
        this(from, patternFrom, history, conflateMillis, follow, false);
    }
}
