package io.belfry.protocol;

import io.netty.buffer.ByteBuf;

/** Strict UTF-8 over buffers: no surrogates, no overlong forms, nothing above U+10FFFF (RFC 3629). Pure. */
public final class Utf8 {
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Utf8() {}

    /** Whether the bytes are valid UTF-8. */
    public static boolean valid(ByteBuf buffer, int offset, int length) {
        int end = offset + length;
        int i = offset;
        while (i < end) {
            if (end - i >= Long.BYTES && (buffer.getLong(i) & HIGH_BITS) == 0) {
                i += Long.BYTES;
                continue;
            }
            int size = buffer.getByte(i) >= 0 ? 1 : sequenceLength(buffer, i, end);
            if (size == 0) {
                return false;
            }
            i += size;
        }
        return true;
    }

    /**
     * Returns the length of the valid sequence that begins at {@code i} with a byte beyond ASCII, or 0 if the sequence
     * is invalid.
     */
    static int sequenceLength(ByteBuf buffer, int i, int end) {
        int first = buffer.getByte(i) & 0xff;
        if (first < 0xc2 || first > 0xf4) {
            return 0;
        }
        int size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (end - i < size || !secondFits(first, buffer.getByte(i + 1) & 0xff)) {
            return 0;
        }
        for (int k = 2; k < size; k++) {
            if ((buffer.getByte(i + k) & 0xc0) != 0x80) {
                return 0;
            }
        }
        return size;
    }

    /**
     * Checks the second byte, which shows overlong forms, surrogates and values above U+10FFFF: RFC 3629, section 4.
     */
    private static boolean secondFits(int first, int second) {
        int low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        int high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        return second >= low && second <= high;
    }

    /**
     * Decodes into {@code chars}, which has room for {@code length} chars; returns the number of chars, or -1 if the
     * bytes are not UTF-8.
     */
    static int decode(ByteBuf buffer, int offset, int length, char[] chars) {
        int end = offset + length;
        int n = 0;
        int i = offset;
        while (i < end) {
            byte b = buffer.getByte(i);
            if (b >= 0) {
                chars[n++] = (char) b;
                i++;
                continue;
            }
            int size = sequenceLength(buffer, i, end);
            if (size == 0) {
                return -1;
            }
            n += Character.toChars(codePoint(buffer, i, size), chars, n);
            i += size;
        }
        return n;
    }

    private static int codePoint(ByteBuf buffer, int i, int size) {
        int point = buffer.getByte(i) & (0x7f >> size);
        for (int k = 1; k < size; k++) {
            point = (point << 6) | (buffer.getByte(i + k) & 0x3f);
        }
        return point;
    }

    /** Appends chars as UTF-8. Returns false if a surrogate is unpaired; part of the text is then already appended. */
    static boolean encode(char[] chars, int offset, int length, ByteBuf out) {
        out.ensureWritable(length);
        int end = offset + length;
        for (int i = offset; i < end; i++) {
            char c = chars[i];
            if (c < 0x80) {
                out.writeByte(c);
            } else if (!Character.isSurrogate(c)) {
                encode(c, out);
            } else if (Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(chars[i + 1])) {
                encode(Character.toCodePoint(c, chars[++i]), out);
            } else {
                return false;
            }
        }
        return true;
    }

    private static void encode(int point, ByteBuf out) {
        if (point < 0x800) {
            out.writeByte(0xc0 | point >> 6);
        } else {
            if (point < 0x10000) {
                out.writeByte(0xe0 | point >> 12);
            } else {
                out.writeByte(0xf0 | point >> 18);
                out.writeByte(0x80 | (point >> 12 & 0x3f));
            }
            out.writeByte(0x80 | (point >> 6 & 0x3f));
        }
        out.writeByte(0x80 | (point & 0x3f));
    }
}
