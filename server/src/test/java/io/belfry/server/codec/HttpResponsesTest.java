package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class HttpResponsesTest {
    private static final ReplyTerms KEEP = new ReplyTerms(true, true, false, null, List.of());
    private static final String DATE = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

    private long nowMillis = 784_111_777_000L;
    private int clockReads;
    private final HttpResponses responses = new HttpResponses(() -> {
        clockReads++;
        return nowMillis;
    });
    private final ByteBuf out = Unpooled.buffer();

    @Test
    void aResponseHasTheDateTheLengthAndTheBody() {
        ByteBuf body = Bytes.latin1("{}");

        responses.write(out, KEEP, 200, HttpResponses.JSON, body);

        assertThat(written())
                .isEqualTo(
                        "HTTP/1.1 200 OK\r\n" + DATE + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
        assertThat(body.readableBytes()).isEqualTo(2);
    }

    @Test
    void theDateChangesEverySecond() {
        responses.writeEmpty(out, KEEP, 200);
        nowMillis += 999;
        responses.writeEmpty(out, KEEP, 200);
        assertThat(written().split("08:49:37 GMT", -1)).hasSize(3);

        nowMillis += 1;
        out.clear();
        responses.writeEmpty(out, KEEP, 200);

        assertThat(written()).contains("08:49:38 GMT").contains("Content-Length: 0\r\n\r\n");
        assertThat(clockReads).isEqualTo(3);
    }

    @Test
    void aResponseToHeadHasTheHeadOfGetAndNoBody() {
        responses.write(out, new ReplyTerms(true, true, true, null, List.of()), 200, "text/plain", Bytes.latin1("abc"));

        assertThat(written()).endsWith("Content-Length: 3\r\n\r\n");
    }

    @Test
    void aResponseToHeadOfUnknownLengthHasNoContentLength() {
        responses.writeHeadOnly(out, new ReplyTerms(true, true, true, null, List.of()), HttpResponses.JSON);

        assertThat(written()).isEqualTo("HTTP/1.1 200 OK\r\n" + DATE + "Content-Type: application/json\r\n\r\n");
    }

    @Test
    void theConnectionFieldIsWrittenIfItDiffersFromTheDefault() {
        responses.writeEmpty(out, KEEP.closing(), 204);
        assertThat(written()).isEqualTo("HTTP/1.1 204 No Content\r\n" + DATE + "Connection: close\r\n\r\n");

        out.clear();
        responses.writeEmpty(out, new ReplyTerms(false, true, false, null, List.of()), 200);
        assertThat(written()).contains("Connection: keep-alive\r\n");
    }

    @Test
    void anErrorIsAJsonObjectWithAnEscapedReason() {
        responses.writeError(out, ReplyTerms.CLOSE, Code.BAD_REQUEST, "a \"b\" \\ \n\u0001\u007f €\ud800");

        String body = "{\"code\":\"bad-request\",\"reason\":\"a \\\"b\\\" \\\\ \\u000a\\u0001\\u007f €\\ud800\"}";
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo("HTTP/1.1 400 Bad Request\r\n" + DATE
                        + "Connection: close\r\nContent-Type: application/json\r\n"
                        + "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length
                        + "\r\nCache-Control: no-store\r\n\r\n" + body);
    }

    @Test
    void surrogatePairsAreWrittenAsOneCharacter() {
        responses.writeError(out, ReplyTerms.CLOSE, Code.BAD_REQUEST, "\ud83d\ude00");

        assertThat(written()).endsWith("\"reason\":\"\\ud83d\\ude00\"}");
    }

    @Test
    void errorsHaveTheFieldsThatTheirStatusRequires() {
        assertThat(error(KEEP, Code.METHOD_NOT_ALLOWED)).contains("Allow: GET, HEAD, POST, OPTIONS\r\n");
        assertThat(error(KEEP.with("Allow", "POST"), Code.METHOD_NOT_ALLOWED))
                .contains("Allow: POST\r\n")
                .doesNotContain("Allow: GET");
        assertThat(error(KEEP, Code.PUBLISH_RATE))
                .contains("429 Too Many Requests")
                .contains("Retry-After: 1\r\n");
        assertThat(error(KEEP, Code.DRAIN)).contains("503 Service Unavailable").contains("Retry-After: 5\r\n");
        assertThat(error(KEEP.with("retry-after", "7"), Code.DRAIN))
                .contains("retry-after: 7\r\n")
                .doesNotContain("Retry-After");
        assertThat(error(KEEP, Code.UNAUTHORIZED)).contains("WWW-Authenticate: Bearer\r\n");
        assertThat(error(KEEP, Code.UPGRADE_REQUIRED))
                .contains("426 Upgrade Required")
                .contains("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n");
        assertThat(error(ReplyTerms.CLOSE, Code.UPGRADE_REQUIRED))
                .contains("Connection: Upgrade, close\r\n")
                .doesNotContain("Connection: close");
    }

    @Test
    void everyCodeHasAStatusWithAPhrase() {
        for (Code code : Code.values()) {
            assertThat(error(KEEP, code))
                    .startsWith("HTTP/1.1 " + code.httpStatus())
                    .doesNotContain(" Status\r\n");
        }
    }

    @Test
    void everyStatusOfARefusalHasAPhrase() {
        for (int status : new int[] {414, 417, 505}) {
            out.clear();
            responses.writeError(out, ReplyTerms.CLOSE, new Refusal(Code.BAD_HTTP, status, "x"));
            assertThat(written()).startsWith("HTTP/1.1 " + status).doesNotContain(" Status\r\n");
        }
    }

    @Test
    void anErrorToHeadHasNoBodyAndNotModifiedHasNoLength() {
        responses.writeError(out, new ReplyTerms(true, true, true, null, List.of()), Code.NOT_FOUND, "x");
        assertThat(written()).contains("Content-Length: 33\r\n").endsWith("\r\n\r\n");

        out.clear();
        responses.writeEmpty(out, KEEP, 304);
        assertThat(written()).isEqualTo("HTTP/1.1 304 Not Modified\r\n" + DATE + "\r\n");
    }

    @Test
    void anAllowedOriginIsReturnedWithVary() {
        responses.writeEmpty(out, new ReplyTerms(true, true, false, "http://a", List.of()), 200);
        assertThat(written()).contains("Access-Control-Allow-Origin: http://a\r\nVary: Origin\r\n");

        out.clear();
        responses.writeEmpty(out, new ReplyTerms(true, true, false, "*", List.of()), 200);
        assertThat(written()).contains("Access-Control-Allow-Origin: *\r\n").doesNotContain("Vary");
    }

    @Test
    void aPreflightResponseListsMethodsAndHeaders() {
        responses.writePreflight(out, new ReplyTerms(true, true, false, "http://a", List.of()));
        assertThat(written())
                .startsWith("HTTP/1.1 204 No Content\r\n")
                .contains("Access-Control-Allow-Methods: GET, HEAD, POST, OPTIONS\r\n")
                .contains("Access-Control-Allow-Headers: Authorization")
                .doesNotContain("Content-Length");

        out.clear();
        responses.writePreflight(out, KEEP);
        assertThat(written()).contains("Allow: GET").doesNotContain("Access-Control");
    }

    @Test
    void aStreamIsChunkedInHttp11AndClosesTheConnectionInHttp10() {
        responses.writeStreamHead(out, KEEP, HttpResponses.EVENT_STREAM, "a-1", 0);
        assertThat(written())
                .isEqualTo(
                        "HTTP/1.1 200 OK\r\n" + DATE + "Content-Type: text/event-stream\r\n"
                                + "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\nBelfry-Session: a-1\r\nTransfer-Encoding: chunked\r\n\r\n");

        out.clear();
        responses.writeStreamHead(
                out, new ReplyTerms(false, true, false, null, List.of()), HttpResponses.NDJSON, "a-1", 0);
        assertThat(written()).contains("Connection: close\r\n").doesNotContain("chunked");
    }

    @Test
    void theSessionNameIsExposedToPagesOfOtherOrigins() {
        responses.writeStreamHead(
                out, new ReplyTerms(true, true, false, "http://a", List.of()), HttpResponses.NDJSON, "a-1", 0);
        assertThat(written()).contains("Belfry-Session: a-1\r\nAccess-Control-Expose-Headers: Belfry-Session\r\n");
    }

    @Test
    void theTermsDependOnTheRequest() {
        HttpRequest request = ((ParseResult.Head) new HttpRequestParser()
                        .parse(Bytes.latin1("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")))
                .request();

        assertThat(ReplyTerms.of(request, "*")).isEqualTo(new ReplyTerms(true, false, true, "*", List.of()));
    }

    @Test
    void aFieldValueCannotInjectAnotherField() {
        assertThatThrownBy(() -> KEEP.with("X", "a\r\nY: b")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void continueIsAnInterimResponse() {
        HttpResponses.writeContinue(out);

        assertThat(written()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
    }

    @Test
    void chunksHaveHexadecimalSizes() {
        for (int length : new int[] {1, 9, 10, 15, 16, 255, 256, 4095, 4096, 65536, Integer.MAX_VALUE}) {
            out.clear();
            HttpChunks.writeHeader(out, length);
            assertThat(written()).isEqualTo(Integer.toHexString(length) + "\r\n");
            assertThat(out.readableBytes()).isEqualTo(HttpChunks.headerBytes(length));
        }
        out.clear();
        HttpChunks.writeEnd(out);
        HttpChunks.writeLast(out);
        assertThat(written()).isEqualTo("\r\n0\r\n\r\n");
    }

    private String error(ReplyTerms terms, Code code) {
        out.clear();
        responses.writeError(out, terms, code, code.sentence());
        return written();
    }

    private String written() {
        return Bytes.latin1(out);
    }
}
