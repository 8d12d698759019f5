package io.belfry.client.connection;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes the heads of HTTP requests. Pure. */
final class RequestHead {
    private RequestHead() {}

    /** Returns a head without its blank line, so that headers can be appended. */
    static StringBuilder of(String method, String target, String host, @Nullable String token) {
        StringBuilder head = new StringBuilder(256)
                .append(method)
                .append(' ')
                .append(oneLine(target, "a request's target"))
                .append(" HTTP/1.1\r\nHost: ")
                .append(oneLine(host, "a host"));
        if (token != null) {
            head.append("\r\nAuthorization: Bearer ").append(oneLine(token, "a token"));
        }
        return head;
    }

    /** Appends the blank line and returns the bytes. */
    static byte[] ended(StringBuilder head) {
        return head.append("\r\n\r\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Rejects control characters: a line end in a value would inject a header or a request. */
    private static String oneLine(String value, String what) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) < ' ' || value.charAt(i) == 0x7f) {
                throw new IllegalArgumentException(what + " must not have control characters");
            }
        }
        return value;
    }
}
