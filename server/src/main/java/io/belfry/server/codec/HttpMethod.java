package io.belfry.server.codec;

import org.jspecify.annotations.Nullable;

/** The HTTP methods that the server supports. Method names are case-sensitive (RFC 9110, section 9.1). */
public enum HttpMethod {
    GET,
    HEAD,
    POST,
    OPTIONS;

    /** Maximum length of a method name; a longer name is unknown without a comparison. */
    static final int NAME_BYTES_MAX = 24;

    private static final HttpMethod[] ALL = values();

    static @Nullable HttpMethod of(byte[] head, int start, int end) {
        for (HttpMethod method : ALL) {
            if (is(method.name(), head, start, end)) {
                return method;
            }
        }
        return null;
    }

    private static boolean is(String name, byte[] head, int start, int end) {
        int length = name.length();
        if (end - start != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (head[start + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the method is standard but not supported here; it gets 405, and an unknown method gets 501. */
    static boolean isKnownElsewhere(String name) {
        return switch (name) {
            case "PUT", "DELETE", "PATCH", "CONNECT", "TRACE" -> true;
            default -> false;
        };
    }
}
