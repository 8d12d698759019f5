package io.belfry.server.session;

import io.belfry.protocol.MessageType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a session stands in the subjects it is not at the head of: one mechanism for a stalled socket, for a resumed
 * subscription and for history. Owner: the session's lane. It holds a position per subject and never a message.
 */
public final class CatchUp {
    /** A place in one subject's history. */
    public static final class Place {
        private final int subject;
        private final int ticket;
        private final MessageType type;
        private long afterSeq;
        private boolean reading;
        private boolean joining;

        Place(int subject, int ticket, long afterSeq, MessageType type) {
            this.subject = subject;
            this.ticket = ticket;
            this.afterSeq = afterSeq;
            this.type = type;
        }

        public int subject() {
            return subject;
        }

        /** Names this stay among all the session ever had at this subject, so that a late answer to another is known. */
        public int ticket() {
            return ticket;
        }

        /** The last seq the session has, or was told it will not get. */
        public long afterSeq() {
            return afterSeq;
        }

        public void advance(long seq) {
            afterSeq = Math.max(afterSeq, seq);
        }

        /** How what is read here is marked: live for a session that merely lags. */
        public MessageType type() {
            return type;
        }

        /** Whether an answer of the subject's lane is on its way. */
        public boolean isReading() {
            return reading;
        }

        public void reading(boolean reading) {
            this.reading = reading;
        }

        /**
         * Whether the subject's lane has not answered the subscription yet. Until it does, what comes by a pattern is
         * delivered; from its answer on, this subscription's position covers everything.
         */
        public boolean isJoining() {
            return joining;
        }

        public void joining(boolean joining) {
            this.joining = joining;
        }
    }

    private final Map<Integer, Place> places = new HashMap<>(4);
    private long behindBytes;
    private long stalledSinceNanos;

    public static @Nullable Place at(Session session, int subject) {
        CatchUp catchUp = of(session);
        return catchUp == null ? null : catchUp.places.get(subject);
    }

    public static @Nullable CatchUp of(Session session) {
        Extras extras = session.extras();
        return extras == null ? null : extras.catchUp;
    }

    /** The session goes on reading this subject after a seq. */
    public static Place begin(Session session, int subject, int ticket, long afterSeq, MessageType type) {
        CatchUp catchUp = created(session);
        Place place = new Place(subject, ticket, afterSeq, type);
        catchUp.places.put(subject, place);
        session.catchingUp(true);
        return place;
    }

    /** The session is at the head of this subject again, or follows it no more. */
    public static void end(Session session, int subject) {
        CatchUp catchUp = of(session);
        if (catchUp != null && catchUp.places.remove(subject) != null && catchUp.places.isEmpty()) {
            catchUp.behindBytes = 0;
            session.catchingUp(false);
            catchUp.dropIfIdle(session);
        }
    }

    public static CatchUp created(Session session) {
        Extras extras = session.extrasCreated();
        if (extras.catchUp == null) {
            extras.catchUp = new CatchUp();
        }
        return extras.catchUp;
    }

    public static void onStalled(Session session, long nowNanos) {
        created(session).stalledSinceNanos = nowNanos;
    }

    public static void onMoving(Session session) {
        CatchUp catchUp = of(session);
        if (catchUp != null) {
            catchUp.stalledSinceNanos = 0;
            catchUp.dropIfIdle(session);
        }
    }

    private void dropIfIdle(Session session) {
        Extras extras = session.extras();
        if (places.isEmpty() && stalledSinceNanos == 0 && extras != null) {
            extras.catchUp = null;
            session.dropExtrasIfEmpty();
        }
    }

    public List<Place> places() {
        return new ArrayList<>(places.values());
    }

    /** A live message passed the session by; it will be read from the history. */
    public void onMissed(int bytes) {
        behindBytes += bytes;
    }

    /** A message that had passed the session by was read from the history. */
    public void onRead(int bytes) {
        behindBytes = Math.max(0, behindBytes - bytes);
    }

    public long behindBytes() {
        return behindBytes;
    }

    /** When the socket stopped taking bytes, or 0. */
    public long stalledSinceNanos() {
        return stalledSinceNanos;
    }
}
