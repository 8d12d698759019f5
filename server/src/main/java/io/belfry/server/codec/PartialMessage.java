package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link WebSocketFrameDecoder} has of a frame or message that is not whole: bytes of a header, the unmasked
 * payload of the message so far, or of a control frame between its fragments. Owner: its decoder, which releases it.
 */
final class PartialMessage {
    private static final int HEADER_BYTES_MAX = 14;

    /** Of a message in small fragments the first says little about its size. */
    private static final int FIRST_BYTES_MIN = 256;

    private @Nullable ByteBuf header;

    // The message: its first frame's opcode, its bytes, and where its text stands.
    private int messageOpcode;
    private boolean compressed;
    private int fragments;
    private int utf8 = Utf8.START;
    private ByteBuf message = Unpooled.EMPTY_BUFFER;

    // The frame whose payload is coming.
    private int opcode;
    private boolean lastFragment;
    private int length;
    private int mask;
    private int taken;
    private ByteBuf control = Unpooled.EMPTY_BUFFER;

    boolean hasHeaderBytes() {
        return header != null && header.isReadable();
    }

    /** Takes what the header lacks, as far as it is here; the header so far. */
    ByteBuf moreHeader(ByteBuf in) {
        ByteBuf bytes = header;
        if (bytes == null) {
            bytes = Unpooled.buffer(HEADER_BYTES_MAX, HEADER_BYTES_MAX);
            header = bytes;
        }
        while (in.isReadable() && bytes.readableBytes() < WebSocketFrameDecoder.headerBytes(bytes)) {
            bytes.writeByte(in.readByte());
        }
        return bytes;
    }

    /** Whether a message has begun and not ended. */
    boolean isBegun() {
        return fragments > 0;
    }

    boolean isInPayload() {
        return taken < length;
    }

    boolean isControl() {
        return opcode >= WebSocketFrames.CLOSE;
    }

    boolean isLastFragment() {
        return lastFragment;
    }

    boolean isText() {
        return messageOpcode == WebSocketFrames.TEXT;
    }

    /** Then the bytes are no text before they are inflated, which is when all of them are here. */
    boolean isCompressed() {
        return compressed;
    }

    boolean isCutCharacter() {
        return utf8 != Utf8.START;
    }

    int opcode() {
        return opcode;
    }

    /** Memory taken up by the message so far. */
    int heldBytes() {
        return message.capacity();
    }

    int messageBytes() {
        return message.readableBytes();
    }

    ByteBuf message() {
        return message;
    }

    void beginControl(int opcode, int length, int mask) {
        beginFrame(opcode, length, mask);
        control = Unpooled.buffer(length, length);
    }

    /** How many fragments the message has with this one, which begins with this byte. */
    int beginFragment(int first, int length, int mask) {
        beginFrame(first & WebSocketFrames.OPCODE_BITS, length, mask);
        lastFragment = (first & WebSocketFrames.FIN) != 0;
        if (opcode != WebSocketFrames.CONTINUATION) {
            messageOpcode = opcode;
            compressed = (first & WebSocketFrames.RSV1) != 0;
        }
        return ++fragments;
    }

    private void beginFrame(int opcode, int length, int mask) {
        this.opcode = opcode;
        this.length = length;
        this.mask = mask;
        this.taken = 0;
    }

    /** Takes what is here of the frame's payload; false where it makes the text invalid. */
    boolean take(ByteBuf in, WebSocketLimits limits) {
        int bytes = Math.min(length - taken, in.readableBytes());
        int offset = in.readerIndex();
        in.skipBytes(bytes);
        boolean ascii = Masking.unmask(in, offset, bytes, Masking.rotated(mask, taken));
        taken += bytes;
        if (isControl()) {
            control.writeBytes(in, offset, bytes);
            return true;
        }
        if (isText() && !compressed && !(ascii && utf8 == Utf8.START)) {
            utf8 = Utf8.validate(utf8, in, offset, bytes);
        }
        if (utf8 == Utf8.INVALID) {
            return false;
        }
        if (bytes > 0) {
            append(in, offset, bytes, limits);
        }
        return true;
    }

    private void append(ByteBuf in, int offset, int bytes, WebSocketLimits limits) {
        if (message.maxCapacity() == 0) {
            int first = Math.min(Math.max(length, FIRST_BYTES_MIN), limits.firstBytesMax());
            int initial = Math.min(Math.max(first, bytes), limits.messageBytesMax());
            message = in.alloc().buffer(initial, limits.messageBytesMax());
        }
        message.writeBytes(in, offset, bytes);
    }

    /** The whole control frame's payload, which needs no release. */
    ByteBuf takeControl() {
        ByteBuf whole = control;
        control = Unpooled.EMPTY_BUFFER;
        return whole;
    }

    void release() {
        message.release();
        message = Unpooled.EMPTY_BUFFER;
        fragments = 0;
    }
}
