package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the frames of one client (RFC 6455, section 5) strictly. A frame that breaks a rule ends the connection as
 * soon as the invalid byte is received; this includes invalid UTF-8 inside an incomplete frame.
 *
 * <p>The phase of a connection extends this class, so that both are one object, and implements the events. Their buffers belong
 * to the decoder or to the reader: an event does not release them, does not change their indices, and uses the bytes only
 * until it returns. {@link #onClose} or {@link #onFailure} is called at most once and is the last event.
 *
 * <p>A frame that is complete in the incoming buffer is unmasked in place and passed on without a copy. Partial
 * headers, payloads and fragmented messages are stored in a {@link PartialMessage}. Between messages there is none,
 * so an idle connection costs only three fields.
 *
 * <p>Owner: the connection's loop, which calls {@link #release} when the connection is closed.
 */
public abstract class WebSocketFrameDecoder {
    private static final int RESERVED_BITS = 0x70;
    private static final int OPCODE_BITS = WebSocketFrames.OPCODE_BITS;
    private static final int CONTROL_BIT = 0x08;
    private static final int MASK_BIT = 0x80;
    private static final int LENGTH_BITS = 0x7f;
    private static final int LENGTH_16 = 126;
    private static final int LENGTH_64 = 127;

    private final WebSocketLimits limits;
    private @Nullable PartialMessage partial;
    private boolean finished;

    protected WebSocketFrameDecoder(WebSocketLimits limits) {
        this.limits = limits;
    }

    /**
     * Decodes the buffer until it is empty or {@link #isHeld}. The buffer must be writable, because payloads are unmasked in
     * place. All bytes that follow the client's close or a broken rule are discarded.
     */
    public void onBytes(ByteBuf in) {
        while (!finished && in.isReadable() && !isHeld()) {
            PartialMessage begun = partial;
            if (begun != null && begun.isInPayload()) {
                payload(begun, in);
            } else {
                frame(begun, in);
            }
        }
        if (finished) {
            in.skipBytes(in.readableBytes());
        }
    }

    // ---- events ----

    /** Returns whether no more frames may be decoded for now. */
    protected boolean isHeld() {
        return false;
    }

    /** Called before a message that was compressed, with its size after inflating. */
    protected void onInflated(int bytes) {
        // Only connections with a rate limit for inflated bytes override this method.
    }

    /** Called for each complete message; text is valid UTF-8. */
    protected abstract void onMessage(ByteBuf buf, int offset, int length, boolean text);

    /** Called for each ping; the payload has at most 125 bytes and must be returned in a pong. */
    protected abstract void onPing(ByteBuf buf, int offset, int length);

    /** Called for each pong. */
    protected abstract void onPong(ByteBuf buf, int offset, int length);

    /**
     * Called when the client sent a close frame; the code is {@link WebSocketFrames#CLOSE_WITHOUT_CODE} if it had
     * none.
     */
    protected abstract void onClose(int code, String reason);

    /**
     * Called when the client broke a rule or a bound; the connection must be closed with the close code of {@code
     * code}.
     */
    protected abstract void onFailure(Code code, String reason);

    // ---- state ----

    /** Returns whether the client has closed or broken a rule, or the decoder is released. */
    public final boolean isFinished() {
        return finished;
    }

    /** Returns the memory used by an incomplete message, in bytes. */
    public final int heldBytes() {
        PartialMessage begun = partial;
        return begun == null ? 0 : begun.heldBytes();
    }

    /** Releases partial data and stops decoding. May be called at any time, also by an event. */
    public final void release() {
        finished = true;
        PartialMessage begun = partial;
        partial = null;
        if (begun != null) {
            begun.release();
        }
    }

    /** Decodes a header and, if the frame is complete, its payload. */
    private void frame(@Nullable PartialMessage begun, ByteBuf in) {
        ByteBuf split = begun != null && begun.hasHeaderBytes() ? begun.moreHeader(in) : null;
        ByteBuf header = split == null ? in : split;
        String fault = faultOfFirstBytes(header, begun != null && begun.isBegun());
        if (fault != null) {
            fail(Code.PROTOCOL_ERROR, fault);
            return;
        }
        if (header.readableBytes() < headerBytes(header)) {
            if (split == null) {
                partial().moreHeader(in);
            }
            return;
        }
        int first = header.readUnsignedByte();
        int length7 = header.readByte() & LENGTH_BITS;
        long length =
                length7 == LENGTH_16 ? header.readUnsignedShort() : length7 == LENGTH_64 ? header.readLong() : length7;
        int mask = header.readInt();
        if (split != null) {
            split.clear();
        }
        if (length7 >= LENGTH_16 && (length < LENGTH_16 || (length7 == LENGTH_64 && length <= 0xffff))) {
            fail(Code.PROTOCOL_ERROR, "a frame length is not minimal, or has its highest bit set");
        } else if ((first & CONTROL_BIT) != 0) {
            control(in, first & OPCODE_BITS, (int) length, mask);
        } else {
            data(in, first, length, mask);
        }
    }

    /** Returns the header's length; returns 2 if the length cannot be determined from the bytes received so far. */
    static int headerBytes(ByteBuf header) {
        if (header.readableBytes() < 2) {
            return 2;
        }
        return switch (header.getByte(header.readerIndex() + 1) & LENGTH_BITS) {
            case LENGTH_16 -> 8;
            case LENGTH_64 -> 14;
            default -> 6;
        };
    }

    private @Nullable String faultOfFirstBytes(ByteBuf header, boolean inMessage) {
        int first = header.getByte(header.readerIndex());
        int reserved = first & RESERVED_BITS;
        if (reserved != 0 && !(reserved == WebSocketFrames.RSV1 && mayBeCompressed(first & OPCODE_BITS))) {
            return "a frame has a reserved bit set";
        }
        boolean last = (first & WebSocketFrames.FIN) != 0;
        int opcode = first & OPCODE_BITS;
        String fault = switch (opcode) {
            case WebSocketFrames.CONTINUATION -> inMessage ? null : "a continuation frame without a begun message";
            case WebSocketFrames.TEXT, WebSocketFrames.BINARY ->
                inMessage ? "a new message began inside a fragmented one" : null;
            case WebSocketFrames.CLOSE, WebSocketFrames.PING, WebSocketFrames.PONG ->
                last ? null : "a control frame is fragmented";
            default -> "a frame has a reserved opcode";
        };
        if (fault != null || header.readableBytes() < 2) {
            return fault;
        }
        int second = header.getByte(header.readerIndex() + 1);
        if ((second & MASK_BIT) == 0) {
            return "a client frame is not masked";
        }
        boolean tooLong = (second & LENGTH_BITS) > WebSocketFrames.CONTROL_BYTES_MAX;
        return tooLong && (opcode & CONTROL_BIT) != 0 ? "a control frame exceeds 125 bytes" : null;
    }

    /** Returns whether compression was negotiated and the frame is the first of a message (RFC 7692, section 6.1). */
    private boolean mayBeCompressed(int opcode) {
        return limits.inflater() != null && (opcode == WebSocketFrames.TEXT || opcode == WebSocketFrames.BINARY);
    }

    private void control(ByteBuf in, int opcode, int length, int mask) {
        if (in.readableBytes() < length) {
            PartialMessage begun = partial();
            begun.beginControl(opcode, length, mask);
            payload(begun, in);
            return;
        }
        int offset = in.readerIndex();
        in.skipBytes(length);
        Masking.unmask(in, offset, length, mask);
        dropIfIdle();
        controlFrame(opcode, in, offset, length);
    }

    private void data(ByteBuf in, int first, long length, int mask) {
        PartialMessage begun = partial;
        // Subtraction instead of addition, because a length near 2^63 would overflow the sum.
        int allowed = limits.messageBytesMax() - (begun == null ? 0 : begun.messageBytes());
        if (length > allowed) {
            fail(Code.MESSAGE_TOO_LARGE, "a message exceeds " + limits.messageBytesMax() + " bytes");
            return;
        }
        int bytes = (int) length;
        boolean last = (first & WebSocketFrames.FIN) != 0;
        int opcode = first & OPCODE_BITS;
        if (!last || opcode == WebSocketFrames.CONTINUATION || in.readableBytes() < bytes) {
            fragment(in, first, bytes, mask);
            return;
        }
        int offset = in.readerIndex();
        in.skipBytes(bytes);
        boolean ascii = Masking.unmask(in, offset, bytes, mask);
        dropIfIdle();
        boolean text = opcode == WebSocketFrames.TEXT;
        if ((first & WebSocketFrames.RSV1) != 0) {
            compressedMessage(in, offset, bytes, text);
        } else if (text && !ascii && !Utf8Validator.isValid(in, offset, bytes)) {
            fail(Code.BAD_UTF8, "a text message is not valid UTF-8");
        } else {
            onMessage(in, offset, bytes, text);
        }
    }

    /** Begins a frame that is incomplete, or one of several of its message. */
    private void fragment(ByteBuf in, int first, int length, int mask) {
        PartialMessage begun = partial();
        if (begun.beginFragment(first, length, mask) > limits.fragmentsMax()) {
            fail(Code.MESSAGE_TOO_LARGE, "a message has more than " + limits.fragmentsMax() + " fragments");
        } else {
            payload(begun, in);
        }
    }

    /** Consumes the available payload of a partially received frame. */
    private void payload(PartialMessage begun, ByteBuf in) {
        if (!begun.take(in, limits)) {
            fail(Code.BAD_UTF8, "a text message is not valid UTF-8");
        } else if (!begun.isInPayload()) {
            endOfFrame(begun);
        }
    }

    private void endOfFrame(PartialMessage begun) {
        if (begun.isControl()) {
            ByteBuf control = begun.takeControl();
            dropIfIdle();
            controlFrame(begun.opcode(), control, 0, control.readableBytes());
        } else if (begun.isLastFragment()) {
            endOfMessage(begun);
        }
    }

    private void endOfMessage(PartialMessage begun) {
        if (begun.isCutCharacter()) {
            fail(Code.BAD_UTF8, "a text message ends with an incomplete UTF-8 character");
            return;
        }
        // The field is cleared first: an event that ends the connection must not free the message while reading it.
        partial = null;
        try {
            ByteBuf message = begun.message();
            if (begun.isCompressed()) {
                compressedMessage(message, 0, message.readableBytes(), begun.isText());
            } else {
                onMessage(message, message.readerIndex(), message.readableBytes(), begun.isText());
            }
        } finally {
            begun.release();
        }
    }

    private void compressedMessage(ByteBuf in, int offset, int length, boolean text) {
        MessageInflater inflater = java.util.Objects.requireNonNull(limits.inflater());
        ByteBuf message = inflater.inflate(in, offset, length, limits.messageBytesMax());
        if (message == null) {
            fail(inflater.fault(), "a compressed message of " + length + " bytes cannot be inflated");
            return;
        }
        try {
            if (text && !Utf8Validator.isValid(message, 0, message.readableBytes())) {
                fail(Code.BAD_UTF8, "a text message is not valid UTF-8");
            } else {
                onInflated(message.readableBytes());
                onMessage(message, 0, message.readableBytes(), text);
            }
        } finally {
            message.release();
        }
    }

    private void controlFrame(int opcode, ByteBuf buf, int offset, int length) {
        switch (opcode) {
            case WebSocketFrames.PING -> onPing(buf, offset, length);
            case WebSocketFrames.PONG -> onPong(buf, offset, length);
            default -> close(buf, offset, length);
        }
    }

    private void close(ByteBuf buf, int offset, int length) {
        if (length == 0) {
            release();
            onClose(WebSocketFrames.CLOSE_WITHOUT_CODE, "");
            return;
        }
        if (length == 1) {
            fail(Code.PROTOCOL_ERROR, "a close frame has a payload of 1 byte; its code needs 2");
            return;
        }
        int code = buf.getUnsignedShort(offset);
        if (!isSendable(code)) {
            fail(Code.PROTOCOL_ERROR, "a close frame has the invalid code " + code);
        } else if (!Utf8Validator.isValid(buf, offset + 2, length - 2)) {
            fail(Code.BAD_UTF8, "the reason of a close frame is not valid UTF-8");
        } else {
            String reason = buf.toString(offset + 2, length - 2, StandardCharsets.UTF_8);
            release();
            onClose(code, reason);
        }
    }

    /**
     * Returns whether a client may send this close code (RFC 6455, section 7.4); 1004 to 1006 and 1015 are reserved.
     */
    private static boolean isSendable(int code) {
        return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
    }

    private void fail(Code code, String reason) {
        release();
        onFailure(code, reason);
    }

    private PartialMessage partial() {
        PartialMessage begun = partial;
        if (begun == null) {
            begun = new PartialMessage();
            partial = begun;
        }
        return begun;
    }

    private void dropIfIdle() {
        if (partial != null && !partial.isBegun()) {
            partial = null;
        }
    }
}
