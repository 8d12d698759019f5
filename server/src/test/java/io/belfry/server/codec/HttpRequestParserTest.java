package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HttpRequestParserTest {
    private static final String UPGRADE = """
            GET /chat?room=%C3%A4&x=1 HTTP/1.1\r
            Host: example.com:8800\r
            User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r
            Connection: keep-alive, Upgrade\r
            Upgrade: websocket\r
            Origin: http://example.com:8800\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \r
            """;

    private final HttpRequestParser parser = new HttpRequestParser();

    @Test
    void aCompleteHeadConsumesExactlyItsBytes() {
        ByteBuf in = Bytes.latin1(UPGRADE + "after");

        ParseResult result = parser.parse(in);

        assertThat(result).isInstanceOfSatisfying(ParseResult.Head.class, head -> {
            assertThat(head.consumedBytes()).isEqualTo(UPGRADE.length());
            HttpRequest request = head.request();
            assertThat(request.method()).isEqualTo(HttpMethod.GET);
            assertThat(request.http11()).isTrue();
            assertThat(request.path()).isEqualTo("/chat");
            assertThat(request.query().first("room")).isEqualTo("ä");
            assertThat(request.host()).isEqualTo("example.com:8800");
            assertThat(request.header("sec-websocket-KEY")).isEqualTo("dGhlIHNhbXBsZSBub25jZQ==");
            assertThat(request.headerHasToken("connection", "upgrade")).isTrue();
            assertThat(request.headerHasToken("connection", "up")).isFalse();
            assertThat(request.header("Nothing")).isNull();
            assertThat(request.keepAlive()).isTrue();
            assertThat(request.framing()).isEqualTo(HttpRequest.Framing.NONE);
        });
        assertThat(Bytes.latin1(in)).isEqualTo("after");
    }

    @Test
    void everyTruncationOfAValidHeadNeedsMoreAndConsumesNothing() {
        for (int length = 0; length < UPGRADE.length(); length++) {
            ByteBuf in = Bytes.latin1(UPGRADE.substring(0, length));

            assertThat(parser.parse(in)).as("%d bytes", length).isEqualTo(ParseResult.NeedMore.INSTANCE);
            assertThat(in.readerIndex()).isZero();
        }
    }

    @Test
    void pipelinedRequestsAreParsedSeparately() {
        ByteBuf in = Bytes.latin1("""
                POST /a?x=1 HTTP/1.1\r
                Host: a\r
                Content-Length: 3\r
                Expect: 100-continue\r
                \r
                GET /b HTTP/1.0\r
                \r
                """);

        HttpRequest first = head(in);
        HttpRequest second = head(in);

        assertThat(first.contentLength()).isEqualTo(3);
        assertThat(first.framing()).isEqualTo(HttpRequest.Framing.LENGTH);
        assertThat(first.expectContinue()).isTrue();
        assertThat(second.path()).isEqualTo("/b");
        assertThat(second.contentLength()).isZero();
        assertThat(second.expectContinue()).isFalse();
        assertThat(second.query().isEmpty()).isTrue();
        assertThat(second.host()).isNull();
        assertThat(second.keepAlive()).isFalse();
        assertThat(first.query().first("x")).isEqualTo("1");
    }

    @Test
    void oneEmptyLineBeforeARequestIsSkippedAndTwoAreNot() {
        assertThat(head(Bytes.latin1("\r\nGET / HTTP/1.0\r\n\r\n")).path()).isEqualTo("/");
        assertThat(parser.parse(Bytes.latin1("\r\n\r\nGET / HTTP/1.0\r\n\r\n"))).isInstanceOf(Refusal.class);
    }

    @Test
    void anAbsoluteTargetOverridesTheHostField() {
        HttpRequest request = head(Bytes.latin1("GET HTTP://B.example:81/p?q=1 HTTP/1.1\r\nHost: a\r\n\r\n"));
        HttpRequest bare = head(Bytes.latin1("GET http://b?q=2 HTTP/1.1\r\nHost: a\r\n\r\n"));

        assertThat(request.host()).isEqualTo("B.example:81");
        assertThat(request.path()).isEqualTo("/p");
        assertThat(request.query().first("q")).isEqualTo("1");
        assertThat(bare.path()).isEqualTo("/");
        assertThat(bare.query().first("q")).isEqualTo("2");
    }

    @Test
    void anAbsoluteHttpsTargetIsAccepted() {
        HttpRequest request =
                head(Bytes.latin1("GET HTTPS://a.example/health/live HTTP/1.1\r\nHost: a.example\r\n\r\n"));

        assertThat(request.https()).isTrue();
        assertThat(request.host()).isEqualTo("a.example");
        assertThat(request.path()).isEqualTo("/health/live");
        assertThat(head(Bytes.latin1("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"))
                        .https())
                .isFalse();
        assertThat(get("/").https())
                .as("not carried over from the previous request")
                .isFalse();
    }

    @Test
    void aLaterMinorVersionIsProcessedAsHttp11() {
        HttpRequest request = head(Bytes.latin1("GET / HTTP/1.2\r\nHost: a\r\n\r\n"));

        assertThat(request.http11()).isTrue();
        assertThat(request.keepAlive()).isTrue();
        assertThat(head(Bytes.latin1("GET / HTTP/1.9\r\nHost: a\r\n\r\n")).http11())
                .isTrue();
        assertThat(parser.parse(Bytes.latin1("GET / HTTP/1.2\r\n\r\n")))
                .as("version 1.2 needs a Host like 1.1")
                .isInstanceOf(Refusal.class);
    }

    @Test
    void optionsWithAnAsteriskIsAccepted() {
        HttpRequest request = head(Bytes.latin1("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"));

        assertThat(request.method()).isEqualTo(HttpMethod.OPTIONS);
        assertThat(request.path()).isEqualTo("/");
        assertThat(request.host()).isEqualTo("a");
    }

    @Test
    void pathsAreDecodedOnce() {
        assertThat(get("/a%2520b%C3%BC%2Fc").path()).isEqualTo("/a%20bü/c");
        assertThat(get("/a+b").path()).isEqualTo("/a+b");
        assertThat(get("/").path()).isEqualTo("/");
        assertThat(get("/..a/.b/c..").path()).isEqualTo("/..a/.b/c..");
    }

    @Test
    void queryParametersKeepTheirOrderAndAreDecodedAsForms() {
        QueryParameters query =
                get("/s?subject=/a/b&subject=%2Fc%20d&&flag&empty=&e=a=b&pl+us=1+1%2B1&subject=%E2%82%AC")
                        .query();

        assertThat(query.all("subject")).containsExactly("/a/b", "/c d", "€");
        assertThat(query.first("flag")).isEmpty();
        assertThat(query.first("empty")).isEmpty();
        assertThat(query.first("e")).isEqualTo("a=b");
        assertThat(query.first("pl us")).isEqualTo("1 1+1");
        assertThat(query.first("sub")).isNull();
        assertThat(query.all("sub")).isEmpty();
        assertThat(query.names()).containsExactly("subject", "subject", "flag", "empty", "e", "pl us", "subject");
        assertThat(get("/s?").query().isEmpty()).isTrue();
        assertThat(get("/s").query().first("a")).isNull();
    }

    @Test
    void fieldsWithTheSameNameAreJoined() {
        HttpRequest request = head(
                Bytes.latin1(
                        "GET / HTTP/1.1\r\nHost: a\r\nX:\t one \r\nConnection: foo ,\tClose\r\nx: two,three\r\nEmpty:\r\nX-Latin: \u00e4\r\n\r\n"));

        assertThat(request.header("X")).isEqualTo("one, two,three");
        assertThat(request.headerCount("x")).isEqualTo(2);
        assertThat(request.headerHasToken("X", "THREE")).isTrue();
        assertThat(request.headerHasToken("X", "two,three")).isFalse();
        assertThat(request.header("Empty")).isEmpty();
        assertThat(request.headerHasToken("Empty", "x")).isFalse();
        assertThat(request.header("x-latin")).isEqualTo("ä");
        assertThat(request.keepAlive()).isFalse();
    }

    @Test
    void keepAliveFollowsTheVersionAndTheConnectionField() {
        assertThat(head(Bytes.latin1("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"))
                        .keepAlive())
                .isTrue();
        assertThat(head(Bytes.latin1("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n"))
                        .keepAlive())
                .isFalse();
        assertThat(head(Bytes.latin1("GET / HTTP/1.1\r\nHost: a\r\nConnection: x\r\nConnection: close\r\n\r\n"))
                        .keepAlive())
                .isFalse();
    }

    @Test
    void allFormsOfHostsAreAccepted() {
        for (String host :
                new String[] {"a", "a.b-c.d:1", "127.0.0.1:65535", "[::1]", "[2001:db8::1.2.3.4]:80", "a:"}) {
            assertThat(head(Bytes.latin1("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                            .host())
                    .isEqualTo(host);
        }
    }

    @Test
    void aChunkedBodyIsRecognized() {
        HttpRequest request = head(Bytes.latin1(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\nExpect: 100-Continue\r\n\r\n"));

        assertThat(request.framing()).isEqualTo(HttpRequest.Framing.CHUNKED);
        assertThat(request.expectContinue()).isTrue();
    }

    @Test
    void anExpectationWithoutABodyOrInHttp10IsIgnored() {
        assertThat(head(Bytes.latin1("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"))
                        .expectContinue())
                .isFalse();
        assertThat(head(Bytes.latin1("POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"))
                        .expectContinue())
                .isFalse();
    }

    @Test
    void theBoundOnTheHeadIsExact() {
        HttpRequestParser small = new HttpRequestParser(64, 64);
        String fits = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
        fits += "x".repeat(64 - fits.length() - 4) + "\r\n\r\n";

        assertThat(small.parse(Bytes.latin1(fits + "body"))).isInstanceOf(ParseResult.Head.class);
        assertThat(small.parse(Bytes.latin1(fits.replace("X: ", "X: x"))))
                .isInstanceOfSatisfying(Refusal.class, refusal -> {
                    assertThat(refusal.status()).isEqualTo(431);
                    assertThat(refusal.code()).isEqualTo(Code.HEADER_TOO_LARGE);
                });
        assertThat(small.parse(Bytes.latin1("GET /" + "x".repeat(59))))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(414));
        assertThat(small.parse(Bytes.latin1("GET /" + "x".repeat(58)))).isEqualTo(ParseResult.NeedMore.INSTANCE);
    }

    @Test
    void theNumberOfFieldsIsLimited() {
        String fields = "X: 1\r\n".repeat(63);

        assertThat(parser.parse(Bytes.latin1("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n")))
                .isInstanceOf(ParseResult.Head.class);
        assertThat(parser.parse(Bytes.latin1("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "X: 1\r\n\r\n")))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(431));
    }

    @Test
    void theParserReturnsAResultForAnyBytes() {
        Random random = new Random(20261120);
        byte[] valid = UPGRADE.getBytes(StandardCharsets.ISO_8859_1);
        for (int round = 0; round < 50_000; round++) {
            byte[] bytes = valid.clone();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            ByteBuf in = Unpooled.wrappedBuffer(bytes);
            ParseResult result = parser.parse(in);
            if (result instanceof ParseResult.Head head) {
                assertThat(in.readerIndex()).isEqualTo(head.consumedBytes());
                head.request()
                        .query()
                        .names()
                        .forEach(name -> head.request().query().all(name));
            } else {
                assertThat(in.readerIndex()).isZero();
            }
        }
    }

    private HttpRequest get(String target) {
        return head(Bytes.latin1("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n"));
    }

    private HttpRequest head(ByteBuf in) {
        ParseResult result = parser.parse(in);
        assertThat(result).isInstanceOf(ParseResult.Head.class);
        return ((ParseResult.Head) result).request();
    }
}
