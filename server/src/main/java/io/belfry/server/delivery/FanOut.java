package io.belfry.server.delivery;

import io.belfry.protocol.FrameDeflater;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.WireFormat;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.subject.SubscriberList;
import io.belfry.server.turn.Clock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Delivers one message to all sessions of a lane that subscribe to its subject. The message is encoded once per wire format,
 * recorded per session as a range of the encoded bytes, and written at the end of the turn, so that a session gets all
 * messages of a turn in one write. Owner: the lane's loop.
 *
 * <p>Adjacent ranges are merged at no cost; the bytes of a session whose ranges are not adjacent are
 * copied together. Per delivery there is no allocation, no clock read and no lock. LaneBenchmark measures it.
 */
public final class FanOut {
    /** Handles sessions that are not writable or not at the head; implemented by the edge. */
    public interface Special {
        /** Returns whether the message may be delivered in the ordinary way after all. */
        boolean admit(Session session, int subject, MessageView message);

        /** Called when the session's socket took fewer bytes than it was given. */
        void onStalled(Session session);

        /** Called when a write to the session failed unexpectedly. */
        void onFailed(Session session, RuntimeException failure);
    }

    /** A turn that encodes more bytes is flushed in the middle. */
    private static final int BLOCK_BYTES_MAX = 1 << 20;

    private static final int BLOCK_BYTES_INITIAL = 1 << 14;

    /** Sessions written between two clock reads, which bounds the latency error within a large fan-out. */
    private static final int CLOCK_EVERY = 64;

    private static final class Block {
        final WireFormat format;
        final ByteBuf bytes = Unpooled.directBuffer(BLOCK_BYTES_INITIAL);

        /** The latest message in the block, and where its bytes begin. */
        long serial;

        int start;

        Block(WireFormat format) {
            this.format = format;
        }
    }

    private final SessionTable sessions;
    private final SubscriberList subscribers;
    private final LoopCounters counters;
    private final Clock clock;
    private final Special special;
    private final Runnable onDirty;
    private final @Nullable Batching batching;
    private final @Nullable FrameDeflater deflater;

    /** The blocks by the ids of their formats; only formats of sessions of this lane have one. */
    private final Block[] blocks = new Block[WireFormat.IDS];

    /** The same blocks without holes. */
    private Block[] opened = {};

    private int[] dirty = new int[256];
    private int dirtyCount;
    private long serial;
    private long oldestReceivedNanos = Long.MAX_VALUE;

    public FanOut(
            SessionTable sessions,
            SubscriberList subscribers,
            LoopCounters counters,
            Clock clock,
            Special special,
            Runnable onDirty,
            @Nullable Batching batching,
            @Nullable FrameDeflater deflater) {
        this.sessions = sessions;
        this.subscribers = subscribers;
        this.counters = counters;
        this.clock = clock;
        this.special = special;
        this.onDirty = onDirty;
        this.batching = batching;
        this.deflater = deflater;
    }

