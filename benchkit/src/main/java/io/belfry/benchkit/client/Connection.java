package io.belfry.benchkit.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One client's WebSocket: the only handler of its channel, from the handshake on. Frames are taken where they lie in
 * the loop's read buffer; only one that a read cut in two is copied. Owner: its loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Failed writes arrive in exceptionCaught, through the void promise.
public final class Connection extends ChannelInboundHandlerAdapter {
    /** Far above any MaxMessageSize in use; a longer frame is a fault of the stream. */
    private static final int FRAME_BYTES_MAX = 64 << 20;

    private static final int NORMAL_CLOSE = 1000;

    private enum State {
        CONNECTING,
        UPGRADING,
        OPEN,
        ENDED
    }

    private final ClientLoop loop;
    private final Upgrade upgrade;
    private final ConnectionListener listener;
    private final Channel channel;
    private State state = State.CONNECTING;

    /** The beginning of a frame, or of the handshake's answer, that the last read ended in. */
    private @Nullable ByteBuf carried;

    Connection(ClientLoop loop, Upgrade upgrade, ConnectionListener listener, Channel channel) {
        this.loop = loop;
        this.upgrade = upgrade;
        this.listener = listener;
        this.channel = channel;
    }

    /** Sends a message of its own; {@code payload} stays the caller's, its bytes are spent. */
    public void send(ByteBuf payload, boolean binary) {
        ByteBuf frame = buffer();
        append(frame, payload, binary);
        flush(frame);
    }

    /** A buffer for {@link #append}; give it to {@link #flush}, which releases it. */
    public ByteBuf buffer() {
        return channel.alloc().directBuffer();
    }

    /** Adds a message to what one flush sends; {@code payload} stays the caller's, its bytes are spent. */
    public void append(ByteBuf frames, ByteBuf payload, boolean binary) {
        Frames.write(frames, binary ? Frames.BINARY : Frames.TEXT, payload, loop.nextMask());
    }

    /** Sends whole frames in one write and releases the buffer. */
    public void flush(ByteBuf frames) {
        channel.writeAndFlush(frames, channel.voidPromise());
    }

    public boolean isOpen() {
        return state == State.OPEN;
    }

    /** Whether the socket takes more before its buffer holds more than is good. */
    public boolean isWritable() {
        return channel.isWritable();
    }

    public ClientLoop loop() {
        return loop;
    }

