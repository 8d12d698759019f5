package io.belfry.server.codec;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a response that the request and the policies determine, independent of its content. Immutable.
 *
 * @param http11 whether the client uses HTTP/1.1; a stream for HTTP/1.0 is not chunked and ends with the connection
 * @param keepAlive whether the connection stays open after the response
 * @param headOnly whether the request was HEAD: the head of the response is that of GET, without a body
 * @param allowOrigin the value of Access-Control-Allow-Origin, null for none
 * @param headers further header fields
 */
public record ReplyTerms(
        boolean http11,
        boolean keepAlive,
        boolean headOnly,
        @Nullable String allowOrigin,
        List<Header> headers) {
    /** Terms for the response to an unreadable request: the client's version is unknown, and the connection closes. */
    public static final ReplyTerms CLOSE = new ReplyTerms(true, false, false, null, List.of());

    private static final List<Header> VARY = List.of(new Header("Vary", "Origin"));

    /** Returns the terms for the response to this request. */
    public static ReplyTerms of(HttpRequest request, @Nullable String allowOrigin) {
        return new ReplyTerms(
                request.http11(), request.keepAlive(), request.method() == HttpMethod.HEAD, allowOrigin, List.of());
    }

    /** Returns these terms with Vary: Origin, so that caches store the responses for different origins separately. */
    public ReplyTerms varying() {
        return allowOrigin == null && headers.isEmpty()
                ? new ReplyTerms(http11, keepAlive, headOnly, null, VARY)
                : this;
    }

    /** Returns these terms without keep-alive. */
    public ReplyTerms closing() {
        return new ReplyTerms(http11, false, headOnly, allowOrigin, headers);
    }

    /** Returns these terms with one more header field. */
    public ReplyTerms with(String name, String value) {
        List<Header> more = new ArrayList<>(headers);
        more.add(new Header(name, value));
        return new ReplyTerms(http11, keepAlive, headOnly, allowOrigin, List.copyOf(more));
    }

    boolean has(String name) {
        return headers.stream().anyMatch(header -> header.name().equalsIgnoreCase(name));
    }

    /** One header field. Rejects control characters, which could start another field. */
    public record Header(String name, String value) {
        public Header {
            if ((name + value).chars().anyMatch(c -> c < ' ' || c >= 0x7f)) {
                throw new IllegalArgumentException("header fields must be printable ASCII: " + name);
            }
        }
    }
}
