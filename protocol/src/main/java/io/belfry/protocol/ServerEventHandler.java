package io.belfry.protocol;

import org.jspecify.annotations.Nullable;

/**
 * Receives what a server says, in order. Codes come as text: a newer server may know codes that this side does not.
 * An id is {@link CommandHandler#NO_ID} where the event has none.
 */
public interface ServerEventHandler {
    /** {@code message} is valid until this returns. */
    void onMessage(MessageView message);

    void onConnected(long id, String session, String node, long pingMillis, int maxMessage);

    /** {@code at} is null for patterns. */
    void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery);

    /** {@code conflateMillis}: so that seqs may jump, as no more than one message comes in this time; 0 = all come. */
    default void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        onSubscribed(id, subject, at, recovery);
    }

    void onUnsubscribed(long id, byte[] subject);

    /** {@code reason}: the code for which the server ended it unasked, or null. */
    default void onUnsubscribed(long id, byte[] subject, @Nullable String reason) {
        onUnsubscribed(id, subject);
    }

    void onPublished(long id, long epoch, long seq);

    /** What lies after {@code from} (null = not known) up to and including {@code to} will not come. */
    void onGap(byte[] subject, @Nullable Position from, Position to, String reason);

    void onError(long id, String code, String reason, byte @Nullable [] subject);

    /** {@code afterMillis}: in how many ms the same may be asked again, 0 where the server does not tell. */
    default void onError(long id, String code, String reason, byte @Nullable [] subject, long afterMillis) {
        onError(id, code, reason, subject);
    }

    void onReconnect(long afterMillis, String reason);

    /** Without a new token, brought by {@code connect}, the session ends after this time. */
    default void onTokenToExpire(long afterMillis) {}

    /** The node has had no word from its cluster for a while, so that messages may be late, or is up to date again. */
    default void onStale(boolean stale) {}

    default void onPong(long id) {}

    /** {@code clockMicros}: the server's time, or {@link ServerEncoding#NO_CLOCK} where the server does not tell it. */
    default void onPong(long id, long clockMicros) {
        onPong(id);
    }

    default void onWatched(long id, byte[] subject, boolean subscribers) {}

    default void onUnwatched(long id, byte[] subject) {}

    /** {@code reason}: the code for which the server ended it unasked, or null. */
    default void onUnwatched(long id, byte[] subject, @Nullable String reason) {
        onUnwatched(id, subject);
    }

    default void onInterest(byte[] subject, boolean subscribers) {}

    /** The frame was no event of this protocol: the connection is of no more use. Unknown ops never come here. */
    void onBadEvent(String reason);
}
