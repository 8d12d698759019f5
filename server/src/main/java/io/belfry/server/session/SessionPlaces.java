package io.belfry.server.session;

import io.belfry.protocol.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * The {@link CatchUp} of a session, which exists only while the session is stalled or reads past messages. Pure; the caller
 * is the session's lane.
 */
public final class SessionPlaces {
    private SessionPlaces() {}

    /** Returns the session's position in this subject, or null if it is at the subject's head. */
    public static CatchUp.@Nullable Place at(Session session, int subject) {
        CatchUp catchUp = of(session);
        return catchUp == null ? null : catchUp.at(subject);
    }

    /** Returns the session's positions, or null if it has none. */
    public static @Nullable CatchUp of(Session session) {
        Extras extras = session.extras();
        return extras == null ? null : extras.catchUp;
    }

    /** Returns the session's positions; creates them if it has none. */
    public static CatchUp created(Session session) {
        Extras extras = session.extrasCreated();
        if (extras.catchUp == null) {
            extras.catchUp = new CatchUp();
        }
        return extras.catchUp;
    }

    /** Returns whether a subscription of the session by name is not answered yet. */
    public static boolean isJoining(Session session) {
        CatchUp catchUp = session.isCatchingUp() ? of(session) : null;
        return catchUp != null && catchUp.isJoining();
    }

    /** Starts reading this subject for the session after a seq. */
    public static CatchUp.Place begin(Session session, int subject, int ticket, long afterSeq, MessageType type) {
        CatchUp.Place place = created(session).begin(subject, ticket, afterSeq, type);
        session.catchingUp(true);
        return place;
    }

    /** Ends the reading of this subject, because the session is at its head again or no longer subscribes to it. */
    public static void end(Session session, int subject) {
        CatchUp catchUp = of(session);
        if (catchUp != null && catchUp.end(subject) && catchUp.count() == 0) {
            session.catchingUp(false);
            dropIfIdle(session, catchUp);
        }
    }

    /** Called when the session's socket accepts no more bytes. */
    public static void onStalled(Session session, long nowNanos) {
        created(session).onStalled(nowNanos);
    }

    /** Called when the socket is writable again: queues all places for reading, shortened if the session exceeded a bound. */
    public static void onMoving(Session session) {
        CatchUp catchUp = of(session);
        if (catchUp != null) {
            catchUp.onMoving();
            dropIfIdle(session, catchUp);
        }
    }

    private static void dropIfIdle(Session session, CatchUp catchUp) {
        if (catchUp.isIdle()) {
            session.extrasCreated().catchUp = null;
            session.dropExtrasIfEmpty();
        }
    }
}
