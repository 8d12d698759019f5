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
 * The positions of a session in the subjects whose head it has not reached. The same mechanism serves a stalled socket, a
 * resumed subscription and history. Owner: the session's lane. It holds one position per subject and never a message.
 */
public final class CatchUp {
    /** The part of a subscription that the subject's lane has not received yet. Immutable. */
    public record Join(long commandId, @Nullable Position from, int history) {}

    /** A session's position in one subject's history. */
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

        /** Returns a number that distinguishes this place from earlier ones of the session and subject, to detect late answers. */
        public int ticket() {
            return ticket;
        }

        /** Returns the last seq that the session has received or that a gap has announced to it. */
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

        /** Returns the latest message that was published while the session was not at the head, as far as its own lane knows. */
        public long missedSeq() {
            return missedSeq;
        }

        /** Returns the type of messages that are read for this place; live for a session that only lags. */
        public MessageType type() {
            return type;
        }

        public boolean isLagging() {
            return type == MessageType.LIVE;
        }

        /** Returns whether an answer of the subject's lane is pending. */
        public boolean isReading() {
            return reading;
        }

        public void reading(boolean reading) {
            of.readings += (reading ? 1 : 0) - (this.reading ? 1 : 0);
            this.reading = reading;
        }

        /**
         * Returns whether the subject's lane has not answered the subscription yet. Until then messages that match a pattern are
         * delivered; after the answer this subscription's position covers all messages.
         */
        public boolean isJoining() {
            return joining;
        }

        public void joining(boolean joining) {
            of.joinings += (joining ? 1 : 0) - (this.joining ? 1 : 0);
            this.joining = joining;
        }

        /** Queues the subscription with the places that wait for reading. */
        public void join(Join later) {
            join = later;
        }

        /** Returns the part of the subscription that is still to be sent to the subject's lane, once; null afterwards. */
        public @Nullable Join takeJoin() {
            Join taken = join;
            join = null;
            return taken;
        }

        /** Returns whether the session exceeded a bound, so that the next read skips what the policy says; resets the flag. */
        public boolean takePast() {
            boolean was = past;
            past = false;
            return was;
        }

        /** Returns whether the lane's copy of the subject's latest message is kept for this place too. */
        public boolean holdsLatest() {
            return holdsLatest;
        }

        public void holdsLatest(boolean holds) {
            holdsLatest = holds;
        }

        /** Returns whether the session asked for the latest message only, so that nothing else is announced or read. */
        public boolean isRequested() {
            return requested;
        }

        public void requested(boolean only) {
            requested = only;
        }

        /**
         * Records that the missed messages up to this seq are no longer in the history. The bytes of the rest are estimated
         * by the number of its messages.
         */
        public void lost(long seq) {
            long before = behindMessages();
            advance(seq);
            missed(before == 0 ? 0 : (long) ((double) behindBytes * behindMessages() / before) - behindBytes);
        }

        /** Records that the oldest missed messages were skipped, and that at most this many bytes remain to be read. */
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

    /** Places that wait to be read, in turn. */
    private final Deque<Place> waiting = new ArrayDeque<>(2);

    private int readings;
    private int joinings;
    private boolean past;
    private int queuedBytesSeen;
    private long behindBytes;
    private long behindMessages;
    private long stalledSinceNanos;
    private long sinceNanos;
    private long beyondSinceNanos;

    /** Returns the position in this subject, or null if the session is at its head. */
    @Nullable
    Place at(int subject) {
        return places.get(subject);
    }

    Place begin(int subject, int ticket, long afterSeq, MessageType type) {
        Place place = new Place(this, subject, ticket, afterSeq, type);
        places.put(subject, place);
        return place;
    }

    /** Ends the reading of this subject; returns false if it is not read. */
    boolean end(int subject) {
        Place place = places.remove(subject);
        if (place == null) {
            return false;
        }
        place.reading(false);
        place.joining(false);
        place.missed(-place.behindBytes);
        place.advance(place.missedSeq);
        place.ended = true;
        return true;
    }

    void onStalled(long nowNanos) {
        stalledSinceNanos = nowNanos;
        sinceNanos = sinceNanos == 0 ? nowNanos : sinceNanos;
        queuedBytesSeen = Integer.MAX_VALUE;
    }

    /** Queues all places for reading, shortened if the session exceeded a bound. */
    void onMoving() {
        stalledSinceNanos = 0;
        waiting.clear();
        for (Place place : places.values()) {
            place.past |= past;
            wait(place);
        }
        past = false;
    }

    boolean isIdle() {
        return places.isEmpty() && stalledSinceNanos == 0;
    }

    /** Queues this place after the other waiting places. */
    public void wait(Place place) {
        if (!place.reading) {
            waiting.add(place);
        }
    }

    /** Returns the next place to read, or null. */
    public @Nullable Place nextWaiting() {
        Place place = waiting.poll();
        while (place != null && (place.ended || place.reading)) {
            place = waiting.poll();
        }
        return place;
    }

    /** Returns the number of places with a pending answer. */
    public int readings() {
        return readings;
    }

    /** Returns whether a subject's lane has not answered a subscription by name yet. */
    boolean isJoining() {
        return joinings > 0;
    }

    public Collection<Place> places() {
        return new ArrayList<>(places.values());
    }

    public int count() {
        return places.size();
    }

    /** Records a live message that was not sent; it will be read from the history. */
    public void onMissed(Place place, long seq, int bytes) {
        place.between(place.afterSeq, Math.max(place.missedSeq, seq));
        place.missed(bytes);
    }

    /** Records that a message that had not been sent live was read from the history. */
    public void onRead(Place place, int bytes) {
        place.missed(-bytes);
    }

    public long behindBytes() {
        return behindBytes;
    }

    /** Returns the number of messages that the session has neither received nor seen announced by a gap. */
    public long behindMessages() {
        return behindMessages;
    }

    /** Returns whether the session exceeded a bound, so that some of the messages it missed will be skipped. */
    public boolean isPast() {
        return past;
    }

    public void onPast() {
        past = true;
    }

    /** Records that the session exceeds the bound of bytes; returns whether it has done so for the whole grace. */
    public boolean isBeyondFor(long graceNanos, long nowNanos) {
        beyondSinceNanos = beyondSinceNanos == 0 ? nowNanos : beyondSinceNanos;
        return nowNanos - beyondSinceNanos >= graceNanos;
    }

    /** Records that the session is within the bound of bytes. */
    public void onWithin() {
        beyondSinceNanos = 0;
    }

    /** Returns whether the session exceeds a bound, or did so when it last missed a message. */
    public boolean wasBeyond() {
        return past || beyondSinceNanos != 0;
    }

    /** Returns the time at which the socket became unwritable, or 0. */
    public long stalledSinceNanos() {
        return stalledSinceNanos;
    }

    /** Returns the last time at which the session was at the head of all its subjects with nothing queued. */
    public long sinceNanos() {
        return sinceNanos;
    }

    /** Returns whether the socket took any byte since the last call. */
    public boolean hasTaken(int queuedBytes) {
        boolean less = queuedBytes < queuedBytesSeen;
        queuedBytesSeen = queuedBytes;
        return less;
    }
}
