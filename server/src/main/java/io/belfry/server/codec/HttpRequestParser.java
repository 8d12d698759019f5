package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parses the head of an HTTP/1.1 or 1.0 request. Rejects everything that two implementations could interpret
 * differently, because such differences enable request smuggling (RFC 9112, section 11.2). It keeps no state between
 * two calls, so a slow connection costs only its bytes. An invalid byte is rejected as soon as it is read.
 *
 * <p>Owner: one loop, which uses one parser for all its connections because of the scratch arrays.
 */
public final class HttpRequestParser {
    public static final int HEAD_BYTES_MAX = 8192;
    public static final int FIELDS_MAX = 64;

    private static final byte[] VERSION = "HTTP/".getBytes(StandardCharsets.US_ASCII);
    private static final String HTTP = "http://";
    private static final String HTTPS = "https://";
    private static final int CONTENT_LENGTH_DIGITS_MAX = 18;

    private final int headBytesMax;
    private final int fieldsMax;
    private final byte[] head;
    private final int[] ranges;

    // Results of the current call of parse.
    private int end;
    private int at;
    private boolean inRequestLine;
    private ParseResult outcome = ParseResult.NeedMore.INSTANCE;
    private HttpMethod method = HttpMethod.GET;
    private boolean http11;
    private String path = "/";
    private boolean https;
    private @Nullable String authority;
    private int queryStart;
    private int queryEnd;
    private int fieldCount;
    private int hosts;
    private int lengths;
    private int encodings;
    private boolean chunkedOnly;
    private boolean chunkedLast;
    private long contentLength;
    private boolean expectContinue;
    private boolean close;
    private boolean keepAlive;

    public HttpRequestParser() {
        this(HEAD_BYTES_MAX, FIELDS_MAX);
    }

    /**
     * Sets the bounds on the head (request line, fields and blank line together, in bytes) and on the number of
     * fields.
     */
    public HttpRequestParser(int headBytesMax, int fieldsMax) {
        this.headBytesMax = headBytesMax;
        this.fieldsMax = fieldsMax;
        this.head = new byte[headBytesMax];
        this.ranges = new int[fieldsMax * HttpFields.INTS_PER_FIELD];
    }

    /** Consumes one complete head or nothing. After a {@link Refusal} the caller must close the connection. */
    public ParseResult parse(ByteBuf in) {
        reset(Math.min(in.readableBytes(), headBytesMax));
        in.getBytes(in.readerIndex(), head, 0, end);
        if (!requestLine() || !fields() || !isConsistent()) {
            return outcome;
        }
        in.skipBytes(at);
        return new ParseResult.Head(request(), at);
    }

    private void reset(int available) {
        end = available;
        at = 0;
        inRequestLine = true;
        https = false;
        authority = null;
        queryStart = 0;
        queryEnd = 0;
        fieldCount = 0;
        hosts = 0;
        lengths = 0;
        encodings = 0;
        contentLength = 0;
        expectContinue = false;
        close = false;
        keepAlive = false;
    }

    private boolean requestLine() {
        // Older clients send one empty line after a body, before the next request (RFC 9112, section 2.2).
        if (at < end && head[at] == '\r' && !lineEnd()) {
            return false;
        }
        if (!method() || !target() || !version() || !lineEnd()) {
            return false;
        }
        inRequestLine = false;
        return true;
    }

    private boolean method() {
        int start = at;
        while (at < end && HttpChars.isToken(head[at])) {
            at++;
        }
        if (at - start > HttpMethod.NAME_BYTES_MAX) {
            return refuse(Code.UNSUPPORTED, "unknown method");
        }
        if (at == end) {
            return shortage();
        }
        if (at == start || head[at] != ' ') {
            return malformed("the request must begin with a method and one space");
        }
        HttpMethod known = HttpMethod.of(head, start, at);
        if (known == null) {
            String name = latin1(start, at);
            return HttpMethod.isKnownElsewhere(name)
                    ? refuse(Code.METHOD_NOT_ALLOWED, "the method " + name + " is not supported")
                    : refuse(Code.UNSUPPORTED, "unknown method " + name);
        }
        method = known;
        at++;
        return true;
    }

    private boolean target() {
        int start = at;
        while (at < end && HttpChars.isTarget(head[at])) {
            at++;
        }
        if (at == end) {
            return shortage();
        }
        if (head[at] != ' ') {
            return malformed("the request target has a character to percent-encode, or the version is missing");
        }
        int stop = at++;
        if (stop > start && head[start] == '/') {
            return pathAndQuery(start, stop);
        }
        if (stop == start + 1 && head[start] == '*' && method == HttpMethod.OPTIONS) {
            // The target "*" is the server as a whole (RFC 9112, section 3.2.4); OPTIONS has the same answer for
            // every path.
            path = "/";
            return true;
        }
        https = hasScheme(start, stop, HTTPS);
        if (!https && !hasScheme(start, stop, HTTP)) {
            return malformed("the request target must be a path or an http:// or https:// URL");
        }
        return absolute(start + (https ? HTTPS : HTTP).length(), stop);
    }

