package io.belfry.server.codec;

import org.jspecify.annotations.Nullable;

/**
 * The head of one request that passed every check of {@link HttpRequestParser}. Holds its own copy of the bytes, none
 * of a network buffer. Immutable.
 *
 * @param path decoded; begins with a slash and has no control characters and no dot segments
 * @param authority the host and port of an absolute target, which outranks the Host field; null for a plain target
 * @param contentLength the bytes of the body, 0 for none, {@link #CHUNKED} where its end is marked in the body
 * @param keepAlive whether the connection may serve another request after this one
 * @param expectContinue whether the client waits for a 100 before it sends the body
 */
public record HttpRequest(
        HttpMethod method,
        boolean http11,
        String path,
        QueryParameters query,
        @Nullable String authority,
        HttpFields fields,
        long contentLength,
        boolean keepAlive,
        boolean expectContinue) {
    /** The {@link #contentLength()} of a chunked body. */
    public static final long CHUNKED = -1;

    /** How the end of the body is found. */
    public enum Framing {
        NONE,
        LENGTH,
        CHUNKED
    }

    public Framing framing() {
        return contentLength == CHUNKED ? Framing.CHUNKED : contentLength == 0 ? Framing.NONE : Framing.LENGTH;
    }

    /** The same, as the last request of its connection. */
    public HttpRequest last() {
        return new HttpRequest(method, http11, path, query, authority, fields, contentLength, false, expectContinue);
    }

    /** {@code host[:port]} as the client wrote it; null only for HTTP/1.0 without a Host. */
    public @Nullable String host() {
        return authority != null ? authority : header("Host");
    }

    /** The value of a field by its name in any case, those of several fields joined by {@code ", "}. */
    public @Nullable String header(String name) {
        return fields.value(name);
    }

    /** How many fields have this name. */
    public int headerCount(String name) {
        return fields.count(name);
    }

    /** Whether a comma-separated field, or several of the name, hold this token in any case. */
    public boolean headerHasToken(String name, String token) {
        return fields.hasToken(name, token);
    }
}
