package io.belfry.server.delivery;

import io.belfry.protocol.MessageView;
import io.belfry.server.session.Session;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.turn.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages to very many sessions, which a lane records for each session over several turns. Owner: the lane's loop.
 *
 * <p>A message is encoded when it is delivered, and its bytes stay in the blocks of encoded messages. Each turn then records the
 * message for some of its sessions. The messages are processed in the order of their delivery.
 *
 * <p>Another event of a session, such as a further message or an answer, first records all waiting messages for that session
 * ({@link #complete}), in their order. Therefore each session gets the same bytes in the same order as if each message had been
 * recorded for all sessions at once.
 */
final class LargeFanOuts {
    /** Records a message for a session. */
    interface Recorder {
        void record(Session session, Message message);
    }

    /** A message that is not recorded for all its sessions yet. */
    static final class Message {
        final int subject;
        final boolean byPattern;
        final HeldMessage held;
        final long receivedNanos;
        private final Audience audience;
        private final EncodedBlocks.Ranges ranges;

        /** Decides which sessions get a delta; null if no subscription to the subject asks for deltas. */
        @Nullable
        DeltaMessage delta;

        private Message(
                int subject,
                boolean byPattern,
                MessageView message,
                long receivedNanos,
                Audience audience,
                EncodedBlocks.Ranges ranges) {
            this.subject = subject;
            this.byPattern = byPattern;
            held = new HeldMessage(message);
            this.receivedNanos = receivedNanos;
            this.audience = audience;
            this.ranges = ranges;
        }

        /** Returns where the bytes are for the session that was admitted last. */
        EncodedBlocks.Ranges ranges() {
            EncodedBlocks.Ranges ofDelta = delta != null && delta.sent() != null ? delta.ranges : null;
            return ofDelta == null ? ranges : ofDelta;
        }
    }

    /** Waiting messages beyond which publishers pause. */
    private static final int MESSAGES_BEHIND = 16;

    /** Waiting messages beyond which all are recorded at once: each event of a session searches in each waiting message. */
    private static final int MESSAGES_MAX = 256;

    /** Maximum number of sessions for which a message is recorded within one turn. */
    private int many = 16_384;

    /** Sessions for which messages are recorded between two clock reads. */
    private int every = 512;

    private final LaneSubjects subjects;
    private final Clock clock;
    private final Recorder recorder;

    /** The messages in the order of their delivery. While one is recorded, others are only added at the end. */
    private final List<Message> waiting = new ArrayList<>();

    /** The session for which a message is being recorded. Its messages are in order, so nothing is completed meanwhile. */
    private @Nullable Session visited;

    private boolean advancing;

    LargeFanOuts(LaneSubjects subjects, Clock clock, Recorder recorder) {
        this.subjects = subjects;
        this.clock = clock;
        this.recorder = recorder;
    }

    void divideSooner(int many, int every) {
        this.many = many;
        this.every = every;
    }

    /** Returns whether a message to this number of sessions is recorded in several turns. */
    boolean isLarge(long count) {
        return count > many;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Returns whether publishers should wait, because too many messages do. */
    boolean isBehind() {
        return waiting.size() > MESSAGES_BEHIND;
    }

    /** Returns whether the waiting messages have reached their limit; they are then recorded for all sessions at once. */
    boolean isFull() {
        return waiting.size() > MESSAGES_MAX;
    }

    /** Adds a message that was encoded to these ranges. */
    void add(
            int subject,
            boolean byPattern,
            MessageView message,
            long receivedNanos,
            Audience audience,
            EncodedBlocks.Ranges ranges) {
        subjects.pin(subject);
        waiting.add(new Message(subject, byPattern, message, receivedNanos, audience, ranges));
    }

    /** Sets who gets the message that was added last as a delta. */
    void setDelta(DeltaMessage delta) {
        waiting.getLast().delta = delta;
    }

    /** Records for the session each message that waits for it. */
    @SuppressWarnings("ReferenceEquality") // A session is one object.
    void complete(Session session) {
        if (visited == session) {
            return;
        }
        // Recording may add a message, at the end; such a message is newer than what the caller does.
        int count = waiting.size();
        for (int i = 0; i < count && !session.isClosed(); i++) {
            Message message = waiting.get(i);
            if (message.audience.take(session)) {
                record(session, message);
            }
        }
    }

    /**
     * Records messages for half of this time, or until each message is recorded for all its sessions. Returns the remaining time for
     * the writes to these sessions.
     */
    long advance(long nanos) {
        if (advancing || visited != null) {
            return nanos;
        }
        advancing = true;
        long beganNanos = clock.nanos();
        long passedNanos = 0;
        try {
            while (!waiting.isEmpty() && passedNanos <= nanos / 2) {
                advance(waiting.getFirst());
                passedNanos = clock.nanos() - beganNanos;
            }
        } finally {
            advancing = false;
        }
        return nanos == Long.MAX_VALUE ? nanos : nanos - passedNanos;
    }

    private void advance(Message message) {
        Audience audience = message.audience;
        for (int i = 0; i < every && !audience.isEmpty(); i++) {
            Session session = audience.next();
            if (session != null) {
                record(session, message);
            }
        }
        if (audience.isEmpty()) {
            waiting.removeFirst();
            end(message);
        }
    }

    private void record(Session session, Message message) {
        Session before = visited;
        visited = session;
        try {
            recorder.record(session, message);
        } finally {
            visited = before;
        }
    }

    private void end(Message message) {
        message.audience.end();
        message.held.release();
        subjects.unpin(message.subject);
    }

    /** Frees the memory outside the heap. */
    void release() {
        waiting.forEach(message -> message.held.release());
    }
}
