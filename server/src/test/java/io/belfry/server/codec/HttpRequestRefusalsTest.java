package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests requests that the parser refuses: request smuggling and malformed requests. */
class HttpRequestRefusalsTest {
    private record Row(String name, int status, Code code, String request) {}

    private static final List<Row> ROWS = List.of(
            // The request line
            line("no version", 400, "GET /"),
            line("HTTP/0.9 with a space", 400, "GET / "),
            line("two spaces before the target", 400, "GET  / HTTP/1.1"),
            line("two spaces before the version", 400, "GET /  HTTP/1.1"),
            line("a space after the version", 400, "GET / HTTP/1.1 "),
            line("a tab for a space", 400, "GET\t/ HTTP/1.1"),
            line("a leading space", 400, " GET / HTTP/1.1"),
            line("no method", 400, "/ HTTP/1.1"),
            line("a lower-case protocol", 400, "GET / http/1.1"),
            line("a version of two digits", 400, "GET / HTTP/1.10"),
            line("a version without a dot", 400, "GET / HTTP/1 1"),
            line("another protocol", 400, "GET / ICY/1.1"),
            line("HTTP/2.9", 505, Code.BAD_HTTP, "GET / HTTP/2.9"),
            line("HTTP/0.9", 505, Code.BAD_HTTP, "GET / HTTP/0.9"),
            line("a method that is not a token", 400, "G(T / HTTP/1.1"),
            line("an unknown method", 501, Code.UNSUPPORTED, "BREW / HTTP/1.1"),
            line("a lower-case method", 501, Code.UNSUPPORTED, "get / HTTP/1.1"),
            line("an endless method", 501, Code.UNSUPPORTED, "A".repeat(30)),
            line("PUT", 405, Code.METHOD_NOT_ALLOWED, "PUT / HTTP/1.1"),
            line("DELETE", 405, Code.METHOD_NOT_ALLOWED, "DELETE / HTTP/1.1"),
            line("TRACE", 405, Code.METHOD_NOT_ALLOWED, "TRACE / HTTP/1.1"),
            line("CONNECT", 405, Code.METHOD_NOT_ALLOWED, "CONNECT a:443 HTTP/1.1"),
            line("the asterisk without OPTIONS", 400, "GET * HTTP/1.1"),
            line("the asterisk with a query", 400, "OPTIONS *?a=b HTTP/1.1"),
            line("two asterisks", 400, "OPTIONS ** HTTP/1.1"),
            line("a relative target", 400, "GET a/b HTTP/1.1"),
            line("an authority as target", 400, "GET a:80 HTTP/1.1"),
            line("another scheme", 400, "GET ftp://a/ HTTP/1.1"),
            line("a scheme of WebSocket", 400, "GET wss://a/ HTTP/1.1"),
            line("a scheme like https", 400, "GET httpss://a/ HTTP/1.1"),
            line("an https target cut short", 400, "GET https:/ HTTP/1.1"),
            line("an https target without host", 400, "GET https:///p HTTP/1.1"),
            line("an https target with a user", 400, "GET https://u@a/ HTTP/1.1"),
            raw("an absolute target without Host", 400, "GET https://a/ HTTP/1.1\r\n\r\n"),
            line("a scheme without slashes", 400, "GET http:/a HTTP/1.1"),
            line("an absolute target without host", 400, "GET http:///p HTTP/1.1"),
            line("an absolute target with a user", 400, "GET http://u@a/ HTTP/1.1"),
            line("an absolute target with a bad port", 400, "GET http://a:99999/ HTTP/1.1"),
            line("a fragment", 400, "GET /a#b HTTP/1.1"),
            line("a raw byte beyond ASCII", 400, "GET /\u00e4 HTTP/1.1"),
            line("a control character in the target", 400, "GET /\u0001 HTTP/1.1"),
            line("a NUL in the target", 400, "GET /\u0000 HTTP/1.1"),
            line("a quote in the target", 400, "GET /\" HTTP/1.1"),
            line("an escape cut short", 400, "GET /%2 HTTP/1.1"),
            line("an escape that is not hexadecimal", 400, "GET /%2g HTTP/1.1"),
            line("a lone percent sign in the query", 400, "GET /?a=% HTTP/1.1"),
            line("an escape across parameters", 400, "GET /?a=%2&0=1 HTTP/1.1"),
            line("an escaped NUL in the path", 400, "GET /%00 HTTP/1.1"),
            line("an escaped NUL in the query", 400, "GET /?a=%00 HTTP/1.1"),
            line("an escaped line feed in the path", 400, "GET /a%0ab HTTP/1.1"),
            line("an escaped path that is not UTF-8", 400, "GET /%C3 HTTP/1.1"),
            line("an escaped query that is not UTF-8", 400, "GET /?a=%C3&b=%A4 HTTP/1.1"),
            line("an overlong escape", 400, "GET /%C0%AE HTTP/1.1"),
            line("dot segments", 400, "GET /a/../../etc/passwd HTTP/1.1"),
            line("escaped dot segments", 400, "GET /%2e%2e/x HTTP/1.1"),
            line("a last dot segment", 400, "GET /a/.. HTTP/1.1"),
            line("a dot segment", 400, "GET /a/./b HTTP/1.1"),
            line("a single last dot", 400, "GET /. HTTP/1.1"),
            line("an escaped DEL in the path", 400, "GET /%7F HTTP/1.1"),
            line("a backslash in the path", 400, "GET /..\\x HTTP/1.1"),
            // Line ends
            raw("a bare LF after the request line", 400, "GET / HTTP/1.1\nHost: a\r\n\r\n"),
            raw("a bare CR after the request line", 400, "GET / HTTP/1.1\rHost: a\r\n\r\n"),
            raw("a bare LF after a field", 400, "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
            raw("a bare CR in a field", 400, "GET / HTTP/1.1\r\nHost: a\r\nX: y\rZ: z\r\n\r\n"),
            raw("a bare LF for the last line", 400, "GET / HTTP/1.1\r\nHost: a\r\n\n"),
            raw("CR CR LF", 400, "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n"),
            raw("two empty lines first", 400, "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
            raw("a bare LF first", 400, "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
            raw("a TLS hello", 400, "\u0016\u0003\u0001\u0002\u0000"),
            // Fields
            field("a folded line", 400, "X: a\r\n b"),
            field("a line folded with a tab", 400, "X: a\r\n\tb"),
            raw("white space before the first field", 400, "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
            field("a space before the colon", 400, "X : a"),
            field("a tab before the colon", 400, "Transfer-Encoding\t: chunked"),
            field("no colon", 400, "X"),
            field("no name", 400, ": x"),
            field("a name that is not a token", 400, "X(y): z"),
            field("a name beyond ASCII", 400, "\u00e4: z"),
            field("a NUL in a name", 400, "X\u0000: z"),
            field("a NUL in a value", 400, "X: a\u0000b"),
            field("a vertical tab in a value", 400, "Transfer-Encoding: \u000bchunked"),
            field("a form feed in a value", 400, "X: \u000c"),
            field("DEL in a value", 400, "X: \u007f"),
            // Host
            raw("no Host", 400, "GET / HTTP/1.1\r\n\r\n"),
            field("two Hosts", 400, "Host: a"),
            field("two Hosts in different case", 400, "HOST: b"),
            host("an empty Host", ""),
            host("two names in one Host", "a, b"),
            host("a space in the Host", "a b"),
            host("a path in the Host", "a/b"),
            host("a user in the Host", "u@a"),
            host("a port that is not a number", "a:8x"),
            host("a port over 65535", "a:65536"),
            host("a negative port", "a:-1"),
            host("an IPv6 address without brackets", "::1"),
            host("nine groups of colons", "[1:2:3:4:5:6:7:8:9:a]"),
            host("a bracket left open", "[::1"),
            host("brackets around a name", "[a]"),
            host("text after the brackets", "[::1]x"),
            host("a byte beyond ASCII in the Host", "\u00e4"),
            host("a Host of 256 bytes", "a".repeat(256)),
            raw("two Hosts in HTTP/1.0", 400, "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"),
            raw("a bad Host in HTTP/1.0", 400, "GET / HTTP/1.0\r\nHost: a b\r\n\r\n"),
            // Framing
            field("both length and chunked", 400, "Content-Length: 5\r\nTransfer-Encoding: chunked"),
            field("both chunked and length", 400, "Transfer-Encoding: chunked\r\nContent-Length: 0"),
            field("different lengths", 400, "Content-Length: 5\r\nContent-Length: 6"),
            field("the same length twice", 400, "Content-Length: 5\r\nContent-Length: 5"),
            field("a list of lengths", 400, "Content-Length: 5, 5"),
            field("a negative length", 400, "Content-Length: -1"),
            field("a length with a plus", 400, "Content-Length: +5"),
            field("a hexadecimal length", 400, "Content-Length: 0x5"),
            field("an empty length", 400, "Content-Length:"),
            field("a length with a space", 400, "Content-Length: 1 0"),
            field("a fraction", 400, "Content-Length: 1.0"),
            field("a length over 63 bits", 400, "Content-Length: 9223372036854775808"),
            field("a length that wraps around to 5", 400, "Content-Length: 18446744073709551621"),
            field("identity", 400, "Transfer-Encoding: identity"),
            field("an empty coding", 400, "Transfer-Encoding:"),
            field("an unknown coding", 400, "Transfer-Encoding: xchunked"),
            field("an unknown coding that ends like chunked", 400, "Transfer-Encoding: x-chunked"),
            field("chunked that is not last", 400, "Transfer-Encoding: chunked, identity"),
            field("chunked in quotes", 400, "Transfer-Encoding: \"chunked\""),
            field("chunked with a parameter", 400, "Transfer-Encoding: chunked;x=1"),
            field("chunked with a comma", 400, "Transfer-Encoding: chunked,"),
            field("a last line that is not chunked", 400, "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
            field("a last line that is empty", 400, "Transfer-Encoding: chunked\r\nTransfer-Encoding:"),
            field("a last line like chunked", 400, "Transfer-Encoding: gzip\r\nTransfer-Encoding: xchunked"),
            field(
                    "two lines of codings and a length",
                    400,
                    "Transfer-Encoding: gzip\r\nContent-Length: 5\r\nTransfer-Encoding: chunked"),
            coding("gzip and chunked in one line", "Transfer-Encoding: gzip, chunked"),
            coding("gzip and chunked in two lines", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked"),
            coding("an empty line and chunked", "Transfer-Encoding:\r\nTransfer-Encoding: chunked"),
            coding("chunked twice in one line", "Transfer-Encoding: chunked, chunked"),
            coding("chunked twice in two lines", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
            raw("codings on two lines in HTTP/1.0", 400, """
                    POST / HTTP/1.0\r
                    Transfer-Encoding: gzip\r
                    Transfer-Encoding: chunked\r
                    \r
                    """),
            raw("chunked in HTTP/1.0", 400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
            new Row("an unknown expectation", 417, Code.UNSUPPORTED, fields("Expect: 200-ok")),
            new Row("a request line without end", 414, Code.HEADER_TOO_LARGE, "GET /" + "a".repeat(8192)),
            new Row("fields without end", 431, Code.HEADER_TOO_LARGE, fields("X: " + "a".repeat(8192))),
            new Row("too many fields", 431, Code.HEADER_TOO_LARGE, fields("X: 1\r\n".repeat(64) + "X: 1")));

    @TestFactory
    Stream<DynamicTest> isRefused() {
        return ROWS.stream()
                .map(row -> DynamicTest.dynamicTest(row.name, () -> {
                    ByteBuf in = Bytes.latin1(row.request);
                    ParseResult result = new HttpRequestParser().parse(in);

                    assertThat(result).isInstanceOfSatisfying(Refusal.class, refusal -> {
                        assertThat(refusal.status()).isEqualTo(row.status);
                        assertThat(refusal.code()).isEqualTo(row.code);
                        assertThat(refusal.reason()).isNotBlank();
                    });
                    assertThat(in.readerIndex()).isZero();
                }));
    }

    /** A request that is refused when complete must not be accepted while it is incomplete. */
    @TestFactory
    Stream<DynamicTest> isNeverAcceptedWhileIncomplete() {
        return ROWS.stream()
                .map(row -> DynamicTest.dynamicTest(row.name, () -> {
                    HttpRequestParser parser = new HttpRequestParser();
                    int step = Math.max(1, row.request.length() / 256);
                    for (int length = 0; length < row.request.length(); length += step) {
                        assertThat(parser.parse(Bytes.latin1(row.request.substring(0, length))))
                                .isNotInstanceOf(ParseResult.Head.class);
                    }
                }));
    }

    private static Row raw(String name, int status, String request) {
        return new Row(name, status, Code.BAD_HTTP, request);
    }

    private static Row line(String name, int status, String line) {
        return line(name, status, Code.BAD_HTTP, line);
    }

    private static Row line(String name, int status, Code code, String line) {
        return new Row(name, status, code, line + "\r\nHost: a\r\n\r\n");
    }

    private static Row field(String name, int status, String field) {
        return raw(name, status, fields(field));
    }

    private static Row coding(String name, String fields) {
        return new Row(name, 501, Code.UNSUPPORTED, fields(fields));
    }

    private static Row host(String name, String host) {
        return raw(name, 400, "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    }

    private static String fields(String fields) {
        return "POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n\r\n";
    }
}
