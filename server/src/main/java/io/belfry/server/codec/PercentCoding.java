package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Decodes percent-encoding (RFC 3986, section 2.1) in ranges of a head. Pure. */
final class PercentCoding {
    private PercentCoding() {}

    static boolean isValid(byte[] bytes, int start, int end) {
        return !isEscaped(bytes, start, end, false) || decode(bytes, start, end, false) != null;
    }

    /** Returns the decoded text; null if an escape is invalid or encodes NUL, or if the bytes are not UTF-8. */
    static @Nullable String decode(byte[] bytes, int start, int end, boolean plusIsSpace) {
        if (!isEscaped(bytes, start, end, plusIsSpace)) {
            return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
        }
        byte[] decoded = new byte[end - start];
        int length = 0;
        for (int i = start; i < end; i++) {
            int b = bytes[i];
            if (b == '%') {
                b = escaped(bytes, i, end);
                if (b <= 0) {
                    return null;
                }
                i += 2;
            } else if (b == '+' && plusIsSpace) {
                b = ' ';
            }
            decoded[length++] = (byte) b;
        }
        ByteBuf view = Unpooled.wrappedBuffer(decoded, 0, length);
        return Utf8Validator.isValid(view, 0, length) ? new String(decoded, 0, length, StandardCharsets.UTF_8) : null;
    }

    /** Returns the byte encoded by the escape at this index; -1 if the escape is invalid. */
    private static int escaped(byte[] bytes, int index, int end) {
        if (index + 2 >= end) {
            return -1;
        }
        int high = HttpChars.hex(bytes[index + 1]);
        int low = HttpChars.hex(bytes[index + 2]);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static boolean isEscaped(byte[] bytes, int start, int end, boolean plusIsSpace) {
        for (int i = start; i < end; i++) {
            if (bytes[i] == '%' || (plusIsSpace && bytes[i] == '+')) {
                return true;
            }
        }
        return false;
    }
}