    /** Makes room for a format; the first session of a format calls it before it gets anything. */
    public void open(WireFormat format) {
        Block present = blocks[format.id()];
        if (present == null) {
            Block added = new Block(format);
            blocks[format.id()] = added;
            opened = Arrays.copyOf(opened, opened.length + 1);
            opened[opened.length - 1] = added;
        } else if (!present.format.equals(format)) {
            throw new IllegalArgumentException(
                    "wire formats " + present.format.text() + " and " + format.text() + " have the same id");
        }
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
                deliverTo(at(slot), subject, message);
            }
            return;
        }
        // Backwards: a session that is closed as slow leaves the list, and an already visited one takes its place.
        int[] slots = subscribers.several(subject);
        for (int i = subscribers.count(subject) - 1; i >= 0; i--) {
            deliverTo(at(slots[i]), subject, message);
        }
    }

    /** Delivers the message to one session: extends the range of the block that the session gets at the end of the turn. */
    public void deliverTo(Session session, int subject, MessageView message) {
        if (session.isOrdinary() || special.admit(session, subject, message)) {
            Block block = blocks[session.format()];
            if (block.serial != serial) {
                encode(block, message);
            }
            int end = session.pendingEnd();
            if (end == 0) {
                session.pending(block.start, block.bytes.writerIndex(), 1);
                markDirty(session);
            } else if (end == block.start) {
                session.extendPending(block.bytes.writerIndex());
            } else {
                gather(session);
                session.pending(0, Math.min(end, Session.STAGED), session.pendingCount() + 1);
                session.outbound().stage(block.bytes, block.start, block.bytes.writerIndex() - block.start);
                endWait(session, end);
            }
        }
    }

    private void encode(Block block, MessageView message) {
        block.serial = serial;
        block.start = block.bytes.writerIndex();
        block.format.message(block.bytes, message);
        if (deflater != null && block.format.isDeflated()) {
            int saved = deflater.deflate(block.bytes, block.start);
            if (saved > 0) {
                counters.increment(Counter.MESSAGES_COMPRESSED);
                counters.add(Counter.COMPRESSION_SAVED_BYTES, saved);
            }
        }
    }

    /**
     * Appends a session's own bytes to what it gets in this turn; {@code messages} is the number of messages in them. Answers are
     * never held back, nor are messages that a session of a shared format reads from the history.
     */
    public void stage(Session session, ByteBuf bytes, int messages) {
        int end = session.pendingEnd();
        if (end == 0) {
            markDirty(session);
        } else {
            gather(session);
        }
        boolean toGo = messages == 0 || session.isShared() || end == Session.STAGED_TO_GO;
        int count = (end == 0 ? 0 : session.pendingCount()) + messages;
        session.pending(0, toGo ? Session.STAGED_TO_GO : Session.STAGED, count);
        session.outbound().stage(bytes, bytes.readerIndex(), bytes.readableBytes());
        endWait(session, end);
    }

    /** Copies the session's pending range of the block into its own staged bytes. */
    private void gather(Session session) {
        int end = session.pendingEnd();
        if (end > 0) {
            int start = session.pendingStart();
            session.outbound().stage(blocks[session.format()].bytes, start, end - start);
        }
    }

    private void markDirty(Session session) {
        if (dirtyCount == dirty.length) {
            dirty = Arrays.copyOf(dirty, dirtyCount * 2);
        }
        if (dirtyCount == 0) {
            onDirty.run();
        }
        dirty[dirtyCount++] = session.slot();
    }

    /** Returns whether the turn has encoded enough bytes to flush before more are encoded. */
    public boolean isFull() {
        return fullest() > BLOCK_BYTES_MAX;
    }

    /** Writes what every session got since the last flush, in one write each; held messages are written at their deadline. */
    public void flush() {
        long nowNanos = batching == null ? 0 : clock.nanos();
        do {
            flushDirty(nowNanos);
            if (batching != null) {
                flushDue(batching, nowNanos);
            }
        } while (dirtyCount > 0);
        oldestReceivedNanos = Long.MAX_VALUE;
        if (batching == null || batching.isEmpty() || batching.isBlockFull(fullest())) {
            for (Block block : opened) {
                block.bytes.clear();
            }
        }
    }

    private void flushDirty(long nowNanos) {
        int next = 0;
        while (next < dirtyCount) {
            int messages = 0;
            for (int until = Math.min(next + CLOCK_EVERY, dirtyCount); next < until; next++) {
                Session session = sessions.at(dirty[next]);
                if (session != null) {
                    messages += writeContained(session, nowNanos);
                }
            }
            count(messages, oldestReceivedNanos);
        }
        dirtyCount = 0;
    }

    /** Writes to a session; a failure ends that session and not the flush. Returns the number of messages of this turn written. */
    private int writeContained(Session session, long nowNanos) {
        try {
            return batching == null ? write(session) : writeOrHold(session, batching, nowNanos);
        } catch (RuntimeException failure) {
            special.onFailed(session, failure);
            return 0;
        }
    }

    private int write(Session session) {
        int start = session.pendingStart();
        int end = session.pendingEnd();
        if (end == 0) {
            return 0;
        }
        int messages = session.pendingCount();
        session.pending(0, 0, 0);
        boolean taken = end < 0
                ? session.outbound().flushStaged()
                : session.outbound().write(blocks[session.format()].bytes, start, end - start);
        if (!taken && session.isReady()) {
            special.onStalled(session);
        }
        return messages;
    }

    private void count(int messages, long receivedNanos) {
        if (messages > 0) {
            counters.add(Counter.MESSAGES_OUT, messages);
            if (receivedNanos != Long.MAX_VALUE) {
                counters.deliveryLatency().record((clock.nanos() - receivedNanos) / 1000, messages);
            }
        }
    }

    // ---- held messages ----

    /** Holds the pending bytes beyond the turn, as a range of a block that is kept meanwhile or staged; or writes them. */
    private int writeOrHold(Session session, Batching batching, long nowNanos) {
        int end = session.pendingEnd();
        if (end == 0) {
            return 0;
        }
        int slot = session.slot();
        boolean mayWait = end != Session.STAGED_TO_GO
                && session.pendingCount() > 0
                && session.isReady()
                && !session.isCatchingUp();
        if (mayWait
                && !batching.isWaiting(slot)
                && batching.isBusy(slot, nowNanos)
                && !batching.isFull(pendingBytes(session))) {
            batching.hold(slot, oldestReceivedNanos, nowNanos);
            return 0;
        }
        return send(session, batching, nowNanos);
    }

    private static int pendingBytes(Session session) {
        int end = session.pendingEnd();
        return end < 0 ? session.outbound().queuedBytes() : end - session.pendingStart();
    }

    private int send(Session session, Batching batching, long nowNanos) {
        int slot = session.slot();
        boolean waited = batching.isWaiting(slot);
        long receivedNanos = waited ? batching.receivedNanos(slot) : 0;
        if (waited || session.pendingCount() > 0) {
            batching.onSent(slot, nowNanos);
        }
        int messages = write(session);
        if (!waited) {
            return messages;
        }
        count(messages, receivedNanos);
        return 0;
    }

    /** Ends a wait that bytes staged in this turn require to end, although this turn does not visit the session. */
    private void endWait(Session session, int endBefore) {
        if (batching == null
                || endBefore == 0
                || endBefore == Session.STAGED_TO_GO
                || !batching.isWaiting(session.slot())) {
            return;
        }
        if (session.pendingEnd() == Session.STAGED_TO_GO
                || batching.isFull(session.outbound().queuedBytes())) {
            session.pending(0, Session.STAGED_TO_GO, session.pendingCount());
            markDirty(session);
        }
    }

    private void flushDue(Batching batching, long nowNanos) {
        for (int slot = batching.due(nowNanos); slot != Batching.NONE; slot = batching.due(nowNanos)) {
            sendContained(at(slot), batching, nowNanos);
        }
        if (batching.isBlockFull(fullest())) {
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
        int next;
        for (int slot = batching.first(); slot != Batching.NONE; slot = next) {
            next = batching.after(slot);
            Session session = at(slot);
            if (batching.isFull(pendingBytes(session))) {
                sendContained(session, batching, nowNanos);
            } else {
                gatherContained(session);
            }
        }
    }

    private void gatherContained(Session session) {
        try {
            gatherWaiting(session);
        } catch (RuntimeException failure) {
            special.onFailed(session, failure);
        }
    }

    /** Stages what the session was given in this turn, or is held for it, before its last bytes. */
    public void stagePending(Session session) {
        gather(session);
        counters.add(Counter.MESSAGES_OUT, session.pendingCount());
        session.pending(0, 0, 0);
    }

    /** Stages held bytes, so that they precede the bytes staged next. */
    private void gatherWaiting(Session session) {
        if (batching != null && batching.isWaiting(session.slot()) && session.pendingEnd() > 0) {
            gather(session);
            session.pending(0, Session.STAGED, session.pendingCount());
        }
    }

    private int fullest() {
        int bytes = 0;
        for (Block block : opened) {
            bytes = Math.max(bytes, block.bytes.writerIndex());
        }
        return bytes;
    }

    /** Discards the pending bytes of a session that ends. */
    public void forget(Session session) {
        session.pending(0, 0, 0);
        if (batching != null) {
            batching.forget(session.slot());
        }
    }

    /** Frees the memory outside the heap. */
    public void release() {
        for (Block block : opened) {
            block.bytes.release();
        }
    }

    private Session at(int slot) {
        return java.util.Objects.requireNonNull(sessions.at(slot), "a subscriber has a session");
    }
}
