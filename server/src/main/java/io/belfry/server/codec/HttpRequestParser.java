package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the head of an HTTP/1.1 or 1.0 request and refuses everything that two readers could understand differently:
 * that is what request smuggling is made of (RFC 9112, section 11.2). It keeps nothing between two calls, so an idle or
 * slow connection costs no more than its bytes; a byte that cannot be right is refused as soon as it is seen.
 *
 * <p>Owner: one loop, which uses one parser for all its connections (the scratch arrays are why).
 */
public final class HttpRequestParser {
    public static final int HEAD_BYTES_MAX = 8192;
    public static final int FIELDS_MAX = 64;

    private static final byte[] VERSION = "HTTP/".getBytes(StandardCharsets.US_ASCII);
    private static final String SCHEME = "http://";
    private static final int CONTENT_LENGTH_DIGITS_MAX = 18;

    private final int headBytesMax;
    private final int fieldsMax;
    private final byte[] head;
    private final int[] ranges;

    // What one call of parse found so far.
    private int end;
    private int at;
    private boolean inRequestLine;
    private ParseResult outcome = ParseResult.NeedMore.INSTANCE;
    private HttpMethod method = HttpMethod.GET;
    private boolean http11;
    private String path = "/";
    private @Nullable String authority;
    private int queryStart;
    private int queryEnd;
    private int fieldCount;
    private int hosts;
    private int lengths;
    private int encodings;
    private long contentLength;
    private boolean expectContinue;
    private boolean close;
    private boolean keepAlive;

    public HttpRequestParser() {
        this(HEAD_BYTES_MAX, FIELDS_MAX);
    }

    /** Bounds on the request line and fields together, blank line included, and on the number of fields. */
    public HttpRequestParser(int headBytesMax, int fieldsMax) {
        this.headBytesMax = headBytesMax;
        this.fieldsMax = fieldsMax;
        this.head = new byte[headBytesMax];
        this.ranges = new int[fieldsMax * HttpFields.INTS_PER_FIELD];
    }

    /** Takes one whole head from the buffer, or nothing. After a {@link Refusal} the connection has to be closed. */
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
        // One empty line before a request is left over from older clients' bodies (RFC 9112, section 2.2).
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
            return malformed("the request does not begin with a method and one space");
        }
        HttpMethod known = HttpMethod.of(head, start, at);
        if (known == null) {
            String name = latin1(start, at);
            return HttpMethod.isKnownElsewhere(name)
                    ? refuse(Code.METHOD_NOT_ALLOWED, "the method " + name + " is not served here")
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
            return malformed("the request target has a character that must be encoded, or no version follows it");
        }
        int stop = at++;
        if (stop > start && head[start] == '/') {
            return pathAndQuery(start, stop);
        }
        int schemeEnd = start + SCHEME.length();
        if (schemeEnd > stop || !HttpChars.equalsIgnoreCase(head, start, schemeEnd, SCHEME)) {
            return malformed("the request target is neither a path nor an http:// address");
        }
        return absolute(schemeEnd, stop);
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

    /** Clients resolve dot segments themselves; here they could only be meant to climb out of a folder. */
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
                return malformed("the request line does not end with a version");
            }
        }
        byte major = head[at + VERSION.length];
        byte minor = head[at + VERSION.length + 2];
        if (major != '1' || minor > '1') {
            return refuse(Code.BAD_HTTP, 505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
        }
        http11 = minor == '1';
        at += VERSION.length + 3;
        return true;
    }

    private boolean fields() {
        while (at < end) {
            if (head[at] == '\r') {
                return lineEnd();
            }
            if (fieldCount == fieldsMax) {
                return refuse(Code.HEADER_TOO_LARGE, "more than " + fieldsMax + " header fields");
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
            return malformed("a header line is folded or its name is not a token followed by a colon");
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
        // The length of the name tells which of the fields that matter here it can be.
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
            return malformed("more than one Host");
        }
        return Authority.isValid(head, start, stop) || malformed("the Host is not a host with an optional port");
    }

    private boolean expect(int start, int stop) {
        expectContinue = HttpChars.equalsIgnoreCase(head, start, stop, "100-continue");
        return expectContinue || refuse(Code.UNSUPPORTED, 417, "only 100-continue can be expected");
    }

    private boolean connection(int start, int stop) {
        close |= HttpFields.listHas(head, start, stop, "close");
        keepAlive |= HttpFields.listHas(head, start, stop, "keep-alive");
        return true;
    }

    /** Even two equal lengths are refused: RFC 9110, section 8.6 leaves the choice, and no client sends them. */
    private boolean contentLength(int start, int stop) {
        if (lengths++ > 0) {
            return malformed("more than one Content-Length");
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

    private boolean transferEncoding(int start, int stop) {
        if (encodings++ > 0) {
            return malformed("more than one Transfer-Encoding");
        }
        if (HttpChars.equalsIgnoreCase(head, start, stop, "chunked")) {
            return true;
        }
        // RFC 9112, section 6.1: a coding not understood is 501, a list that does not end in chunked has no end: 400.
        int last = Math.max(start, stop - "chunked".length());
        boolean endsChunked = HttpChars.equalsIgnoreCase(head, last, stop, "chunked")
                && (head[last - 1] == ',' || HttpChars.isBlank(head[last - 1]));
        return endsChunked
                ? refuse(Code.UNSUPPORTED, "no transfer coding but chunked is understood")
                : malformed("the Transfer-Encoding is not chunked");
    }

    private boolean isConsistent() {
        if (http11 && hosts == 0) {
            return malformed("no Host");
        }
        if (encodings > 0 && lengths > 0) {
            return malformed("both Transfer-Encoding and Content-Length");
        }
        if (encodings > 0 && !http11) {
            return malformed("Transfer-Encoding in HTTP/1.0");
        }
        return true;
    }

    private HttpRequest request() {
        byte[] bytes = Arrays.copyOf(head, at);
        return new HttpRequest(
                method,
                http11,
                path,
                queryStart == queryEnd ? QueryParameters.NONE : new QueryParameters(bytes, queryStart, queryEnd),
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
            return malformed("a line does not end with CR LF or has a control character");
        }
        if (at + 1 == end) {
            return shortage();
        }
        if (head[at + 1] != '\n') {
            return malformed("a CR without LF");
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
                ? refuse(Code.HEADER_TOO_LARGE, 414, "the request line is longer than " + headBytesMax + " bytes")
                : refuse(Code.HEADER_TOO_LARGE, "the request's head is larger than " + headBytesMax + " bytes");
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