    private boolean hasScheme(int start, int stop, String scheme) {
        int schemeEnd = start + scheme.length();
        return schemeEnd <= stop && HttpChars.equalsIgnoreCase(head, start, schemeEnd, scheme);
    }

    private boolean absolute(int start, int stop) {
        int authorityEnd = start;
        while (authorityEnd < stop && head[authorityEnd] != '/' && head[authorityEnd] != '?') {
            authorityEnd++;
        }
        if (!Authority.isValid(head, start, authorityEnd)) {
            return malformed("the request target has no valid host");
        }
        authority = latin1(start, authorityEnd);
        return pathAndQuery(authorityEnd, stop);
    }

    private boolean pathAndQuery(int start, int stop) {
        int pathEnd = start;
        while (pathEnd < stop && head[pathEnd] != '?') {
            pathEnd++;
        }
        if (pathEnd < stop) {
            queryStart = pathEnd + 1;
            queryEnd = stop;
            if (!PercentCoding.isValid(head, queryStart, queryEnd)) {
                return malformed("the query is not percent-encoded UTF-8");
            }
        }
        return path(start, pathEnd);
    }

    private boolean path(int start, int stop) {
        if (stop - start <= 1) {
            path = "/";
            return true;
        }
        String decoded = PercentCoding.decode(head, start, stop, false);
        if (decoded == null) {
            return malformed("the path is not percent-encoded UTF-8");
        }
        if (!isPlainPath(decoded)) {
            return malformed("the path has control characters, backslashes or dot segments");
        }
        path = decoded;
        return true;
    }

