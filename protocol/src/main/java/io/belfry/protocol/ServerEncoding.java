package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a server says. Every method appends one complete payload, frame or chunk to {@code out} and leaves what
 * was there alone, so that many can be sent at once. An id of {@link CommandHandler#NO_ID} is left out. Implementations
 * are stateless.
 */
public interface ServerEncoding {
    /** Instead of a time that is not told. */
    long NO_CLOCK = -1;

    void message(ByteBuf out, MessageView message);

    void connected(ByteBuf out, long id, String session, String node, long pingMillis, int maxMessage);

    /** {@code at} is null for patterns, which have no position; {@code conflateMillis} is 0 where every message comes. */
    void subscribed(
            ByteBuf out,
            long id,
            byte[] subject,
            @Nullable Position at,
            int epochIndex,
            Recovery recovery,
            int conflateMillis);

    default void subscribed(
            ByteBuf out, long id, byte[] subject, @Nullable Position at, int epochIndex, Recovery recovery) {
        subscribed(out, id, subject, at, epochIndex, recovery, 0);
    }

    /** {@code reason}: why the server ended it unasked, or null. */
    void unsubscribed(ByteBuf out, long id, byte[] subject, @Nullable Code reason);

    default void unsubscribed(ByteBuf out, long id, byte[] subject) {
        unsubscribed(out, id, subject, null);
    }

    /** The form for the hot path: no {@link Position} need be made. */
    void published(ByteBuf out, long id, long epoch, long seq);

    default void published(ByteBuf out, long id, Position at, int epochIndex) {
        published(out, id, at.epoch(), at.seq());
    }

    /** What lies after {@code from} (null = not known) up to and including {@code to} is not delivered. */
    void gap(ByteBuf out, byte[] subject, @Nullable Position from, Position to, Code reason);

    /** {@code clockMicros}: what time it is at the server, in microseconds since 1970, or {@link #NO_CLOCK}. */
    void pong(ByteBuf out, long id, long clockMicros);

    /** {@code afterMillis}: in how many ms the same may be asked again, 0 where that is not known. */
    void error(ByteBuf out, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis);

    default void error(ByteBuf out, long id, Code code, String reason, byte @Nullable [] subject) {
        error(out, id, code, reason, subject, 0);
    }

    void reconnect(ByteBuf out, long afterMillis, Code reason);

    /** The session's token is good for so long; without a new one the session ends then. */
    void tokenToExpire(ByteBuf out, long afterMillis);

    /** The node has had no word from its cluster for a while, or is up to date again. */
    void stale(ByteBuf out, boolean stale);

    void watched(ByteBuf out, long id, byte[] subject, boolean subscribers);

    /** {@code reason}: why the server ended it unasked, or null. */
    void unwatched(ByteBuf out, long id, byte[] subject, @Nullable Code reason);

    default void unwatched(ByteBuf out, long id, byte[] subject) {
        unwatched(out, id, subject, null);
    }

    void interest(ByteBuf out, byte[] subject, boolean subscribers);

    /** Declares an entry of the epoch table; writes nothing in JSON, whose messages carry the epoch itself. */
    void epoch(ByteBuf out, int index, long epoch);

    boolean binary();
}
