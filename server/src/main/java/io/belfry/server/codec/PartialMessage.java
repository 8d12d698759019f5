package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The state of a frame or message that a {@link WebSocketFrameDecoder} has received in part: header bytes, the unmasked
 * payload of the message, or of a control frame between its fragments. Owner: its decoder, which releases it.
 */
final class PartialMessage {
    private static final int HEADER_BYTES_MAX = 14;

    /** Minimum first capacity, because the first of many small fragments does not indicate the size of the message. */
    private static final int FIRST_BYTES_MIN = 256;

    private @Nullable ByteBuf header;

    // The message: the opcode of its first frame, its bytes, and the state of UTF-8 validation.
    private int messageOpcode;
    private boolean compressed;
    private int fragments;
    private int utf8 = Utf8Validator.START;
    private ByteBuf message = Unpooled.EMPTY_BUFFER;

    // The frame whose payload is being received.
    private int opcode;
    private boolean lastFragment;
    private int length;
    private int mask;
    private int taken;
    private ByteBuf control = Unpooled.EMPTY_BUFFER;

    boolean hasHeaderBytes() {
        return header != null && header.isReadable();
    }

    /**
     * Moves the missing bytes of the header from the buffer, as far as available; returns the header received so far.
     */
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

    /** Returns whether a message has begun and is not complete. */
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

    /**
     * Returns whether the message is compressed; its text can only be validated after inflating the complete message.
     */
    boolean isCompressed() {
        return compressed;
    }

    boolean isCutCharacter() {
        return utf8 != Utf8Validator.START;
    }

    int opcode() {
        return opcode;
    }

    /** Returns the memory used by the message so far, in bytes. */
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

    /**
     * Begins a fragment with this first header byte; returns the number of fragments of the message including this
     * one.
     */
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

    /** Consumes the available payload of the frame; returns false if it makes the text invalid UTF-8. */
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
        if (isText() && !compressed && !(ascii && utf8 == Utf8Validator.START)) {
            utf8 = Utf8Validator.validate(utf8, in, offset, bytes);
        }
        if (utf8 == Utf8Validator.INVALID) {
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

    /**
     * Returns the complete payload of the control frame and forgets it; the buffer is on the heap and needs no
     * release.
     */
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
