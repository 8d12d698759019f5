package io.belfry.server.session;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import org.jspecify.annotations.Nullable;

/** What a session is told, in the transport's own way. Owner: the lane's loop. The id {@code NO_ID} answers no command. */
public interface Replies {
    void connected(Session session, long id);

    /** {@code at} is null for a pattern, which has no single position; {@code conflateMillis} is 0 where all comes. */
    void subscribed(
            Session session, long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis);

    void unsubscribed(Session session, long id, byte[] subject);

    void published(Session session, long id, long epoch, long seq);

    /** One message that does not come with the fan-out: snapshot, history, recovered, or late. */
    void message(Session session, MessageView message);

    /** {@code from} is null where no position is known; what lies after it, up to {@code to}, does not come. */
    void gap(Session session, byte[] subject, @Nullable Position from, Position to, Code reason);

    /** All that was asked for of the past has been sent; what follows is live. */
    default void caughtUp(Session session, byte[] subject) {}

    void pong(Session session, long id);

    /** {@code afterMillis}: in how many ms the same may be asked again, 0 where that is not known. */
    void error(Session session, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis);

    default void error(Session session, long id, Code code, String reason, byte @Nullable [] subject) {
        error(session, id, code, reason, subject, 0);
    }

    /** The server ends a subscription unasked. */
    void ended(Session session, byte[] subject, Code reason);

    /** The server ends a watch unasked. */
    void watchEnded(Session session, byte[] subject, Code reason);

    /** The session's token is good for so long. */
    void tokenToExpire(Session session, long afterMillis);

    /** The node has had no word from its cluster for a while, or is up to date again. */
    void stale(Session session, boolean stale);

    void reconnect(Session session, long afterMillis, Code reason);

    void watched(Session session, long id, byte[] subject, boolean subscribers);

    void unwatched(Session session, long id, byte[] subject);

    void interest(Session session, byte[] subject, boolean subscribers);
}
