package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Reads fields one after the other. A read past the end returns zeros and sets {@link #failed} instead of throwing, so
 * that a decoder checks for errors once, at the end. Owner: the decoder that holds the reader.
 */
final class BinaryReader {
    private static final byte[] NONE = {};

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int index;
    private int end;
    private boolean failed;

    void wrap(ByteBuf buffer, int offset, int length) {
        this.buffer = buffer;
        this.index = offset;
        this.end = offset + length;
        this.failed = false;
    }

    ByteBuf buffer() {
        return buffer;
    }

    int index() {
        return index;
    }

    int remaining() {
        return end - index;
    }

    boolean failed() {
        return failed;
    }

    int u8() {
        return has(1) ? buffer.getUnsignedByte(index++) : 0;
    }

    int u16() {
        return has(Short.BYTES) ? buffer.getUnsignedShort(skip(Short.BYTES)) : 0;
    }

    long u32() {
        return has(Integer.BYTES) ? buffer.getUnsignedInt(skip(Integer.BYTES)) : 0;
    }

    long u48() {
        return has(BinaryLayout.U48_BYTES) ? (long) u16() << 32 | u32() : 0;
    }

    long u56() {
        return has(BinaryLayout.U56_BYTES) ? (long) u8() << 48 | u48() : 0;
    }

    long i64() {
        return has(Long.BYTES) ? buffer.getLong(skip(Long.BYTES)) : 0;
    }

    /** Skips a field and returns the index of its first byte. */
    int skip(int length) {
        int start = index;
        if (has(length)) {
            index += length;
        }
        return start;
    }

    byte[] bytes(int length) {
        if (!has(length)) {
            return NONE;
        }
        byte[] bytes = new byte[length];
        buffer.getBytes(skip(length), bytes);
        return bytes;
    }

    /** Reads a position of patterns; returns null if its length is not allowed. */
    @Nullable
    PatternPosition patternPosition() {
        int length = u16();
        if (length > PatternPosition.MAX_BYTES) {
            skip(length);
            return null;
        }
        return PatternPosition.of(bytes(length));
    }

    private boolean has(int length) {
        failed |= end - index < length;
        return !failed;
    }
}
