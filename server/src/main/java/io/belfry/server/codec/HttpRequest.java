package io.belfry.server.codec;

import org.jspecify.annotations.Nullable;

/**
 * The head of one request that passed every check of {@link HttpRequestParser}. It holds its own copy of the bytes
 * and no network buffer. Immutable.
 *
 * @param path decoded path; begins with a slash and has no control characters and no dot segments
 * @param https whether the target is absolute with the scheme https; false for a plain target, on TLS too
 * @param authority the host and port of an absolute target, which overrides the Host field; null for a plain target
 * @param contentLength length of the body in bytes, 0 for no body, {@link #CHUNKED} for a chunked body
 * @param keepAlive whether the connection may serve another request after this one
 * @param expectContinue whether the client waits for a 100 before it sends the body
 */
public record HttpRequest(
        HttpMethod method,
        boolean http11,
        String path,
        QueryParameters query,
        boolean https,
        @Nullable String authority,
        HttpFields fields,
        long contentLength,
        boolean keepAlive,
        boolean expectContinue) {
    /** The value of {@link #contentLength()} for a chunked body. */
    public static final long CHUNKED = -1;

    /** The way in which the end of the body is found. */
    public enum Framing {
        NONE,
        LENGTH,
        CHUNKED
    }

    /** Returns how the end of the body is found. */
    public Framing framing() {
        return contentLength == CHUNKED ? Framing.CHUNKED : contentLength == 0 ? Framing.NONE : Framing.LENGTH;
    }

    /** Returns a copy of this request without keep-alive, which makes it the last one of its connection. */
    public HttpRequest last() {
        return new HttpRequest(
                method, http11, path, query, https, authority, fields, contentLength, false, expectContinue);
    }

    /** Returns {@code host[:port]} as the client wrote it; null only for HTTP/1.0 without a Host. */
    public @Nullable String host() {
        return authority != null ? authority : header("Host");
    }

    /**
     * Returns the value of a field, ignoring the case of its name; the values of several fields are joined by {@code
     * ", "}.
     */
    public @Nullable String header(String name) {
        return fields.value(name);
    }

    /** Returns the number of fields with this name. */
    public int headerCount(String name) {
        return fields.count(name);
    }

    /**
     * Returns whether an element of a comma-separated field, or of several fields, equals this token, ignoring case.
     */
    public boolean headerHasToken(String name, String token) {
        return fields.hasToken(name, token);
    }
}
