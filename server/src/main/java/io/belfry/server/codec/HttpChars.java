package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Classifies bytes of HTTP by table, with one memory load per byte. Pure. */
final class HttpChars {
    private static final int TOKEN = 1;
    private static final int TARGET = 2;
    private static final int VALUE = 4;
    private static final int HOST = 8;
    private static final byte[] CLASSES = classes();

    private HttpChars() {}

    /** Returns whether the byte is a tchar of RFC 9110, section 5.6.2. */
    static boolean isToken(byte b) {
        return (CLASSES[b & 0xff] & TOKEN) != 0;
    }

    /**
     * Returns whether the byte may occur in a request target. Accepts more than RFC 3986: also the characters that
     * browsers send unescaped in a query. Rejects control characters, space, fragment mark, quote, angle brackets and
     * non-ASCII bytes.
     */
    static boolean isTarget(byte b) {
        return (CLASSES[b & 0xff] & TARGET) != 0;
    }

    /** Returns whether the byte may occur in a field value: white space and everything but control characters. */
    static boolean isValue(byte b) {
        return (CLASSES[b & 0xff] & VALUE) != 0;
    }

    /**
     * Returns whether the byte may occur in a host name. RFC 3986 also allows a comma, but it could be read as two
     * hosts.
     */
    static boolean isHost(byte b) {
        return (CLASSES[b & 0xff] & HOST) != 0;
    }

    static boolean isAlphanumeric(int c) {
        int lower = c | 0x20;
        return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z');
    }

    static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    /** Returns the value of a hexadecimal digit, -1 for any other byte. */
    static int hex(byte b) {
        if (isDigit(b)) {
            return b - '0';
        }
        int lower = b | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    static int lower(int b) {
        return b >= 'A' && b <= 'Z' ? b + 32 : b;
    }

    /** Returns whether the range equals this ASCII text, ignoring case. */
    static boolean equalsIgnoreCase(byte[] bytes, int start, int end, String text) {
        if (end - start != text.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (lower(bytes[start + i]) != lower(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** Writes text in which every character is encoded in one byte. */
    static void write(ByteBuf out, String latin1) {
        out.writeCharSequence(latin1, StandardCharsets.ISO_8859_1);
    }

    private static byte[] classes() {
        byte[] classes = new byte[256];
        for (int c = 0x21; c <= 0x7e; c++) {
            boolean alphanumeric = isAlphanumeric(c);
            int bits = VALUE;
            bits |= alphanumeric || "!#$%&'*+-.^_`|~".indexOf(c) >= 0 ? TOKEN : 0;
            bits |= "\"<>#".indexOf(c) < 0 ? TARGET : 0;
            bits |= alphanumeric || "-._~".indexOf(c) >= 0 ? HOST : 0;
            classes[c] = (byte) bits;
        }
        classes[' '] = VALUE;
        classes['\t'] = VALUE;
        for (int c = 0x80; c <= 0xff; c++) {
            classes[c] = VALUE;
        }
        return classes;
    }
}
