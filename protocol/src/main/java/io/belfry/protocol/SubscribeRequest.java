package io.belfry.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a subscribe command. Immutable; the receiver may keep the arrays but not change them.
 *
 * @param subjects one or more valid subjects or patterns
 * @param from position to resume after; only with a single plain subject
 * @param patternFrom position of patterns to resume after; only with a single pattern
 * @param history number of earlier messages to send first, 0 for none; only with plain subjects, ignored with {@code
 *     from}
 * @param conflateMillis interval in which at most one message per subject, the latest, is sent; 0 for all messages
 * @param delta whether messages may be deltas in the format {@link FossilDelta}
 */
public record SubscribeRequest(
        List<byte[]> subjects,
        @Nullable Position from,
        @Nullable PatternPosition patternFrom,
        int history,
        int conflateMillis,
        boolean delta) {
    /** Maximum of {@code conflateMillis}: one hour. */
    public static final int CONFLATE_MILLIS_MAX = 3_600_000;

    public SubscribeRequest {
        subjects = List.copyOf(subjects);
    }

    /** Creates a request without deltas. */
    public SubscribeRequest(
            List<byte[]> subjects,
            @Nullable Position from,
            @Nullable PatternPosition patternFrom,
            int history,
            int conflateMillis) {
        this(subjects, from, patternFrom, history, conflateMillis, false);
    }

    /** Creates a request without a position of patterns. */
    public SubscribeRequest(List<byte[]> subjects, @Nullable Position from, int history, int conflateMillis) {
        this(subjects, from, null, history, conflateMillis, false);
    }
}
