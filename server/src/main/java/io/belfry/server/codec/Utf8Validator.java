package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;

/**
 * Validates a stream of UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). It fails at the
 * first byte that no continuation could make valid. The state between two calls is an int: {@link #START} between
 * characters, else the number of missing bytes and the valid range of the next one. Pure.
 */
final class Utf8Validator {
    static final int START = 0;
    static final int INVALID = -1;

    private static final long HIGH_BITS = 0x8080808080808080L;

    private Utf8Validator() {}

    static boolean isValid(ByteBuf buf, int offset, int length) {
        return validate(START, buf, offset, length) == START;
    }

    /** Returns the state after these bytes; {@link #INVALID} if they cannot be part of UTF-8. */
    static int validate(int before, ByteBuf buf, int offset, int length) {
        int state = before;
        int end = offset + length;
        int at = offset;
        while (at < end) {
            if (state == START) {
                at = skipAscii(buf, at, end);
                if (at == end) {
                    return START;
                }
            }
            byte b = buf.getByte(at++);
            state = state == START ? lead(b & 0xff) : continuation(state, b & 0xff);
            if (state == INVALID) {
                return INVALID;
            }
        }
        return state;
    }

    private static int skipAscii(ByteBuf buf, int from, int end) {
        int at = from;
        while (at + Long.BYTES <= end && (buf.getLong(at) & HIGH_BITS) == 0) {
            at += Long.BYTES;
        }
        while (at < end && buf.getByte(at) >= 0) {
            at++;
        }
        return at;
    }

    /** Returns the state after the first byte of a multi-byte character. */
    private static int lead(int b) {
        if (b < 0xc2 || b > 0xf4) {
            return INVALID;
        }
        return switch (b) {
            case 0xe0 -> state(2, 0xa0, 0xbf);
            case 0xed -> state(2, 0x80, 0x9f);
            case 0xf0 -> state(3, 0x90, 0xbf);
            case 0xf4 -> state(3, 0x80, 0x8f);
            default -> state(b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3, 0x80, 0xbf);
        };
    }

    private static int continuation(int state, int b) {
        if (b < (state >>> 8 & 0xff) || b > (state >>> 16 & 0xff)) {
            return INVALID;
        }
        int missing = (state & 0xff) - 1;
        return missing == 0 ? START : state(missing, 0x80, 0xbf);
    }

    private static int state(int missing, int lowest, int highest) {
        return missing | lowest << 8 | highest << 16;
    }
}
