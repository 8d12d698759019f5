package io.belfry.client;

import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubscribeRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which messages a subscription begins with, and how they are sent. Immutable.
 *
 * @param history number of latest messages to deliver first; plain subjects only
 * @param from position to resume after; plain subjects only; history is then ignored
 * @param conflateMillis interval in which at most one live message per subject, the latest, is delivered; 0 for all
 *     messages; at most one hour
 * @param patternFrom position of a pattern to resume after, as {@link Subscription#position} returned it; patterns only
 * @param deltas whether the server may send the difference from the message before instead of the whole message, which
 *     the client completes; over WebSocket, for plain subjects without conflation; otherwise without effect
 */
public record SubscribeOptions(
        int history,
        @Nullable Position from,
        int conflateMillis,
        @Nullable String patternFrom,
        boolean deltas) {
    /** Live messages, after the retained one if the subject has one. */
    public static final SubscribeOptions LIVE = new SubscribeOptions(0, null, 0, null);

    public SubscribeOptions {
        if (history < 0) {
            throw new IllegalArgumentException("history must be 0 or more, not " + history);
        }
        if (conflateMillis < 0 || conflateMillis > SubscribeRequest.CONFLATE_MILLIS_MAX) {
            throw new IllegalArgumentException("conflate must be from 0 to one hour, not " + conflateMillis + " ms");
        }
        if (patternFrom != null && PatternPosition.parse(patternFrom) == null) {
            throw new IllegalArgumentException("not a position of a pattern: " + patternFrom);
        }
    }

    /** Creates options without deltas. */
    public SubscribeOptions(int history, @Nullable Position from, int conflateMillis, @Nullable String patternFrom) {
        this(history, from, conflateMillis, patternFrom, false);
    }

    /** Creates options without a position of a pattern. */
    public SubscribeOptions(int history, @Nullable Position from, int conflateMillis) {
        this(history, from, conflateMillis, null);
    }

    /** Begins with the latest {@code count} messages. */
    public static SubscribeOptions history(int count) {
        return new SubscribeOptions(count, null, 0);
    }

    /** Resumes after a position. */
    public static SubscribeOptions from(Position position) {
        return new SubscribeOptions(0, position, 0);
    }

    /**
     * Resumes a pattern after a position that {@link Subscription#position} returned, also if that was in another program.
     * Messages up to a few seconds before the last one delivered are delivered again.
     */
    public static SubscribeOptions fromPattern(String position) {
        return new SubscribeOptions(0, null, 0, position);
    }

    /** Delivers at most one message per subject in each interval, the latest. */
    public static SubscribeOptions conflate(Duration interval) {
        return LIVE.andConflate(interval);
    }

    /** Returns these options with conflation of live messages. */
    public SubscribeOptions andConflate(Duration interval) {
        return new SubscribeOptions(history, from, Math.toIntExact(interval.toMillis()), patternFrom, deltas);
    }

    /** Returns these options with deltas, which save bandwidth where a message resembles the one before. */
    public SubscribeOptions andDeltas() {
        return new SubscribeOptions(history, from, conflateMillis, patternFrom, true);
    }

    @Nullable
    PatternPosition patternStart() {
        return patternFrom == null ? null : PatternPosition.parse(patternFrom);
    }

    boolean areForPlainSubjects() {
        return history > 0 || from != null;
    }
}
