package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** One WebSocket. Owner: its loop. */
public final class WebSocketClientConnection extends SocketConnection {
    /** Maximum length of a frame, far above any MaxMessageSize in use. */
    private static final int FRAME_BYTES_MAX = 64 << 20;

    private static final int FINAL = 0x80;
    private static final int CONTROL_BYTES_MAX = 125;

    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int NORMAL_CLOSE = 1000;

    /** The code reported for a Close frame without a code. */
    private static final int NO_CODE = 1005;

    private final Upgrade upgrade;
    private boolean deflated;
    /** The message whose last fragment has not arrived. */
    private @Nullable FragmentedMessage fragments;

    WebSocketClientConnection(ClientLoop loop, Upgrade upgrade, ConnectionListener listener, Channel channel) {
        super(loop, listener, channel);
        this.upgrade = upgrade;
    }

    @Override
    public void append(ByteBuf frames, ByteBuf payload, boolean binary) {
        int opcode = binary ? ClientFrameWriter.BINARY : ClientFrameWriter.TEXT;
        ByteBuf smaller = deflated ? loop.deflation().deflate(payload) : null;
        if (smaller == null) {
            ClientFrameWriter.write(frames, opcode, payload, loop.nextMask());
        } else {
            ClientFrameWriter.write(frames, opcode | Deflation.RSV1, smaller, loop.nextMask());
        }
    }

    /** Sends a ping; the server's pong appears as a read without a message. */
    public void ping() {
        ByteBuf frame = buffer();
        ClientFrameWriter.write(frame, ClientFrameWriter.PING, Unpooled.EMPTY_BUFFER, loop.nextMask());
        flush(frame);
    }

    @Override
    void sendClose() {
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

    /** Takes only the missing bytes of the frame from {@code in}, so that the following frames are read in place. */
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

    /**
     * Returns the known length of the frame: its whole length once the length field has arrived, else the bytes up to
     * and including that field.
     */
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
        // Advances first, because the listener may end the connection, which releases a carried buffer.
        in.readerIndex(offset + length);
        int opcode = first & 0x0f;
        if (opcode == ClientFrameWriter.CONTINUATION || (first & FINAL) == 0) {
            readFragment(in, offset, length, first, readNanos);
            return;
        }
        if ((first & Deflation.RSV1) != 0) {
            readDeflated(in, offset, length, opcode == ClientFrameWriter.BINARY, readNanos);
            return;
        }
        switch (opcode) {
            case ClientFrameWriter.TEXT, ClientFrameWriter.BINARY ->
                listener.onMessage(this, in, offset, length, opcode == ClientFrameWriter.BINARY, readNanos);
            case ClientFrameWriter.PING -> pong(in, offset, length);
            case ClientFrameWriter.CLOSE -> closedByServer(in, offset, length);
            default -> {
                // An unsolicited pong is allowed and has no meaning.
            }
        }
    }

    private void readFragment(ByteBuf in, int offset, int length, int first, long readNanos) {
        FragmentedMessage message = fragments;
        if (message == null) {
            boolean binary = (first & 0x0f) == ClientFrameWriter.BINARY;
            fragments = message = new FragmentedMessage(binary, (first & Deflation.RSV1) != 0);
        }
        if (!message.add(in, offset, length, FRAME_BYTES_MAX)) {
            end(new Ending(
                    Ending.Cause.BAD_FRAME,
                    "the server sent a fragmented message of more than " + FRAME_BYTES_MAX + " bytes"));
            return;
        }
        if ((first & FINAL) != 0) {
            fragments = null;
            ByteBuf bytes = message.bytes();
            if (message.isDeflated()) {
                readDeflated(bytes, 0, bytes.readableBytes(), message.isBinary(), readNanos);
            } else {
                listener.onMessage(this, bytes, 0, bytes.readableBytes(), message.isBinary(), readNanos);
            }
        }
    }

    private void readDeflated(ByteBuf in, int offset, int length, boolean binary, long readNanos) {
        ByteBuf message = loop.deflation().inflate(in, offset, length, FRAME_BYTES_MAX);
        if (message == null) {
            end(new Ending(
                    Ending.Cause.BAD_FRAME, "the server sent a compressed message that is invalid or too large"));
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

    /** Returns the length, or a value above the maximum for lengths that are too large or have the highest bit set. */
    private static int longLength(ByteBuf in, int start) {
        long length = in.getLong(start + 2);
        return length < 0 || length > FRAME_BYTES_MAX ? FRAME_BYTES_MAX + 1 : (int) length;
    }

    private @Nullable String problem(int first, int second, int length) {
        int opcode = first & 0x0f;
        boolean data = opcode == ClientFrameWriter.TEXT || opcode == ClientFrameWriter.BINARY;
        boolean control = opcode >= ClientFrameWriter.CLOSE && opcode <= ClientFrameWriter.PONG;
        boolean continuation = opcode == ClientFrameWriter.CONTINUATION;
        int reserved = deflated && data ? 0x70 & ~Deflation.RSV1 : 0x70;
        boolean inOrder = (data && fragments == null) || (continuation && fragments != null);
        boolean wholeControl = control && (first & FINAL) != 0 && length <= CONTROL_BYTES_MAX;
        if ((first & reserved) != 0 || (second & 0x80) != 0 || !(inOrder || wholeControl)) {
            return "the server sent a frame that violates RFC 6455; its first bytes are " + hex(first) + " "
                    + hex(second);
        }
        return length > FRAME_BYTES_MAX ? "the server sent a frame of " + length + " bytes" : null;
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value & 0xff);
    }

    private void pong(ByteBuf in, int offset, int length) {
        ByteBuf frame = buffer();
        ClientFrameWriter.write(frame, ClientFrameWriter.PONG, in, offset, length, loop.nextMask());
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
        ClientFrameWriter.write(frame, ClientFrameWriter.CLOSE, payload, loop.nextMask());
        flush(frame);
    }
}
