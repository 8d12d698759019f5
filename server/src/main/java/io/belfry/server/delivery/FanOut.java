package io.belfry.server.delivery;

import io.belfry.protocol.MessageView;
import io.belfry.protocol.WireFormat;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.session.Subscriptions;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubscriberList;
import io.belfry.server.turn.Clock;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Delivers one message to all sessions of a lane that subscribe to its subject. The message is encoded once per wire format,
 * recorded per session as a range of the encoded bytes, and written at the end of the turn, so that a session gets all
 * messages of a turn in one write. Owner: the lane's loop.
 *
 * <p>Adjacent ranges are merged at no cost; the bytes of a session whose ranges are not adjacent are
 * copied together. Per delivery there is no allocation, no clock read and no lock. LaneBenchmark measures it.
 *
 * <p>A turn writes for a bounded time. The remaining sessions are written in the next turns, between which the lane serves its
 * sockets; what such a session gets meanwhile goes out in the same write. Sessions that get bytes of a later turn only, and
 * those that get an answer or a message of a subject with few subscribers, do not wait for the others. A message to very many
 * subscribers is recorded for them in several turns too ({@link LargeFanOuts}).
 */
public final class FanOut {
    /** Handles sessions that are not writable or not at the head; implemented by the edge. */
    public interface Special {
        /** Returns whether the message may be delivered in the ordinary way after all. */
        boolean admit(Session session, int subject, MessageView message);

        /** Sets whether the following messages are delivered by pattern or by name; returns the previous value. */
        boolean deliveringByPattern(boolean pattern);

        /** Called when the session's socket took fewer bytes than it was given. */
        void onStalled(Session session);

        /** Called when a write to the session failed unexpectedly. */
        void onFailed(Session session, RuntimeException failure);
    }

    /** Encoded bytes of several turns after which all deferred sessions are written at once. */
    private static final int DEFERRED_BYTES_MAX = 4 << 20;

    private final SessionTable sessions;
    private final SubscriberList subscribers;
    private final Subscriptions subscriptions;
    private final LoopCounters counters;
    private final Clock clock;
    private final Special special;
    private final Runnable onDirty;
    private final Runnable onDeferred;
    private final @Nullable Batching batching;
    private final EncodedBlocks blocks;
    private final LargeFanOuts large;

    private final PendingWrites pending;
    private final SessionWriter writer = new SessionWriter();
    private final TurnWrites writes;
    private boolean hurries;

    /** Subscribers up to which the message of a subject does not wait for the deferred writes. */
    private int few = 64;

    private long serial;
    private long oldestReceivedNanos = Long.MAX_VALUE;

    /**
     * Creates the fan-out of a lane.
     *
     * @param onDirty ensures that the present turn is flushed
     * @param onDeferred requests another turn after the sockets have been served
     */
    public FanOut(
            SessionTable sessions,
            LaneSubjects subjects,
            Subscriptions subscriptions,
            LoopCounters counters,
            Clock clock,
            Special special,
            Runnable onDirty,
            Runnable onDeferred,
            @Nullable Batching batching,
            @Nullable MessageCompression compression) {
        this.sessions = sessions;
        subscribers = subjects.subscribers();
        this.subscriptions = subscriptions;
        this.counters = counters;
        this.clock = clock;
        this.special = special;
        this.onDirty = onDirty;
        this.onDeferred = onDeferred;
        this.batching = batching;
        blocks = new EncodedBlocks(counters, compression);
        pending = new PendingWrites(blocks);
        large = new LargeFanOuts(subjects, clock, this::recordLarge);
        writes = new TurnWrites(counters, clock, writer);
    }

    /** Sets other numbers of sessions, so that a test with few sessions defers writes. */
    public void deferSooner(int clockEvery, int few) {
        writes.readClockEvery(clockEvery);
        this.few = few;
    }

    /** Sets other numbers of sessions, so that a test with few sessions records messages in several turns. */
    public void divideSooner(int many, int every) {
        large.divideSooner(many, every);
    }

    /** Makes room for a format; the first session of a format calls it before it gets anything. */
    public void open(WireFormat format) {
        blocks.open(format);
    }

    /** Starts a message; calls of {@link #deliver} and {@link #deliverTo} follow. */
    public void begin(long receivedNanos) {
        serial++;
        oldestReceivedNanos = Math.min(oldestReceivedNanos, receivedNanos);
    }