    /** Ends the connection in order; the listener is told once more. */
    public void finish() {
        assert loop.inLoop();
        if (state == State.OPEN) {
            close(NORMAL_CLOSE);
        }
        end(new Ending(Ending.Cause.FINISHED, "finished"));
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        state = State.UPGRADING;
        ByteBuf request = buffer();
        upgrade.write(request);
        flush(request);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            int bytes = in.readableBytes();
            read(in, loop.clock().nanos());
            if (state == State.OPEN) {
                listener.onReadEnd(this, bytes);
            }
        } finally {
            in.release();
        }
    }

    private void read(ByteBuf in, long readNanos) {
        if (state == State.UPGRADING) {
            readAnswer(in);
        }
        if (carried != null && state == State.OPEN) {
            completeCarried(carried, in, readNanos);
        }
        readFrames(in, readNanos);
        if (in.isReadable() && state != State.ENDED) {
            carry(in);
        }
    }

    private void readAnswer(ByteBuf in) {
        ByteBuf answer = in;
        if (carried != null) {
            carried.writeBytes(in);
            answer = carried;
        }
        int headEnd = Upgrade.headEnd(answer);
        if (headEnd < 0) {
            return;
        }
        String problem = upgrade.problem(answer, headEnd);
        answer.readerIndex(headEnd);
        if (problem != null) {
            end(new Ending(Ending.Cause.REFUSED, problem));
            return;
        }
        state = State.OPEN;
        listener.onOpen(this);
        dropCarriedIfRead();
    }

    private void readFrames(ByteBuf in, long readNanos) {
        while (state == State.OPEN && in.readableBytes() >= knownBytes(in)) {
            readFrame(in, readNanos);
        }
    }

    /** Takes no more from {@code in} than the frame needs, so that what follows is read where it lies. */
    private void completeCarried(ByteBuf partial, ByteBuf in, long readNanos) {
        readFrames(partial, readNanos);
        while (state == State.OPEN && in.isReadable()) {
            long missing = knownBytes(partial) - partial.readableBytes();
            if (missing <= 0) {
                break;
            }
            partial.writeBytes(in, (int) Math.min(missing, in.readableBytes()));
        }
        readFrames(partial, readNanos);
        dropCarriedIfRead();
    }

    private void dropCarriedIfRead() {
        if (carried != null && !carried.isReadable()) {
            carried.release();
            carried = null;
        }
    }

    private void carry(ByteBuf in) {
        if (carried == null) {
            long room = state == State.OPEN ? Math.min(knownBytes(in), FRAME_BYTES_MAX) : in.readableBytes();
            carried = channel.alloc().directBuffer((int) Math.max(room, in.readableBytes()));
        }
        carried.writeBytes(in);
    }

    /** How many bytes the frame is known to have: all of them once its length has come, else those up to the length. */
    private static long knownBytes(ByteBuf in) {
        int available = in.readableBytes();
        if (available < 2) {
            return 2;
        }
        int at = in.readerIndex();
        int shortLength = in.getByte(at + 1) & 0x7f;
        return switch (shortLength) {
            case 126 -> available < 4 ? 4 : 4 + in.getUnsignedShort(at + 2);
            case 127 -> available < 10 ? 10 : 10L + longLength(in, at);
            default -> 2 + shortLength;
        };
    }

    private void readFrame(ByteBuf in, long readNanos) {
        int start = in.readerIndex();
        int first = in.getByte(start);
        int second = in.getByte(start + 1);
        int length = length(in, start, second & 0x7f);
        int offset = start + headerBytes(second & 0x7f);
        String problem = problem(first, second, length);
        if (problem != null) {
            end(new Ending(Ending.Cause.BAD_FRAME, problem));
            return;
        }
        // Before the listener, which may end the connection and with it a carried buffer.
        in.readerIndex(offset + length);
        int opcode = first & 0x0f;
        switch (opcode) {
            case Frames.TEXT, Frames.BINARY ->
                listener.onMessage(this, in, offset, length, opcode == Frames.BINARY, readNanos);
            case Frames.PING -> pong(in, offset, length);
            case Frames.CLOSE -> closedByServer(in, offset, length);
            default -> {
                // A pong nobody asked for is allowed and means nothing.
            }
        }
    }

    private static int headerBytes(int shortLength) {
        return shortLength < 126 ? 2 : shortLength == 126 ? 4 : 10;
    }

    private static int length(ByteBuf in, int start, int shortLength) {
        return switch (shortLength) {
            case 126 -> in.getUnsignedShort(start + 2);
            case 127 -> longLength(in, start);
            default -> shortLength;
        };
    }

    /** Lengths with the highest bit set are not allowed; they too come out as more than is taken. */
    private static int longLength(ByteBuf in, int start) {
        long length = in.getLong(start + 2);
        return length < 0 || length > FRAME_BYTES_MAX ? FRAME_BYTES_MAX + 1 : (int) length;
    }

    private static @Nullable String problem(int first, int second, int length) {
        int opcode = first & 0x0f;
        boolean known = opcode <= Frames.BINARY || (opcode >= Frames.CLOSE && opcode <= Frames.PONG);
        if ((first & 0x70) != 0 || (second & 0x80) != 0 || !known) {
            return "the server sent a frame that breaks RFC 6455, its first bytes " + hex(first) + " " + hex(second);
        }
        if ((first & 0x80) == 0 || opcode == Frames.CONTINUATION) {
            return "the server split a message into fragments, which this client does not take";
        }
        return length > FRAME_BYTES_MAX ? "the server sent a frame of " + length + " bytes" : null;
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value & 0xff);
    }

    private void pong(ByteBuf in, int offset, int length) {
        ByteBuf frame = buffer();
        Frames.write(frame, Frames.PONG, in, offset, length, loop.nextMask());
        flush(frame);
    }

    private void closedByServer(ByteBuf in, int offset, int length) {
        int code = length >= 2 ? in.getUnsignedShort(offset) : 1005;
        String reason = length > 2 ? " " + in.toString(offset + 2, length - 2, StandardCharsets.UTF_8) : "";
        close(length >= 2 ? code : NORMAL_CLOSE);
        end(new Ending(Ending.Cause.CLOSED_BY_SERVER, "the server closed the connection: " + code + reason));
    }

    private void close(int code) {
        ByteBuf payload = Unpooled.buffer(2).writeShort(code);
        ByteBuf frame = buffer();
        Frames.write(frame, Frames.CLOSE, payload, loop.nextMask());
        flush(frame);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        listener.onWritable(this, channel.isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        String when = state == State.UPGRADING
                ? "the server closed the connection without an answer"
                : "the connection was lost";
        end(new Ending(Ending.Cause.LOST, when));
    }

    /** A fault while a message is handled ends this connection with its reason, not the loop. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(new Ending(Ending.Cause.LOST, "the connection broke: " + cause));
    }

    void end(Ending ending) {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        if (carried != null) {
            carried.release();
            carried = null;
        }
        channel.close();
        listener.onEnd(ending);
    }
}
