package io.belfry.server.codec;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the request and the policies settle about any answer to it. Immutable.
 *
 * @param http11 whether the client speaks HTTP/1.1: a streaming answer to 1.0 is not chunked and ends with the connection
 * @param keepAlive whether the connection stays open after the answer
 * @param headOnly whether the request was HEAD: the answer's head is as for GET, the body stays away
 * @param allowOrigin the value of Access-Control-Allow-Origin, null for none
 * @param headers further header fields
 */
public record ReplyTerms(
        boolean http11,
        boolean keepAlive,
        boolean headOnly,
        @Nullable String allowOrigin,
        List<Header> headers) {
    /** For an answer to what could not be read: nothing is known of the client, and the connection closes. */
    public static final ReplyTerms CLOSE = new ReplyTerms(true, false, false, null, List.of());

    private static final List<Header> VARY = List.of(new Header("Vary", "Origin"));

    public static ReplyTerms of(HttpRequest request, @Nullable String allowOrigin) {
        return new ReplyTerms(
                request.http11(), request.keepAlive(), request.method() == HttpMethod.HEAD, allowOrigin, List.of());
    }

    /** A cache is to keep what pages of different origins are answered apart, this answer too, though it names none. */
    public ReplyTerms varying() {
        return allowOrigin == null && headers.isEmpty()
                ? new ReplyTerms(http11, keepAlive, headOnly, null, VARY)
                : this;
    }

    public ReplyTerms closing() {
        return new ReplyTerms(http11, false, headOnly, allowOrigin, headers);
    }

    public ReplyTerms with(String name, String value) {
        List<Header> more = new ArrayList<>(headers);
        more.add(new Header(name, value));
        return new ReplyTerms(http11, keepAlive, headOnly, allowOrigin, List.copyOf(more));
    }

    boolean has(String name) {
        return headers.stream().anyMatch(header -> header.name().equalsIgnoreCase(name));
    }

    /** One header field; control characters, which could begin another one, are refused here. */
    public record Header(String name, String value) {
        public Header {
            if ((name + value).chars().anyMatch(c -> c < ' ' || c >= 0x7f)) {
                throw new IllegalArgumentException("A header field is printable ASCII: " + name);
            }
        }
    }
}