    /** Rejects dot segments: clients resolve them, so a remaining one is probably an attempt to leave a folder. */
    private static boolean isPlainPath(String path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c < ' ' || c == 0x7f || c == '\\') {
                return false;
            }
        }
        return !path.contains("/./") && !path.contains("/../") && !path.endsWith("/.") && !path.endsWith("/..");
    }

    private boolean version() {
        for (int i = 0; i < VERSION.length + 3; i++) {
            if (at + i == end) {
                return shortage();
            }
            byte b = head[at + i];
            boolean fits =
                    i < VERSION.length ? b == VERSION[i] : i == VERSION.length + 1 ? b == '.' : HttpChars.isDigit(b);
            if (!fits) {
                return malformed("the request line must end with an HTTP version");
            }
        }
        byte major = head[at + VERSION.length];
        byte minor = head[at + VERSION.length + 2];
        if (major != '1') {
            return refuse(Code.BAD_HTTP, 505, "the HTTP version is not supported; use HTTP/1.1 or HTTP/1.0");
        }
        // A higher minor version is compatible with its major version: 1.2 is processed as 1.1 (RFC 9110, section 2.5).
        http11 = minor >= '1';
        at += VERSION.length + 3;
        return true;
    }

    private boolean fields() {
        while (at < end) {
            if (head[at] == '\r') {
                return lineEnd();
            }
            if (fieldCount == fieldsMax) {
                return refuse(Code.HEADER_TOO_LARGE, "the request has more than " + fieldsMax + " header fields");
            }
            if (!field()) {
                return false;
            }
        }
        return shortage();
    }

    private boolean field() {
        int nameStart = at;
        while (at < end && HttpChars.isToken(head[at])) {
            at++;
        }
        if (at == end) {
            return shortage();
        }
        if (at == nameStart || head[at] != ':') {
            return malformed("a header line is folded, or its name is not a token followed by a colon");
        }
        int nameEnd = at++;
        while (at < end && HttpChars.isBlank(head[at])) {
            at++;
        }
        int valueStart = at;
        while (at < end && HttpChars.isValue(head[at])) {
            at++;
        }
        int valueEnd = at;
        while (valueEnd > valueStart && HttpChars.isBlank(head[valueEnd - 1])) {
            valueEnd--;
        }
        return lineEnd() && keep(nameStart, nameEnd, valueStart, valueEnd);
    }

    private boolean keep(int nameStart, int nameEnd, int valueStart, int valueEnd) {
        int range = fieldCount++ * HttpFields.INTS_PER_FIELD;
        ranges[range] = nameStart;
        ranges[range + 1] = nameEnd;
        ranges[range + 2] = valueStart;
        ranges[range + 3] = valueEnd;
        // Only fields of these name lengths are evaluated; the length selects the candidates.
        return switch (nameEnd - nameStart) {
            case 4 -> !isNamed(nameStart, nameEnd, "Host") || host(valueStart, valueEnd);
            case 6 -> !isNamed(nameStart, nameEnd, "Expect") || expect(valueStart, valueEnd);
            case 10 -> !isNamed(nameStart, nameEnd, "Connection") || connection(valueStart, valueEnd);
            case 14 -> !isNamed(nameStart, nameEnd, "Content-Length") || contentLength(valueStart, valueEnd);
            case 17 -> !isNamed(nameStart, nameEnd, "Transfer-Encoding") || transferEncoding(valueStart, valueEnd);
            default -> true;
        };
    }

    private boolean isNamed(int start, int stop, String name) {
        return HttpChars.equalsIgnoreCase(head, start, stop, name);
    }

    private boolean host(int start, int stop) {
        if (hosts++ > 0) {
            return malformed("the request has more than one Host");
        }
        return Authority.isValid(head, start, stop) || malformed("the Host must be a host with an optional port");
    }

    private boolean expect(int start, int stop) {
        expectContinue = HttpChars.equalsIgnoreCase(head, start, stop, "100-continue");
        return expectContinue || refuse(Code.UNSUPPORTED, 417, "the only supported expectation is 100-continue");
    }

    private boolean connection(int start, int stop) {
        close |= HttpFields.listHas(head, start, stop, "close");
        keepAlive |= HttpFields.listHas(head, start, stop, "keep-alive");
        return true;
    }

    /**
     * Rejects even two equal lengths: RFC 9110, section 8.6 permits either behaviour, and real clients never send
     * two.
     */
    private boolean contentLength(int start, int stop) {
        if (lengths++ > 0) {
            return malformed("the request has more than one Content-Length");
        }
        if (start == stop || stop - start > CONTENT_LENGTH_DIGITS_MAX) {
            return malformed("the Content-Length is empty or too large");
        }
        for (int i = start; i < stop; i++) {
            if (!HttpChars.isDigit(head[i])) {
                return malformed("the Content-Length is not a number");
            }
            contentLength = contentLength * 10 + head[i] - '0';
        }
        return true;
    }

    /** Several fields form one list (RFC 9110, section 5.3), so the list is checked after all fields are read. */
    private boolean transferEncoding(int start, int stop) {
        boolean chunked = HttpChars.equalsIgnoreCase(head, start, stop, "chunked");
        int last = Math.max(start, stop - "chunked".length());
        chunkedLast = chunked
                || (HttpChars.equalsIgnoreCase(head, last, stop, "chunked")
                        && (head[last - 1] == ',' || HttpChars.isBlank(head[last - 1])));
        chunkedOnly = chunked && encodings == 0;
        encodings++;
        return true;
    }

    /**
     * Checks that chunked is the only transfer coding (RFC 9112, section 6): an unknown coding gets 501; a list that
     * does not end in chunked gives no end of the body and gets 400.
     */
    private boolean isChunkedOnly() {
        if (chunkedOnly) {
            return true;
        }
        return chunkedLast
                ? refuse(Code.UNSUPPORTED, "the transfer coding is not supported; use chunked")
                : malformed("the last transfer coding must be chunked");
    }

    private boolean isConsistent() {
        if (http11 && hosts == 0) {
            return malformed("the Host is missing");
        }
        if (encodings > 0 && lengths > 0) {
            return malformed("the request has both Transfer-Encoding and Content-Length");
        }
        if (encodings > 0 && !http11) {
            return malformed("HTTP/1.0 does not allow Transfer-Encoding");
        }
        return encodings == 0 || isChunkedOnly();
    }

    private HttpRequest request() {
        byte[] bytes = Arrays.copyOf(head, at);
        return new HttpRequest(
                method,
                http11,
                path,
                queryStart == queryEnd ? QueryParameters.NONE : new QueryParameters(bytes, queryStart, queryEnd),
                https,
                authority,
                new HttpFields(bytes, Arrays.copyOf(ranges, fieldCount * HttpFields.INTS_PER_FIELD)),
                encodings > 0 ? HttpRequest.CHUNKED : contentLength,
                !close && (http11 || keepAlive),
                expectContinue && http11 && (encodings > 0 || contentLength > 0));
    }

    private boolean lineEnd() {
        if (at == end) {
            return shortage();
        }
        if (head[at] != '\r') {
            return malformed("a line does not end with CR LF, or contains a control character");
        }
        if (at + 1 == end) {
            return shortage();
        }
        if (head[at + 1] != '\n') {
            return malformed("a CR is not followed by LF");
        }
        at += 2;
        return true;
    }

    private boolean shortage() {
        if (end < headBytesMax) {
            outcome = ParseResult.NeedMore.INSTANCE;
            return false;
        }
        return inRequestLine
                ? refuse(Code.HEADER_TOO_LARGE, 414, "the request line exceeds " + headBytesMax + " bytes")
                : refuse(Code.HEADER_TOO_LARGE, "the request head exceeds " + headBytesMax + " bytes");
    }

    private boolean malformed(String reason) {
        return refuse(Code.BAD_HTTP, reason);
    }

    private boolean refuse(Code code, String reason) {
        return refuse(code, code.httpStatus(), reason);
    }

    private boolean refuse(Code code, int status, String reason) {
        outcome = new Refusal(code, status, reason);
        return false;
    }

    private String latin1(int start, int stop) {
        return new String(head, start, stop - start, StandardCharsets.ISO_8859_1);
    }
}
