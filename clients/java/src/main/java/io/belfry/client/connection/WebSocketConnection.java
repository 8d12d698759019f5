package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** One WebSocket, frame by frame. Owner: its loop. */
public final class WebSocketConnection extends SocketConnection {
    /** Far above any MaxMessageSize in use; a longer frame is a fault of the stream. */
    private static final int FRAME_BYTES_MAX = 64 << 20;

    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int NORMAL_CLOSE = 1000;

    /** What a close without a code counts as. */
    private static final int NO_CODE = 1005;

    private final Upgrade upgrade;
    private boolean deflated;

    WebSocketConnection(ClientLoop loop, Upgrade upgrade, ConnectionListener listener, Channel channel) {
        super(loop, listener, channel);
        this.upgrade = upgrade;
    }

    @Override
    public void append(ByteBuf frames, ByteBuf payload, boolean binary) {
        int opcode = binary ? Frames.BINARY : Frames.TEXT;
        ByteBuf smaller = deflated ? loop.deflation().deflate(payload) : null;
        if (smaller == null) {
            Frames.write(frames, opcode, payload, loop.nextMask());
        } else {
            Frames.write(frames, opcode | Deflation.RSV1, smaller, loop.nextMask());
        }
    }

    /** Asks whether the server is there: it answers with a pong, which shows as a read without a message. */
    public void ping() {
        ByteBuf frame = buffer();
        Frames.write(frame, Frames.PING, Unpooled.EMPTY_BUFFER, loop.nextMask());
        flush(frame);
    }

    @Override
    void sayGoodbye() {
        close(NORMAL_CLOSE);
    }

    @Override
    void connected() {
        state = State.ASKING;
        ByteBuf request = buffer();
        upgrade.write(request);
        flush(request);
    }

    @Override
    void read(ByteBuf in, long readNanos) {
        if (state == State.ASKING) {
            readAnswer(in);
        }
        if (carried != null && state == State.OPEN) {
            completeCarried(carried, in, readNanos);
        }
        readFrames(in, readNanos);
        if (in.isReadable() && state == State.OPEN) {
            carry(in, (int) Math.min(knownBytes(in), FRAME_BYTES_MAX));
        }
    }

    private void readAnswer(ByteBuf in) {
        ByteBuf answer = wholeHead(in);
        if (answer == null) {
            return;
        }
        int headEnd = AnswerHead.end(answer);
        AnswerHead head = AnswerHead.of(answer, headEnd);
        if (head.status() != SWITCHING_PROTOCOLS) {
            refused(head, answer, headEnd);
            return;
        }
        String problem = upgrade.problem(head);
        answer.readerIndex(headEnd);
        if (problem != null) {
            end(new Ending(Ending.Cause.REFUSED, problem));
            return;
        }
        deflated = Upgrade.isDeflated(head);
        state = State.OPEN;
        listener.onOpen(this);
        dropCarriedIfRead();
    }

    private void refused(AnswerHead head, ByteBuf answer, int headEnd) {
        if (head.refusalCame(answer, headEnd)) {
            end(head.refusal(answer, headEnd));
        } else if (carried == null) {
            carry(answer, answer.readableBytes());
        }
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
        if ((first & Deflation.RSV1) != 0) {
            readDeflated(in, offset, length, opcode == Frames.BINARY, readNanos);
            return;
        }
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

    private void readDeflated(ByteBuf in, int offset, int length, boolean binary, long readNanos) {
        ByteBuf message = loop.deflation().inflate(in, offset, length, FRAME_BYTES_MAX);
        if (message == null) {
            end(new Ending(Ending.Cause.BAD_FRAME, "the server sent a compressed message that is none, or too large"));
            return;
        }
        try {
            listener.onMessage(this, message, 0, message.readableBytes(), binary, readNanos);
        } finally {
            message.release();
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

    private @Nullable String problem(int first, int second, int length) {
        int opcode = first & 0x0f;
        int reserved = deflated && opcode <= Frames.BINARY ? 0x70 & ~Deflation.RSV1 : 0x70;
        boolean known = opcode <= Frames.BINARY || (opcode >= Frames.CLOSE && opcode <= Frames.PONG);
        if ((first & reserved) != 0 || (second & 0x80) != 0 || !known) {
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
        int number = length >= 2 ? in.getUnsignedShort(offset) : NO_CODE;
        String reason = length > 2 ? in.toString(offset + 2, length - 2, StandardCharsets.UTF_8) : "";
        close(number == NO_CODE ? NORMAL_CLOSE : number);
        String sentence = "the server closed the connection: " + number + (reason.isEmpty() ? "" : " " + reason);
        end(new Ending(Ending.Cause.CLOSED_BY_SERVER, sentence, number, code(reason), 0));
    }

    /** A reason begins with its code: {@code slow-consumer: took nothing for 10 s}. */
    private static String code(String reason) {
        int colon = reason.indexOf(':');
        String code = colon < 0 ? reason : reason.substring(0, colon);
        return code.matches("[a-z0-9-]{1,64}") ? code : "";
    }

    private void close(int code) {
        ByteBuf payload = Unpooled.buffer(2).writeShort(code);
        ByteBuf frame = buffer();
        Frames.write(frame, Frames.CLOSE, payload, loop.nextMask());
        flush(frame);
    }
}
