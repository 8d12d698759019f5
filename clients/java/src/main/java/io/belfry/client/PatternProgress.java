package io.belfry.client;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.PatternPosition;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The position of one pattern subscription, from which it continues on the next connection, and how far its recovery is.
 * Owner: the client's loop; any thread may read {@link #delivered}.
 */
final class PatternProgress {
    /** The position to resume after; null if the server gave none. */
    private @Nullable PatternPosition at;

    /** The position that the pattern has once its bridges have ended. */
    private @Nullable PatternPosition afterBridges;

    private boolean requestedFromIt;

    /** Whether the client has not received everything up to the end of its last connection. */
    private boolean behind;

    private boolean gapFound;

    /** The number of ended patterns whose answers precede the messages of the present request. */
    private long endsBefore;

    /** The position up to which the listener was called with everything. */
    private volatile @Nullable PatternPosition delivered;

    /** {@code from} is the position that the program gave, or null. */
    PatternProgress(@Nullable PatternPosition from) {
        at = from;
        behind = from != null;
        delivered = from;
    }

    @Nullable
    PatternPosition at() {
        return at;
    }

    /** Begins a request after so many ended patterns of the connection; {@code confirmed} later ends its recovery. */
    void requested(long endsSent) {
        requestedFromIt = at != null;
        afterBridges = null;
        endsBefore = requestedFromIt ? endsSent : 0;
        gapFound = false;
    }

    /** Returns the number of ended patterns whose answers precede the messages of the present request. */
    long endsBefore() {
        return endsBefore;
    }

    /** Whether the server still sends what follows the position of the request. */
    boolean isRecovering() {
        return requestedFromIt;
    }

    /** Whether messages before the end of the last connection are missing, as after a pause. */
    boolean isBehind() {
        return behind;
    }

    /** Returns the rank in the order of requests: patterns that are behind first, patterns without a position last. */
    int rank() {
        if (at == null) {
            return 2;
        }
        return behind ? 0 : 1;
    }

    /**
     * Whether another subscription caused a retained message which this pattern still recovers. Taking it would drop the older
     * messages of the subject.
     */
    boolean isEarly(MessageType type) {
        return requestedFromIt && type == MessageType.SNAPSHOT && !gapFound;
    }

    /**
     * Whether an old message of this type that the pattern never received is missing: another pattern, whose position was
     * later, has brought newer ones of the subject. The gap is announced once.
     */
    boolean isMissing(MessageType type) {
        return requestedFromIt && behind && !gapFound && type == MessageType.RECOVERED;
    }

    void gapFound() {
        gapFound = true;
    }

    /** The server confirmed the subscription; the position of the confirmation follows. */
    void confirmed() {
        requestedFromIt = false;
        behind = false;
    }

    /** The server has sent everything up to a position; null if it has none. */
    void reached(@Nullable PatternPosition position) {
        at = position;
        afterBridges = null;
    }

    /** As {@link #reached}, except for what the bridges of the pattern still have to bring. */
    void afterBridges(PatternPosition position) {
        afterBridges = position;
    }

    @Nullable
    PatternPosition afterBridges() {
        return afterBridges;
    }

    /** The subscription was paused: messages are not received from now on. */
    void suspended() {
        requestedFromIt = false;
        afterBridges = null;
        behind = true;
    }

    /** The server has no positions of patterns: the next request is for live messages. */
    void forget() {
        at = null;
        requestedFromIt = false;
    }

    /**
     * Forgets the positions of patterns that are requested together, if they differ: a stream over HTTP begins at one position
     * for all its patterns. Each pattern then recovers its known subjects by their names.
     */
    static void forgetDifferent(Stream<Subscription> together) {
        List<PatternProgress> all = together.map(Subscription::progress).toList();
        if (all.stream().map(PatternProgress::at).distinct().count() > 1) {
            all.forEach(PatternProgress::forget);
        }
    }

    /** The listener was called with everything up to a position. Called where the listener is called. */
    void delivered(@Nullable PatternPosition position) {
        delivered = position;
    }

    /** Returns the position up to which the listener was called with everything. Any thread. */
    @Nullable
    PatternPosition delivered() {
        return delivered;
    }
}
