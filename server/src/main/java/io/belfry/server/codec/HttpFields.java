package io.belfry.server.codec;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The header fields of a request: the bytes of its head, and the ranges of names and values in them. Immutable. */
final class HttpFields {
    /** Number of ints per field: name start, name end, value start, value end. */
    static final int INTS_PER_FIELD = 4;

    private final byte[] head;
    private final int[] ranges;

    HttpFields(byte[] head, int[] ranges) {
        this.head = head;
        this.ranges = ranges;
    }

    int count(String name) {
        int count = 0;
        for (int at = find(name, 0); at >= 0; at = find(name, at + INTS_PER_FIELD)) {
            count++;
        }
        return count;
    }

    /**
     * Returns the values of all fields of this name, joined by a comma (RFC 9110, section 5.3); null if there are
     * none.
     */
    @Nullable
    String value(String name) {
        int at = find(name, 0);
        if (at < 0) {
            return null;
        }
        String value = valueAt(at);
        for (at = find(name, at + INTS_PER_FIELD); at >= 0; at = find(name, at + INTS_PER_FIELD)) {
            value = value + ", " + valueAt(at);
        }
        return value;
    }

    /** Returns whether a comma-separated element of the fields of this name equals the token, ignoring case. */
    boolean hasToken(String name, String token) {
        for (int at = find(name, 0); at >= 0; at = find(name, at + INTS_PER_FIELD)) {
            if (listHas(head, ranges[at + 2], ranges[at + 3], token)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether an element of the comma-separated list in this range equals the token, ignoring case. */
    static boolean listHas(byte[] head, int start, int end, String token) {
        int from = start;
        while (from < end) {
            int comma = from;
            while (comma < end && head[comma] != ',') {
                comma++;
            }
            if (elementIs(head, from, comma, token)) {
                return true;
            }
            from = comma + 1;
        }
        return false;
    }

    private static boolean elementIs(byte[] head, int start, int end, String token) {
        int from = start;
        int to = end;
        while (from < to && HttpChars.isBlank(head[from])) {
            from++;
        }
        while (to > from && HttpChars.isBlank(head[to - 1])) {
            to--;
        }
        return HttpChars.equalsIgnoreCase(head, from, to, token);
    }

    private int find(String name, int from) {
        for (int at = from; at < ranges.length; at += INTS_PER_FIELD) {
            if (HttpChars.equalsIgnoreCase(head, ranges[at], ranges[at + 1], name)) {
                return at;
            }
        }
        return -1;
    }

    private String valueAt(int at) {
        return new String(head, ranges[at + 2], ranges[at + 3] - ranges[at + 2], StandardCharsets.ISO_8859_1);
    }
}
