package io.belfry.server.session;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import org.jspecify.annotations.Nullable;

/** Sends events to a session in the transport's own form. Owner: the lane's loop. The id {@code NO_ID} refers to no command. */
public interface Replies {
    /** Answers a connect; {@code pingMillis} is the ping interval of the session. */
    void connected(Session session, long id, int pingMillis);

    /** Answers a connect of a session that is kept. */
    default void connected(Session session, long id, int pingMillis, ContinuedSession kept) {
        connected(session, id, pingMillis);
    }

    /** Confirms a subscription. {@code at} is null for a pattern; {@code conflateMillis} is 0 without conflation. */
    void subscribed(
            Session session, long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis);

    /** Confirms a subscription whose messages may be deltas. */
    default void deltaSubscribed(Session session, long id, byte[] subject, Position at, Recovery recovery) {
        subscribed(session, id, subject, at, recovery, 0);
    }

    /** Confirms a subscription to a pattern that has a position. */
    default void patternSubscribed(
            Session session, long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        subscribed(session, id, pattern, null, recovery, conflateMillis);
    }

    /** Reports that everything up to this position has been sent for all patterns of the session. */
    default void position(Session session, PatternPosition at) {}

    /** The position up to which a pattern that is being resumed was read. */
    default void progress(Session session, byte[] pattern, PatternPosition at) {}

    void unsubscribed(Session session, long id, byte[] subject);

    void published(Session session, long id, long epoch, long seq);

    /** Sends one message that is not part of the fan-out: snapshot, history, recovered, or late. */
    void message(Session session, MessageView message);

    /** Announces that the messages after {@code from} up to {@code to} are not delivered; {@code from} is null if unknown. */
    void gap(Session session, byte[] subject, @Nullable Position from, Position to, Code reason);

    /** Called when all requested past messages have been sent; the following ones are live. */
    default void caughtUp(Session session, byte[] subject) {}

    void pong(Session session, long id);

    /** Sends an error. {@code afterMillis} is the time after which a retry may succeed, or 0 if it is unknown. */
    void error(Session session, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis);

    default void error(Session session, long id, Code code, String reason, byte @Nullable [] subject) {
        error(session, id, code, reason, subject, 0);
    }

    /** Reports that the server ended a subscription. */
    void ended(Session session, byte[] subject, Code reason);

    /** Reports that the server ended a watch. */
    void watchEnded(Session session, byte[] subject, Code reason);

    /** Reports that the session's token expires after this time. */
    void tokenToExpire(Session session, long afterMillis);

    /** Reports that the node has become stale or is up to date again. */
    void stale(Session session, boolean stale);

    void reconnect(Session session, long afterMillis, Code reason);

    void watched(Session session, long id, byte[] subject, boolean subscribers);

    void unwatched(Session session, long id, byte[] subject);

    void interest(Session session, byte[] subject, boolean subscribers);
}
