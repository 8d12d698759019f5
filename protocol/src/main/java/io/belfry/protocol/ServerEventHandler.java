package io.belfry.protocol;

import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a server, in order; an event whose method is not overridden has no effect. Codes are strings,
 * because a newer server may send codes unknown to this client. The id of an event without an id is {@link
 * CommandHandler#NO_ID}.
 */
public interface ServerEventHandler {
    /** A message arrived; {@code message} is valid until this method returns. */
    default void onMessage(MessageView message) {}

    /** The server sent the facts of the session. */
    default void onConnected(long id, ConnectedEvent event) {}

    /** A subscription was confirmed; {@code at} is null for patterns. */
    default void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {}

    /**
     * A subscription was confirmed. With {@code conflateMillis} above 0 the server sends at most one message in this
     * time, so seqs may jump.
     */
    default void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        onSubscribed(id, subject, at, recovery);
    }

    /** A subscription was confirmed whose messages may be deltas in the format {@link FossilDelta}. */
    default void onDeltaSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        onSubscribed(id, subject, at, recovery, 0);
    }

    /** A pattern was confirmed by a server that has positions of patterns; {@code at} is the first one. */
    default void onPatternSubscribed(
            long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        onSubscribed(id, pattern, null, recovery, conflateMillis);
    }

    /** Everything up to {@code at} was sent for all patterns of the session. */
    default void onPosition(PatternPosition at) {}

    /** Everything up to {@code at} was sent for this pattern, which the server has not confirmed yet. */
    default void onProgress(byte[] pattern, PatternPosition at) {}

    /** A subscription has ended. */
    default void onUnsubscribed(long id, byte[] subject) {}

    /**
     * A subscription has ended; {@code reason} is the code for which the server ended it, or null if the client asked.
     */
    default void onUnsubscribed(long id, byte[] subject, @Nullable String reason) {
        onUnsubscribed(id, subject);
    }

    /** A publish was acknowledged with its position. */
    default void onPublished(long id, long epoch, long seq) {}

    /** The messages after {@code from} (null if unknown) up to and including {@code to} will not be delivered. */
    default void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {}

    /** A command failed. */
    void onError(long id, String code, String reason, byte @Nullable [] subject);

    /**
     * A command failed; {@code afterMillis} is the time in milliseconds after which it may be retried, 0 if the server
     * gives none.
     */
    default void onError(long id, String code, String reason, byte @Nullable [] subject, long afterMillis) {
        onError(id, code, reason, subject);
    }

    /** The server asks the client to reconnect after {@code afterMillis} milliseconds. */
    default void onReconnect(long afterMillis, String reason) {}

    /**
     * The token expires in {@code afterMillis}. Unless the client sends a new token with {@code connect}, the session
     * ends then.
     */
    default void onTokenToExpire(long afterMillis) {}

    /** The node is stale, that is behind its cluster, so messages may be late; or it is current again. */
    default void onStale(boolean stale) {}

    /** A ping was answered. */
    default void onPong(long id) {}

    /** A ping was answered; {@code clockMicros} is the server's time, or {@link ServerEncoding#NO_CLOCK}. */
    default void onPong(long id, long clockMicros) {
        onPong(id);
    }

    /** A watch was confirmed, with whether the subject has subscribers. */
    default void onWatched(long id, byte[] subject, boolean subscribers) {}

    /** A watch has ended. */
    default void onUnwatched(long id, byte[] subject) {}

    /** A watch has ended; {@code reason} is the code for which the server ended it, or null if the client asked. */
    default void onUnwatched(long id, byte[] subject, @Nullable String reason) {
        onUnwatched(id, subject);
    }

    /** A watched subject gained its first subscriber or lost its last one. */
    default void onInterest(byte[] subject, boolean subscribers) {}

    /**
     * The frame is not a valid event of this protocol; the connection cannot be used any more. Unknown ops are not
     * reported here.
     */
    void onBadEvent(String reason);
}
