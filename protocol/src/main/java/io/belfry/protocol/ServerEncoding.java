package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Writes events, on the server's side. Each method appends one complete payload, frame or chunk after the bytes already
 * in {@code out}, so that many events can be sent in one write. An id of {@link CommandHandler#NO_ID} is omitted.
 * Implementations are stateless.
 */
public interface ServerEncoding {
    /** The clock value of a pong that has no time. */
    long NO_CLOCK = -1;

    /** Appends a message. */
    void message(ByteBuf out, MessageView message);

    /** Appends the facts of a session. */
    void connected(ByteBuf out, long id, ConnectedEvent event);

    /**
     * Appends the confirmation of a subscription. {@code at} is null for patterns; {@code conflateMillis} is 0 if every
     * message is sent.
     */
    void subscribed(
            ByteBuf out,
            long id,
            byte[] subject,
            @Nullable Position at,
            int epochIndex,
            Recovery recovery,
            int conflateMillis);

    /** Appends the confirmation of a subscription without conflation. */
    default void subscribed(
            ByteBuf out, long id, byte[] subject, @Nullable Position at, int epochIndex, Recovery recovery) {
        subscribed(out, id, subject, at, epochIndex, recovery, 0);
    }

    /**
     * Appends the confirmation of a subscription whose messages may be deltas in the format of this name. The default omits the
     * name, for an encoding without deltas; such an encoding gets no deltas.
     */
    default void deltaSubscribed(
            ByteBuf out, long id, byte[] subject, Position at, int epochIndex, Recovery recovery, String delta) {
        subscribed(out, id, subject, at, epochIndex, recovery, 0);
    }

    /**
     * Appends the confirmation of a pattern with the position of the session's patterns. The default omits the position, for
     * an encoding that has none.
     */
    default void patternSubscribed(
            ByteBuf out, long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        subscribed(out, id, pattern, null, 0, recovery, conflateMillis);
    }

    /**
     * Appends the position of the session's patterns. The default appends nothing, for an encoding without positions of
     * patterns.
     */
    default void position(ByteBuf out, PatternPosition at) {}

    /**
     * Appends the position up to which a pattern that is being resumed was read. The default appends nothing, for an encoding
     * without positions of patterns.
     */
    default void progress(ByteBuf out, byte[] pattern, PatternPosition at) {}

    /**
     * Appends the end of a subscription; {@code reason} is the code for which the server ended it, or null if the
     * client asked.
     */
    void unsubscribed(ByteBuf out, long id, byte[] subject, @Nullable Code reason);

    /** Appends the end of a subscription that the client asked for. */
    default void unsubscribed(ByteBuf out, long id, byte[] subject) {
        unsubscribed(out, id, subject, null);
    }

    /** Appends the acknowledgement of a publish; this form needs no {@link Position} on the hot path. */
    void published(ByteBuf out, long id, long epoch, long seq);

    /** Appends the acknowledgement of a publish. */
    default void published(ByteBuf out, long id, Position at, int epochIndex) {
        published(out, id, at.epoch(), at.seq());
    }

    /**
     * Appends a gap: the messages after {@code from} (null if unknown) up to and including {@code to} are not
     * delivered.
     */
    void gap(ByteBuf out, byte[] subject, @Nullable Position from, Position to, Code reason);

    /**
     * Appends the answer to a ping; {@code clockMicros} is the server's time in microseconds since 1970, or {@link
     * #NO_CLOCK}.
     */
    void pong(ByteBuf out, long id, long clockMicros);

    /**
     * Appends an error; {@code afterMillis} is the time in milliseconds after which the client may retry, 0 if unknown.
     */
    void error(ByteBuf out, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis);

    /** Appends an error without a time to retry. */
    default void error(ByteBuf out, long id, Code code, String reason, byte @Nullable [] subject) {
        error(out, id, code, reason, subject, 0);
    }

    /** Appends the request to reconnect after {@code afterMillis} milliseconds. */
    void reconnect(ByteBuf out, long afterMillis, Code reason);

    /**
     * Appends the notice that the session's token expires in {@code afterMillis}; without a new token the session ends
     * then.
     */
    void tokenToExpire(ByteBuf out, long afterMillis);

    /** Appends the notice that the node is stale, that is behind its cluster, or is current again. */
    void stale(ByteBuf out, boolean stale);

    /** Appends the confirmation of a watch, and whether the subject has subscribers. */
    void watched(ByteBuf out, long id, byte[] subject, boolean subscribers);

    /**
     * Appends the end of a watch; {@code reason} is the code for which the server ended it, or null if the client
     * asked.
     */
    void unwatched(ByteBuf out, long id, byte[] subject, @Nullable Code reason);

    /** Appends the end of a watch that the client asked for. */
    default void unwatched(ByteBuf out, long id, byte[] subject) {
        unwatched(out, id, subject, null);
    }

    /** Appends the notice that a watched subject gained its first subscriber or lost its last one. */
    void interest(ByteBuf out, byte[] subject, boolean subscribers);

    /** Declares an entry of the epoch table; appends nothing in JSON, whose messages contain the epoch. */
    void epoch(ByteBuf out, int index, long epoch);

    /** Whether the encoding is binary. */
    boolean binary();
}