    /** Delivers the message to the sessions that subscribe to its subject by name. */
    public void deliver(int subject, MessageView message) {
        if (!subscribers.hasSeveral(subject)) {
            int slot = subscribers.single(subject);
            if (slot >= 0) {
                hurries = isBehind();
                deliverTo(at(slot), subject, message);
                hurries = false;
            }
            return;
        }
        int count = subscribers.count(subject);
        if (large.isLarge(count)) {
            deliverLarge(subject, false, message, new SubjectAudience(subject, sessions, subscribers, subscriptions));
            return;
        }
        hurries = isBehind() && count <= few;
        // Backwards: a session that is closed as slow leaves the list, and an already visited one takes its place.
        int[] slots = subscribers.several(subject);
        for (int i = count - 1; i >= 0; i--) {
            deliverTo(at(slots[i]), subject, message);
        }
        hurries = false;
    }

    /** Returns whether a message to this number of sessions is recorded for them in several turns. */
    public boolean isLarge(long count) {
        return large.isLarge(count);
    }

    /** Delivers the message to these sessions, as a delta where it says so. */
    void deliver(int subject, MessageView message, DeltaMessage delta, int[] slots, int count) {
        if (large.isLarge(count)) {
            delta.ranges = delta.view == null ? null : blocks.encodeDelta(serial, delta.view);
            deliverLarge(subject, false, message, new SubjectAudience(subject, sessions, subscribers, subscriptions));
            large.setDelta(delta);
            return;
        }
        hurries = isBehind() && count <= few;
        for (int i = count - 1; i >= 0; i--) {
            deliverTo(at(slots[i]), subject, message, delta);
        }
        hurries = false;
    }

    /** Delivers the message to these sessions in several turns; {@code byPattern} is whether they subscribe by pattern. */
    public void deliverLarge(int subject, boolean byPattern, MessageView message, Audience audience) {
        large.add(subject, byPattern, message, oldestReceivedNanos, audience, blocks.encode(serial, message));
        counters.increment(Counter.LARGE_FANOUTS);
        onDirty.run();
    }

    /** Returns whether sessions wait for a later turn. */
    private boolean isBehind() {
        return writes.deferred() > 0 || !large.isEmpty();
    }

    /** Delivers the message to one session: extends the range of the block that the session gets at the end of the turn. */
    public void deliverTo(Session session, int subject, MessageView message) {
        if (!large.isEmpty() && !complete(session)) {
            return;
        }
        if (session.isOrdinary() || special.admit(session, subject, message)) {
            EncodedBlock block = blocks.at(session.format());
            if (block.serial != serial) {
                blocks.encode(block, serial, message);
            }
            append(session, block.start, block.end);
        }
    }

    private void deliverTo(Session session, int subject, MessageView message, DeltaMessage delta) {
        if (!large.isEmpty() && !complete(session)) {
            return;
        }
        if (delta.admits(session, subject, message, special, blocks)) {
            EncodedBlock block = blocks.at(session.format());
            int start = blocks.encode(block, serial, message, delta.sent());
            append(session, start, delta.sent() == null ? block.end : block.deltaEnd);
        }
    }

    /** Gives the session this range of the block of its format at the end of the turn. */
    private void append(Session session, int start, int end) {
        int before = pending.append(session, start, end);
        if (before == 0) {
            markDirty(session);
        } else if (before != start) {
            endWait(session, before);
        }
        if (hurries && before != 0) {
            // The session may be among the deferred ones. It is written in this turn, and has nothing to write later.
            markDirty(session);
        }
    }

    /**
     * Records what waits for the session in messages to very many subscribers. Called before anything else happens to the session
     * or to its places, so that it has got all earlier messages. Returns false if the session is closed, perhaps by one of them.
     */
    public boolean complete(Session session) {
        if (!large.isEmpty()) {
            large.complete(session);
        }
        return !session.isClosed();
    }

    /** Records a message to very many sessions for one of them; it is written with the deferred ones. */
    private void recordLarge(Session session, LargeFanOuts.Message message) {
        boolean byPattern = special.deliveringByPattern(message.byPattern);
        try {
            MessageView view = message.held.view();
            boolean admitted = message.delta == null
                    ? session.isOrdinary() || special.admit(session, message.subject, view)
                    : message.delta.admits(session, message.subject, view, special, blocks);
            if (admitted) {
                EncodedBlocks.Ranges ranges = message.ranges();
                int start = ranges.start(session.format());
                int before = pending.append(session, start, ranges.end(session.format()));
                if (before == 0) {
                    writes.defer(session.slot(), message.receivedNanos);
                } else if (before != start) {
                    endWait(session, before);
                }
            }
        } catch (RuntimeException failure) {
            special.onFailed(session, failure);
        } finally {
            special.deliveringByPattern(byPattern);
        }
    }

