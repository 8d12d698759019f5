package io.belfry.server.trace;

import org.jspecify.annotations.Nullable;

/**
 * The header {@code traceparent} of W3C Trace Context, level 1: {@code version-traceid-parentid-flags} in lower-case
 * hexadecimal digits. Immutable.
 *
 * @param traceHigh first 8 bytes of the trace id
 * @param traceLow last 8 bytes of the trace id
 * @param spanId id of the caller's span
 * @param sampled whether the caller records this trace
 */
public record TraceParent(long traceHigh, long traceLow, long spanId, boolean sampled) {
    private static final int TRACE_AT = 3;
    private static final int SPAN_AT = 36;
    private static final int FLAGS_AT = 53;
    private static final int LENGTH = 55;
    private static final int SAMPLED = 1;
    private static final int INVALID_VERSION = 0xff;

    /** Returns the parsed header, or null if it breaks any rule. Further fields are permitted in later versions only. */
    public static @Nullable TraceParent parse(String text) {
        if (text.length() < LENGTH || !hasDashes(text) || !isHex(text)) {
            return null;
        }
        int version = (int) hex(text, 0, 2);
        boolean exact = text.length() == LENGTH;
        if (version == INVALID_VERSION || !(exact || (version > 0 && text.charAt(LENGTH) == '-'))) {
            return null;
        }
        long high = hex(text, TRACE_AT, TRACE_AT + 16);
        long low = hex(text, TRACE_AT + 16, SPAN_AT - 1);
        long span = hex(text, SPAN_AT, FLAGS_AT - 1);
        boolean sampled = (hex(text, FLAGS_AT, LENGTH) & SAMPLED) != 0;
        return (high | low) == 0 || span == 0 ? null : new TraceParent(high, low, span, sampled);
    }

    private static boolean hasDashes(String text) {
        return isDash(text, TRACE_AT - 1) && isDash(text, SPAN_AT - 1) && isDash(text, FLAGS_AT - 1);
    }

    private static boolean isDash(String text, int at) {
        return text.charAt(at) == '-';
    }

    private static boolean isHex(String text) {
        for (int at = 0; at < LENGTH; at++) {
            char each = text.charAt(at);
            boolean digit = (each >= '0' && each <= '9') || (each >= 'a' && each <= 'f');
            if (!digit && at != TRACE_AT - 1 && at != SPAN_AT - 1 && at != FLAGS_AT - 1) {
                return false;
            }
        }
        return true;
    }

    private static long hex(String text, int from, int to) {
        return Long.parseUnsignedLong(text, from, to, 16);
    }
}
