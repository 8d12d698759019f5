package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Appends parts of JSON as bytes, without creating strings or objects. Pure. */
public final class JsonText {
    private static final byte[] HEX = ascii("0123456789abcdef");
    private static final byte[] BASE64 = ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    private static final String SHORT_ESCAPED = "\b\f\n\r\t\"\\";
    private static final String SHORT_ESCAPES = "bfnrt\"\\";
    private static final int ESCAPE_LENGTH_SHIFT = 56;
    private static final long[] ESCAPES = escapes();
    /** Room for eight of the longest escapes, and for the seven bytes that a write of eight may exceed its run. */
    private static final int GROUP_ROOM = 8 * 6 + 7;

    private static final short[] PAIRS = pairs();
    private static final long[] POWERS = powers();

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long QUOTES = ONES * '"';
    private static final long BACKSLASHES = ONES * '\\';
    private static final long LOW_BITS = ~HIGH_BITS;
    private static final long NOT_CONTROL = ONES * (0x80 - ' ');

    private JsonText() {}

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Returns the escape of each byte, packed into a long: the first character in the lowest byte, the number of
     * characters in the highest.
     */
    private static long[] escapes() {
        long[] escapes = new long[128];
        for (int b = 0; b < ' '; b++) {
            escapes[b] = escape("\\u00" + (char) HEX[b >> 4] + (char) HEX[b & 0xf]);
        }
        for (int i = 0; i < SHORT_ESCAPED.length(); i++) {
            escapes[SHORT_ESCAPED.charAt(i)] = escape("\\" + SHORT_ESCAPES.charAt(i));
        }
        return escapes;
    }

    private static long escape(String text) {
        long escape = (long) text.length() << ESCAPE_LENGTH_SHIFT;
        for (int i = 0; i < text.length(); i++) {
            escape |= (long) text.charAt(i) << (8 * i);
        }
        return escape;
    }

    /**
     * Appends a number in decimal. Writes two digits at a time from the end, because every write to a buffer checks its
     * bounds.
     */
    public static void number(ByteBuf out, long value) {
        if (value < 0) {
            out.writeByte('-');
        }
        long rest = Math.absExact(value);
        int length = digits(rest);
        out.ensureWritable(length);
        int i = out.writerIndex() + length;
        out.writerIndex(i);
        while (rest >= 10) {
            i -= 2;
            out.setShort(i, PAIRS[(int) (rest % 100)]);
            rest /= 100;
        }
        if (i > out.writerIndex() - length) {
            out.setByte(i - 1, '0' + (int) rest);
        }
    }

    /** Returns the number of decimal digits of a number that is not negative. */
    static int digits(long value) {
        int digits = 1;
        while (digits < POWERS.length && value >= POWERS[digits]) {
            digits++;
        }
        return digits;
    }

