package io.belfry.server.workgroup;

import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.Code;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.session.UnsharedOutbound;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.IntUnaryOperator;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * A socket that takes a number of bytes and then stalls, and the client that reads from it. Room freed in the kernel is
 * noticed at the next write, which then reports readiness during the write, as a real socket does. Owner: the test's
 * thread.
 */
final class RecordingOutbound implements UnsharedOutbound {
    private static final int TEXT = 0x81;
    private static final int BINARY = 0x82;
    private static final int COMPRESSED = 0x40;
    private static final int PING = 0x89;
    private static final byte[] FLUSH = {0, 0, (byte) 0xff, (byte) 0xff};
    private static final int INFLATED_MAX = 1 << 20;

    final EventRecorder events = new EventRecorder();
    private final Lane lane;
    private final boolean loopback;
    private final ByteBuf staged = Unpooled.buffer();
    private final ByteBuf queued = Unpooled.buffer();
    private final ByteBuf received = Unpooled.buffer();
    private final ServerEventDecoder json = new JsonServerEvents();
    private final ServerEventDecoder binary = new BinaryServerEvents();
    private long room = Long.MAX_VALUE;
    private @Nullable Session session;
    private @Nullable Replies replies;
    private int pauses;

    int writes;
    int pings;
    int compressed;
    boolean answersPings = true;

    /** Computes the milliseconds since the last acknowledgement from those since the last sign of activity. */
    IntUnaryOperator acknowledged = silentMillis -> silentMillis;

    int checks;
    boolean breaks;
    boolean breaksStaging;

    @Nullable
    Code closed;

    RecordingOutbound(Lane lane, boolean loopback) {
        this.lane = lane;
        this.loopback = loopback;
    }

    void session(Session opened, @Nullable Replies own) {
        session = opened;
        replies = own;
    }

    boolean isPaused() {
        return pauses > 0;
    }

    /** Lets the socket take this many more bytes and then stalls it. */
    void stallAfter(long bytes) {
        room = bytes;
    }

    /** Returns the number of bytes that the socket still takes. */
    long room() {
        return room;
    }

    /** Frees room because the client has read this many bytes; the loop has not noticed it yet. */
    void free(long bytes) {
        room = room + bytes < 0 ? Long.MAX_VALUE : room + bytes;
    }

    /** Called on the loop when the socket takes bytes again. */
    void onWritable() {
        if (queued.isReadable()) {
            drain();
        }
    }

    @Override
    public boolean write(ByteBuf bytes, int offset, int length) {
        if (breaks) {
            throw new IllegalStateException("this outbound is broken");
        }
        if (closed != null) {
            return true;
        }
        writes++;
        boolean waiting = queued.isReadable();
        queued.writeBytes(bytes, offset, length);
        take();
        if (waiting && !queued.isReadable() && session != null) {
            lane.onReady(session);
        }
        return !queued.isReadable();
    }

    @Override
    public void stage(ByteBuf bytes, int offset, int length) {
        if (breaksStaging) {
            throw new IllegalStateException("this outbound is broken");
        }
        if (closed == null) {
            staged.writeBytes(bytes, offset, length);
        }
    }

    @Override
    public boolean flushStaged() {
        if (!staged.isReadable()) {
            return !queued.isReadable();
        }
        int length = staged.readableBytes();
        ByteBuf bytes = staged.copy();
        staged.clear();
        boolean taken = write(bytes, 0, length);
        bytes.release();
        return taken;
    }

    private void drain() {
        take();
        if (!queued.isReadable() && session != null) {
            lane.onReady(session);
        }
    }

    private void take() {
        int length = (int) Math.min(room, queued.readableBytes());
        room -= room == Long.MAX_VALUE ? 0 : length;
        received.writeBytes(queued, length);
        queued.discardReadBytes();
        decode();
    }

    private void decode() {
        while (received.readableBytes() >= 2) {
            int at = received.readerIndex();
            int length = received.getUnsignedByte(at + 1);
            int header = length < 126 ? 2 : length == 126 ? 4 : 10;
            if (received.readableBytes() < header) {
                break;
            }
            length = header == 2
                    ? length
                    : header == 4 ? received.getUnsignedShort(at + 2) : (int) received.getLong(at + 2);
            if (received.readableBytes() < header + length) {
                break;
            }
            onFrame(received.getUnsignedByte(at), at + header, length);
            received.skipBytes(header + length);
        }
        received.discardReadBytes();
    }

    private void onFrame(int kind, int offset, int length) {
        switch (kind) {
            case TEXT -> json.decode(received, offset, length, events);
            case BINARY -> binary.decode(received, offset, length, events);
            case TEXT | COMPRESSED, BINARY | COMPRESSED -> onCompressed(kind & ~COMPRESSED, offset, length);
            case PING -> pings++;
            default -> throw new AssertionError("frame " + kind);
        }
    }

    private void onCompressed(int kind, int offset, int length) {
        compressed++;
        byte[] payload = new byte[length + FLUSH.length];
        received.getBytes(offset, payload, 0, length);
        System.arraycopy(FLUSH, 0, payload, length, FLUSH.length);
        Inflater inflater = new Inflater(true);
        inflater.setInput(payload);
        byte[] room = new byte[INFLATED_MAX];
        try {
            int bytes = inflater.inflate(room);
            ServerEventDecoder decoder = kind == TEXT ? json : binary;
            decoder.decode(Unpooled.wrappedBuffer(room), 0, bytes, events);
        } catch (DataFormatException broken) {
            throw new AssertionError(broken);
        } finally {
            inflater.end();
        }
    }

    @Override
    public int queuedBytes() {
        return queued.readableBytes() + staged.readableBytes();
    }

    @Override
    public void pauseReading() {
        pauses++;
    }

    @Override
    public void resumeReading() {
        if (--pauses < 0) {
            throw new AssertionError("resumed more often than paused");
        }
    }

    @Override
    public void holdCommands() {
        pauseReading();
    }

    @Override
    public void releaseCommands() {
        resumeReading();
    }

    @Override
    public boolean ping() {
        if (session != null) {
            ByteBuf ping = Unpooled.buffer().writeByte(PING).writeByte(0);
            lane.stage(session, ping, 0);
        }
        return answersPings;
    }

    @Override
    public int acknowledgedMillis(int silentMillis, int limitMillis) {
        checks++;
        return acknowledged.applyAsInt(silentMillis);
    }

    @Override
    public Replies replies() {
        return java.util.Objects.requireNonNull(replies, "a shared session");
    }

    @Override
    public boolean isLoopback() {
        return loopback;
    }

    @Override
    public void close(Code code, String reason) {
        if (closed == null) {
            flushStaged();
            closed = code;
            lane.onGone(java.util.Objects.requireNonNull(session), code);
        }
    }
}
