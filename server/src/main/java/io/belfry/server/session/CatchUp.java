package io.belfry.server.session;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a session stands in the subjects it is not at the head of: one mechanism for a stalled socket, for a resumed
 * subscription and for history. Owner: the session's lane. It holds a position per subject and never a message.
 */
public final class CatchUp {
    /** What a subscription asks for that its subject's lane has not been asked yet. Immutable. */
    public record Join(long commandId, @Nullable Position from, int history) {}

    /** A place in one subject's history. */
    public static final class Place {
        private final CatchUp of;
        private final int subject;
        private final int ticket;
        private final MessageType type;
        private long afterSeq;
        private long missedSeq;
        private long behindBytes;
        private boolean reading;
        private boolean joining;
        private boolean past;
        private boolean holdsLatest;
        private boolean requested;
        private boolean ended;
        private @Nullable Join join;

        Place(CatchUp of, int subject, int ticket, long afterSeq, MessageType type) {
            this.of = of;
            this.subject = subject;
            this.ticket = ticket;
            this.afterSeq = afterSeq;
            this.missedSeq = afterSeq;
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
            between(Math.max(afterSeq, seq), missedSeq);
        }

        private void between(long after, long missed) {
            of.behindMessages -= behindMessages();
            afterSeq = after;
            missedSeq = missed;
            of.behindMessages += behindMessages();
        }

        private long behindMessages() {
            return Math.max(0, missedSeq - afterSeq);
        }

        /** The latest message that passed the session by, as far as its own lane knows. */
        public long missedSeq() {
            return missedSeq;
        }

        /** How what is read here is marked: live for a session that merely lags. */
        public MessageType type() {
            return type;
        }

        public boolean isLagging() {
            return type == MessageType.LIVE;
        }

        /** Whether an answer of the subject's lane is on its way. */
        public boolean isReading() {
            return reading;
        }

        public void reading(boolean reading) {
            of.readings += (reading ? 1 : 0) - (this.reading ? 1 : 0);
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

        /** The subscription waits for its turn as other places wait to be read on at. */
        public void join(Join later) {
            join = later;
        }

        /** What is still to be asked for this place's subscription. Given once. */
        public @Nullable Join takeJoin() {
            Join taken = join;
            join = null;
            return taken;
        }

        /** Whether the session was past a bound, so that the next read leaves out what the policy says. Asked once. */
        public boolean takePast() {
            boolean was = past;
            past = false;
            return was;
        }

        /** Whether the lane keeps its copy of the subject's latest message for this place too. */
        public boolean holdsLatest() {
            return holdsLatest;
        }

        public void holdsLatest(boolean holds) {
            holdsLatest = holds;
        }

        /** Whether the session asked for the latest message only, so that nothing else is announced or read. */
        public boolean isRequested() {
            return requested;
        }

        public void requested(boolean only) {
            requested = only;
        }

        /** The oldest of what was missed was left out; so many bytes at most remain to be read. */
        public void leftOut(long bytesMax) {
            missed(Math.min(0, bytesMax - behindBytes));
        }

        private void missed(long bytes) {
            long before = behindBytes;
            behindBytes = Math.max(0, before + bytes);
            of.behindBytes += behindBytes - before;
        }
    }

    private final Map<Integer, Place> places = new HashMap<>(4);

    /** Those to read on at, in turn. */
    private final Deque<Place> waiting = new ArrayDeque<>(2);

    private int readings;
    private boolean past;
    private int queuedBytesSeen;
    private long behindBytes;
    private long behindMessages;
    private long stalledSinceNanos;
    private long sinceNanos;

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
        Place place = new Place(catchUp, subject, ticket, afterSeq, type);
        catchUp.places.put(subject, place);
        session.catchingUp(true);
        return place;
    }

    /** The session is at the head of this subject again, or follows it no more. */
    public static void end(Session session, int subject) {
        CatchUp catchUp = of(session);
        Place place = catchUp == null ? null : catchUp.places.remove(subject);
        if (catchUp != null && place != null) {
            place.reading(false);
            place.missed(-place.behindBytes);
            place.advance(place.missedSeq);
            place.ended = true;
            if (catchUp.places.isEmpty()) {
                session.catchingUp(false);
                catchUp.dropIfIdle(session);
            }
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
        CatchUp catchUp = created(session);
        catchUp.stalledSinceNanos = nowNanos;
        catchUp.sinceNanos = catchUp.sinceNanos == 0 ? nowNanos : catchUp.sinceNanos;
        catchUp.queuedBytesSeen = Integer.MAX_VALUE;
    }

    /** The socket takes bytes again: all places are to be read on at, the shorter where the session was past a bound. */
    public static void onMoving(Session session) {
        CatchUp catchUp = of(session);
        if (catchUp != null) {
            catchUp.stalledSinceNanos = 0;
            catchUp.waiting.clear();
            for (Place place : catchUp.places.values()) {
                place.past |= catchUp.past;
                catchUp.wait(place);
            }
            catchUp.past = false;
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

    /** This place is read on at when those before it have been. */
    public void wait(Place place) {
        if (!place.reading) {
            waiting.add(place);
        }
    }

    /** The next place to read on at, or null. */
    public @Nullable Place nextWaiting() {
        Place place = waiting.poll();
        while (place != null && (place.ended || place.reading)) {
            place = waiting.poll();
        }
        return place;
    }

    /** Places with an answer on its way. */
    public int readings() {
        return readings;
    }

    public Collection<Place> places() {
        return new ArrayList<>(places.values());
    }

    public int count() {
        return places.size();
    }

    /** A live message passed the session by; it will be read from the history. */
    public void onMissed(Place place, long seq, int bytes) {
        place.between(place.afterSeq, Math.max(place.missedSeq, seq));
        place.missed(bytes);
    }

    /** A message that had passed the session by was read from the history. */
    public void onRead(Place place, int bytes) {
        place.missed(-bytes);
    }

    public long behindBytes() {
        return behindBytes;
    }

    /** Messages that passed the session by and that it neither has nor was told it will not get. */
    public long behindMessages() {
        return behindMessages;
    }

    /** Whether the session is past a bound and what it misses will not come whole. */
    public boolean isPast() {
        return past;
    }

    public void onPast() {
        past = true;
    }

    /** When the socket stopped taking bytes, or 0. */
    public long stalledSinceNanos() {
        return stalledSinceNanos;
    }

    /** Since when the session has not been at the head of all its subjects with nothing waiting for its socket. */
    public long sinceNanos() {
        return sinceNanos;
    }

    /** Whether the socket took anything since this was asked last. */
    public boolean hasTaken(int queuedBytes) {
        boolean less = queuedBytes < queuedBytesSeen;
        queuedBytesSeen = queuedBytes;
        return less;
    }
}