    private static short[] pairs() {
        short[] pairs = new short[100];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = (short) (('0' + i / 10) << 8 | ('0' + i % 10));
        }
        return pairs;
    }

    /** Returns 1, 10, 100 and so on to 10^18, the largest power of ten in a long. */
    private static long[] powers() {
        long[] powers = new long[19];
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }

    static void string(ByteBuf out, String text) {
        if (isPlain(text)) {
            out.writeByte('"');
            ByteBufUtil.writeAscii(out, text);
            out.writeByte('"');
        } else {
            string(out, text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c == '"' || c == '\\' || c > '~') {
                return false;
            }
        }
        return true;
    }

    /** Appends a JSON string; {@code utf8} must be valid UTF-8. */
    public static void string(ByteBuf out, byte[] utf8) {
        string(out, Unpooled.wrappedBuffer(utf8), 0, utf8.length);
    }

    /** Appends a JSON string; the bytes must be valid UTF-8. */
    static void string(ByteBuf out, ByteBuf utf8, int offset, int length) {
        out.writeByte('"');
        escaped(out, utf8, offset, length);
        out.writeByte('"');
    }

    /**
     * Appends text with JSON escapes. Embedded JSON has a quote every few bytes, so the bytes to escape are found eight
     * at a time. A run between escapes is written as eight bytes whatever its length, and the next write overwrites the
     * excess. This takes less than half the time of a loop over bytes (EncodingBenchmark). Bytes beyond ASCII need no
     * escape.
     */
    static void escaped(ByteBuf out, ByteBuf utf8, int offset, int length) {
        int end = offset + length;
        for (int i = offset; i < end; i += Long.BYTES) {
            out.ensureWritable(GROUP_ROOM);
            boolean whole = end - i >= Long.BYTES;
            long eight = whole ? utf8.getLongLE(i) : rest(utf8, i, end);
            out.writerIndex(group(out, eight, whole ? 64 : 8 * (end - i)));
        }
    }

    /** The last bytes of a text, as if zeros followed. */
    private static long rest(ByteBuf buffer, int offset, int end) {
        long bytes = 0;
        for (int i = end - 1; i >= offset; i--) {
            bytes = bytes << 8 | buffer.getUnsignedByte(i);
        }
        return bytes;
    }

    /**
     * Writes the bytes in the lowest {@code bits} of {@code eight}, lowest byte first; returns the index for the next
     * group.
     */
    private static int group(ByteBuf out, long eight, int bits) {
        int at = out.writerIndex();
        int from = 0;
        for (long marks = specials(eight) & (-1L >>> (64 - bits)); marks != 0; marks &= marks - 1) {
            int to = Long.numberOfTrailingZeros(marks) - 7;
            out.setLongLE(at, eight >>> from);
            at += (to - from) >> 3;
            long escape = ESCAPES[(int) (eight >>> to) & 0x7f];
            out.setLongLE(at, escape);
            at += (int) (escape >>> ESCAPE_LENGTH_SHIFT);
            from = to + 8;
        }
        if (from < bits) {
            out.setLongLE(at, eight >>> from);
            at += (bits - from) >> 3;
        }
        return at;
    }

    /** Returns the number of bytes from {@code offset} on that are ASCII and need no escape. */
    static int plainLength(ByteBuf buffer, int offset, int length) {
        int end = offset + length;
        int i = offset;
        while (end - i >= Long.BYTES && isPlain(buffer.getLong(i))) {
            i += Long.BYTES;
        }
        while (i < end) {
            byte b = buffer.getByte(i);
            if (b < ' ' || b == '"' || b == '\\') {
                break;
            }
            i++;
        }
        return i - offset;
    }

    private static boolean isPlain(long eight) {
        return ((eight | specials(eight)) & HIGH_BITS) == 0;
    }

    /** Returns a mask with the high bit set in each byte that is a control character, a quote or a backslash. */
    private static long specials(long eight) {
        long quote = eight ^ QUOTES;
        long backslash = eight ^ BACKSLASHES;
        // The sums are of seven-bit values, so no carry reaches the next byte.
        long isNone = ((eight & LOW_BITS) + NOT_CONTROL)
                & ((quote & LOW_BITS) + LOW_BITS)
                & ((backslash & LOW_BITS) + LOW_BITS);
        return ~(isNone | eight) & HIGH_BITS;
    }

    static int base64Length(int length) {
        return (length + 2) / 3 * 4;
    }

    /** Appends base64 with padding (RFC 4648, section 4). */
    static void base64(ByteBuf out, ByteBuf data, int offset, int length) {
        out.ensureWritable(base64Length(length));
        int i = offset;
        int end = offset + length;
        for (; end - i >= 3; i += 3) {
            quad(out, data.getUnsignedMedium(i));
        }
        if (end - i == 1) {
            int bits = data.getUnsignedByte(i) << 4;
            out.writeByte(BASE64[bits >> 6]).writeByte(BASE64[bits & 63]).writeShort('=' << 8 | '=');
        } else if (end - i == 2) {
            int bits = data.getUnsignedShort(i) << 2;
            out.writeByte(BASE64[bits >> 12]).writeByte(BASE64[bits >> 6 & 63]);
            out.writeByte(BASE64[bits & 63]).writeByte('=');
        }
    }

    private static void quad(ByteBuf out, int bits) {
        out.writeInt(BASE64[bits >> 18] << 24
                | BASE64[bits >> 12 & 63] << 16
                | BASE64[bits >> 6 & 63] << 8
                | BASE64[bits & 63]);
    }
}