    /**
     * Appends a session's own bytes to what it gets in this turn; {@code messages} is the number of messages in them. Answers are
     * never held back, nor are messages that a session of a shared format reads from the history.
     */
    public void stage(Session session, ByteBuf bytes, int messages) {
        if (!large.isEmpty() && !complete(session)) {
            return;
        }
        int end = pending.end(session);
        if (end == 0 || (messages == 0 && isBehind())) {
            markDirty(session);
        }
        pending.stage(session);
        boolean toGo = messages == 0 || session.isShared() || end == PendingWrites.STAGED_TO_GO;
        int count = pending.count(session) + messages;
        pending.set(session, toGo ? PendingWrites.STAGED_TO_GO : PendingWrites.STAGED, count);
        session.outbound().stage(bytes, bytes.readerIndex(), bytes.readableBytes());
        endWait(session, end);
    }

    private void markDirty(Session session) {
        if (writes.mark(session.slot())) {
            onDirty.run();
        }
    }

    /** Writes to all sessions if so many bytes are encoded that no more should be. */
    public void flushIfFull() {
        if (large.isFull() || blocks.fullest() > (isBehind() ? DEFERRED_BYTES_MAX : EncodedBlock.TURN_BYTES_MAX)) {
            flush(Long.MAX_VALUE);
        }
    }

    /** Writes now what this session got since its last write. */
    public void flush(Session session) {
        complete(session);
        writer.onWritten(writer.write(session.slot(), batching == null ? 0 : clock.nanos()), oldestReceivedNanos);
    }

    /**
     * Writes what the sessions got since their last write, in one write each, until this time is over for the sessions of this turn,
     * and again for the deferred ones; held messages are written at their deadline.
     */
    public void flush(long writeNanos) {
        // Recording for very many sessions and the deferred writes share the time of the latter.
        long deferredNanos = large.isEmpty() ? writeNanos : large.advance(writeNanos);
        boolean deferredBefore = writes.deferred() > 0;
        long nowNanos = batching == null ? 0 : clock.nanos();
        do {
            writes.writeMarked(nowNanos, writeNanos, oldestReceivedNanos);
            if (batching != null) {
                flushDue(batching, nowNanos);
            }
        } while (writes.hasMarked());
        oldestReceivedNanos = Long.MAX_VALUE;
        if (deferredBefore) {
            writes.writeDeferred(nowNanos, deferredNanos);
            if (batching != null) {
                // A deferred write may have become a held one.
                flushDue(batching, nowNanos);
            }
        }
        if (isBehind() || writes.hasMarked()) {
            onDeferred.run();
        } else if (batching == null || batching.isEmpty() || batching.isBlockFull(blocks.fullest())) {
            blocks.clear();
        }
    }

    /** Returns whether so much waits for so many sessions that publishers should wait too. */
    public boolean isOverloaded() {
        return large.isBehind() || (large.isLarge(writes.deferred()) && blocks.fullest() > DEFERRED_BYTES_MAX / 4);
    }

    /** Writes to one session after the other; a failure ends that session and not the flush. */
    private final class SessionWriter implements TurnWrites.Writer {
        @Override
        public int write(int slot, long nowNanos) {
            Session session = sessions.at(slot);
            if (session == null) {
                return 0;
            }
            try {
                return batching == null ? writePending(session) : writeOrHold(session, batching, nowNanos);
            } catch (RuntimeException failure) {
                special.onFailed(session, failure);
                return 0;
            }
        }

        @Override
        public void onWritten(int messages, long receivedNanos) {
            if (messages > 0) {
                counters.add(Counter.MESSAGES_OUT, messages);
                if (receivedNanos != Long.MAX_VALUE) {
                    counters.deliveryLatency().record((clock.nanos() - receivedNanos) / 1000, messages);
                }
            }
        }
    }

    private int writePending(Session session) {
        int at = session.pending();
        if (at == 0) {
            return 0;
        }
        int start = pending.startAt(at);
        int end = pending.endAt(at);
        int messages = pending.countAt(at);
        pending.remove(session);
        boolean taken = end < 0
                ? session.outbound().flushStaged()
                : session.outbound().write(blocks.at(session.format()).bytes, start, end - start);
        if (!taken && session.isReady()) {
            special.onStalled(session);
        }
        return messages;
    }

    // ---- held messages ----

    /** Holds the pending bytes beyond the turn, as a range of a block that is kept meanwhile or staged; or writes them. */
    private int writeOrHold(Session session, Batching batching, long nowNanos) {
        int end = pending.end(session);
        if (end == 0) {
            return 0;
        }
        int slot = session.slot();
        boolean mayWait = end != PendingWrites.STAGED_TO_GO
                && pending.count(session) > 0
                && session.isReady()
                && !session.isCatchingUp();
        if (mayWait
                && !batching.isWaiting(slot)
                && batching.isBusy(slot, nowNanos)
                && !batching.isFull(pending.bytes(session))) {
            batching.hold(slot, oldestReceivedNanos, nowNanos);
            return 0;
        }
        return send(session, batching, nowNanos);
    }

    private int send(Session session, Batching batching, long nowNanos) {
        int slot = session.slot();
        boolean waited = batching.isWaiting(slot);
        long receivedNanos = waited ? batching.receivedNanos(slot) : 0;
        if (waited || pending.count(session) > 0) {
            batching.onSent(slot, nowNanos);
        }
        int messages = writePending(session);
        if (!waited) {
            return messages;
        }
        writer.onWritten(messages, receivedNanos);
        return 0;
    }

    /** Ends a wait that bytes staged in this turn require to end, although this turn does not visit the session. */
    private void endWait(Session session, int endBefore) {
        if (batching == null
                || endBefore == 0
                || endBefore == PendingWrites.STAGED_TO_GO
                || !batching.isWaiting(session.slot())) {
            return;
        }
        if (pending.end(session) == PendingWrites.STAGED_TO_GO
                || batching.isFull(session.outbound().queuedBytes())) {
            pending.set(session, PendingWrites.STAGED_TO_GO, pending.count(session));
            markDirty(session);
        }
    }

    private void flushDue(Batching batching, long nowNanos) {
        for (int slot = batching.due(nowNanos); slot != Batching.NONE; slot = batching.due(nowNanos)) {
            sendContained(at(slot), batching, nowNanos);
        }
        if (batching.isBlockFull(blocks.fullest())) {
            makeRoom(batching, nowNanos);
        }
        batching.wakeInTime(nowNanos);
    }

    private void sendContained(Session session, Batching batching, long nowNanos) {
        try {
            send(session, batching, nowNanos);
        } catch (RuntimeException failure) {
            special.onFailed(session, failure);
        }
    }

    /** Writes or copies the bytes that wait in the blocks, before the blocks are reused. */
    private void makeRoom(Batching batching, long nowNanos) {
        for (int slot = batching.first(), next; slot != Batching.NONE; slot = next) {
            next = batching.after(slot);
            Session session = at(slot);
            try {
                if (batching.isFull(pending.bytes(session))) {
                    send(session, batching, nowNanos);
                } else {
                    gatherWaiting(session);
                }
            } catch (RuntimeException failure) {
                special.onFailed(session, failure);
            }
        }
    }

    /** Stages what the session was given in this turn, or is held for it, before its last bytes. */
    public void stagePending(Session session) {
        complete(session);
        pending.stage(session);
        counters.add(Counter.MESSAGES_OUT, pending.count(session));
        pending.remove(session);
    }

    /** Stages held bytes, so that they precede the bytes staged next. */
    private void gatherWaiting(Session session) {
        if (batching != null && batching.isWaiting(session.slot()) && pending.end(session) > 0) {
            pending.stage(session);
            pending.set(session, PendingWrites.STAGED, pending.count(session));
        }
    }

    /** Discards the pending bytes of a session that ends. */
    public void forget(Session session) {
        pending.remove(session);
        if (batching != null) {
            batching.forget(session.slot());
        }
    }

    /** Frees the memory outside the heap. */
    public void release() {
        large.release();
        blocks.release();
    }

    private Session at(int slot) {
        return java.util.Objects.requireNonNull(sessions.at(slot), "a subscriber has a session");
    }
}
