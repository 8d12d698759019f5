package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests rarely used forms of HTTP: HEAD, OPTIONS of the server, versions 1.0 and 1.2, absolute targets. */
final class HttpVersionsTest {
    private static final String EVENTS = "text/event-stream";
    private static final String LINES = "application/x-ndjson";

    private static SelfSigned certificate;
    private static TestServer server;

    @BeforeAll
    static void start() {
        certificate = SelfSigned.make();
        server = TestServer.start(certificate.settings(
                "Workgroups=1",
                "IoThreads=1",
                "X.Echo=true",
                // The client's first TLS handshake loads classes, which takes seconds on a busy machine.
                "Limit.HandshakeTime=1 m",
                "DocumentRoot=" + TestMachine.module().resolve("src/test/foreign"),
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Http.Answer ask(String request) {
        try (Http http = Http.to(server.port())) {
            http.raw().send(request);
            return http.answer();
        }
    }

    // ---- HEAD ----

    /** Returns the head of an answer to HEAD and checks that no body follows. */
    private static Http.Answer head(String target, String... headers) {
        try (Http http = Http.to(server.port())) {
            http.raw().send(Http.text("HEAD", target, "", headers));
            Http.Answer head = http.head();
            assertThat(http.get("/health/live").status())
                    .as("next answer follows the head of %s", target)
                    .isEqualTo(200);
            return head;
        }
    }

    @Test
    void headOfAStreamHasItsFieldsAndOpensNoSession() {
        long opened = sessionsOpened();
        for (String accept : List.of(EVENTS, LINES)) {
            Http.Answer head = head("/subscribe?subject=/versions/head", "Accept: " + accept);
            assertThat(head.status()).isEqualTo(200);
            Map<String, String> expected = new LinkedHashMap<>(fields(streamHead("/versions/head", accept)));
            // The name of a session, which HEAD does not open.
            assertThat(expected.remove("belfry-session")).isNotNull();
            assertThat(fields(head)).isEqualTo(expected);
            assertThat(head.headers())
                    .containsEntry("content-type", accept)
                    .containsEntry("transfer-encoding", "chunked")
                    .doesNotContainKey("content-length");
        }
        assertThat(sessionsOpened())
                .as("sessions opened by two streams and none by HEAD")
                .isEqualTo(opened + 2);
    }

    private static Http.Answer streamHead(String subject, String accept) {
        try (Http http = Http.to(server.port())) {
            return http.stream("/subscribe?subject=" + subject, "Accept: " + accept);
        }
    }

    @Test
    void headOfAPollOrHistoryDoesNotWaitOrOpenASession() {
        long opened = sessionsOpened();
        for (String target :
                List.of("/poll?subject=/versions/head&wait=60s", "/history?subject=/versions/head&count=5")) {
            Http.Answer head = head(target);
            assertThat(head.status()).as(target).isEqualTo(200);
            assertThat(head.headers())
                    .containsEntry("content-type", "application/json")
                    .doesNotContainKey("content-length")
                    .doesNotContainKey("transfer-encoding");
        }
        assertThat(sessionsOpened()).isEqualTo(opened);
    }

    @Test
    void headOfEveryOtherPathHasTheFieldsOfGet() {
        for (String target : List.of(
                "/",
                "/index.html",
                "/nothing",
                "/health/live",
                "/health/ready",
                "/echo",
                "/publish?subject=/versions/head",
                "/subscribe",
                "/subscribe?subject=bad",
                "/poll?subject=/a&wait=1h",
                "/poll",
                "/history?subject=/*")) {
            Http.Answer get = ask(Http.text("GET", target, ""));
            Http.Answer head = head(target);
            assertThat(head.status()).as(target).isEqualTo(get.status());
            assertThat(fields(head)).as(target).isEqualTo(fields(get)).containsKey("content-length");
        }
    }

    @Test
    void headOfTheMonitorHasTheFieldsOfGet() {
        for (String page : List.of("/health/live", "/nothing")) {
            try (Http http = Http.to(server.monitorHttpPort())) {
                Http.Answer get = http.get(page);
                http.raw().send(Http.text("HEAD", page, ""));
                Http.Answer head = http.head();
                assertThat(head.status()).as(page).isEqualTo(get.status());
                assertThat(fields(head)).as(page).isEqualTo(fields(get)).containsKey("content-length");
                assertThat(http.get("/health/live").status()).isEqualTo(200);
            }
        }
    }

    private static Map<String, String> fields(Http.Answer answer) {
        Map<String, String> fields = new LinkedHashMap<>(answer.headers());
        fields.remove("date");
        return fields;
    }

    /** Waits for a new sample of the counters after the call, because the counters are sampled periodically. */
    private static long sessionsOpened() {
        long before = figure("bytesIn");
        ask(Http.text("GET", "/health/live", ""));
        Await.until("the counters are sampled again", () -> figure("bytesIn") > before);
        return figure("sessionsOpened");
    }

    private static long figure(String name) {
        return server.stats().path("counters").path(name).asLong();
    }

    // ---- HTTP/1.0 ----

    private static String http10(String method, String target, String body, String... headers) {
        return Http.text(method, target, body, headers).replaceFirst("HTTP/1.1", "HTTP/1.0");
    }

    private static Http.Answer publish(String subject, String data) {
        return ask(Http.text("POST", "/publish?subject=" + subject, data));
    }

    @Test
    void aClientOfHttp10GetsAStreamWithoutChunks() {
        try (Http http = Http.to(server.port())) {
            http.raw().send(http10("GET", "/subscribe?subject=/versions/one", "", "Connection: keep-alive"));
            Http.Answer head = http.head();
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.headers())
                    .containsEntry("content-type", EVENTS)
                    .containsEntry("connection", "close")
                    .doesNotContainKeys("transfer-encoding", "content-length", "keep-alive");
            assertThat(http.raw().line()).isEqualTo("event: subscribed");
            assertThat(http.raw().line()).startsWith("id: ");
            assertThat(http.raw().line()).startsWith("data: {\"op\":\"subscribed\"");
            assertThat(http.raw().line()).isEmpty();
            for (String data : List.of("first", "second")) {
                publish("/versions/one", data);
                assertThat(http.raw().line()).startsWith("id: ");
                assertThat(http.raw().line())
                        .startsWith(
                                "data: {\"op\":\"message\",\"subject\":\"/versions/one\",\"data\":\"" + data + "\"");
                assertThat(http.raw().line()).isEmpty();
            }
        }
    }

    @Test
    void aClientOfHttp10GetsEveryKindOfStream() {
        for (String query : List.of(
                "subject=/versions/kinds",
                "subject=/versions/*",
                "subject=/versions/kinds&subject=/versions/others",
                "subject=/versions/kinds&subject=/versions/*")) {
            try (Http events = Http.to(server.port());
                    Http lines = Http.to(server.port())) {
                events.raw().send(http10("GET", "/subscribe?" + query, ""));
                lines.raw().send(http10("GET", "/subscribe?" + query, "", "Accept: " + LINES));
                assertThat(events.head().headers()).containsEntry("content-type", EVENTS);
                assertThat(lines.head().headers()).containsEntry("content-type", LINES);
                int subjects = query.split("&").length;
                for (int i = 0; i < subjects; i++) {
                    assertThat(data(events)).contains("\"subscribed\"");
                    assertThat(Http.json(lines.raw().line()).path("op").asText())
                            .isEqualTo("subscribed");
                }
                publish("/versions/kinds", "x");
                assertThat(data(events)).contains("\"data\":\"x\"");
                assertThat(Http.json(lines.raw().line()).path("data").asText()).isEqualTo("x");
            }
        }
    }

    /**
     * Returns the object of the next server-sent event. Every line belongs to an event, so the stream has no chunk
     * sizes.
     */
    private static String data(Http events) {
        String line = events.raw().line();
        while (!line.startsWith("data: ")) {
            assertThat(line).matches("|event: .*|id: .*");
            line = events.raw().line();
        }
        return line;
    }

    @Test
    void aStreamOfHttp10EndsWithTheConnection() {
        try (TestServer draining = TestServer.start("Workgroups=1", "IoThreads=1");
                Http http = Http.to(draining.port())) {
            http.raw().send(http10("GET", "/subscribe?subject=/versions/end", "", "Accept: " + LINES));
            http.head();
            assertThat(http.raw().line()).contains("\"subscribed\"");
            draining.drain(0);
            assertThat(http.raw().rest()).contains("\"reconnect\"").endsWith("}\n");
        }
    }

    @Test
    void headOfAStreamInHttp10ClosesTheConnection() {
        try (Http http = Http.to(server.port())) {
            http.raw().send(http10("HEAD", "/subscribe?subject=/versions/end", "", "Connection: keep-alive"));
            assertThat(http.head().headers())
                    .containsEntry("content-type", EVENTS)
                    .containsEntry("connection", "close")
                    .doesNotContainKeys("transfer-encoding", "content-length");
            assertThat(http.raw().isEnded()).isTrue();
        }
    }

    @Test
    void callsOfHttp10KeepTheConnectionOnlyWhereAsked() {
        Map<String, String> calls = Map.of(
                "/health/live", "GET",
                "/health/ready", "GET",
                "/index.html", "GET",
                "/poll?subject=/versions/calls&wait=1ms", "GET",
                "/history?subject=/versions/calls", "GET",
                "/publish?subject=/versions/calls", "POST");
        calls.forEach((target, method) -> {
            String body = method.equals("POST") ? "x" : "";
            try (Http http = Http.to(server.port())) {
                for (int i = 0; i < 2; i++) {
                    http.raw().send(http10(method, target, body, "Connection: keep-alive"));
                    Http.Answer kept = http.answer();
                    assertThat(kept.status()).as(target).isEqualTo(200);
                    assertThat(kept.headers())
                            .containsEntry("connection", "keep-alive")
                            .containsKey("content-length");
                }
                http.raw().send(http10(method, target, body));
                Http.Answer last = http.answer();
                assertThat(last.status()).as(target).isEqualTo(200);
                assertThat(last.headers()).containsEntry("connection", "close").containsKey("content-length");
                assertThat(http.raw().isEnded()).as(target).isTrue();
            }
        });
    }

    @Test
    void aClientOfHttp10WithoutHostIsServed() {
        try (Http http = Http.to(server.port())) {
            http.raw().send("GET /health/live HTTP/1.0\r\n\r\n");
            assertThat(http.answer().status()).isEqualTo(200);
            assertThat(http.raw().isEnded()).isTrue();
        }
    }

    // ---- small deviations ----

    @Test
    void aLaterMinorVersionIsServedAsHttp11() {
        try (Http http = Http.to(server.port())) {
            for (int i = 0; i < 2; i++) {
                http.raw().send("GET /health/live HTTP/1.2\r\nHost: localhost\r\n\r\n");
                assertThat(http.answer().status()).isEqualTo(200);
            }
        }
        assertThat(ask("GET /health/live HTTP/2.0\r\nHost: localhost\r\n\r\n").status())
                .isEqualTo(505);
    }

    @Test
    void optionsOfTheWholeServerAreAnsweredWithTheMethods() {
        Http.Answer answer = ask("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.headers())
                .containsEntry("allow", "GET, HEAD, POST, OPTIONS")
                .doesNotContainKey("content-length");
        assertThat(ask("GET * HTTP/1.1\r\nHost: localhost\r\n\r\n").status()).isEqualTo(400);
        assertThat(ask("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void aTransferCodingIsRefusedOnOneLineAndOnTwo() {
        for (String fields : List.of("gzip, chunked", "gzip\r\nTransfer-Encoding: chunked")) {
            try (Http http = Http.to(server.port())) {
                http.raw()
                        .send("POST /publish?subject=/versions/coded HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
                                + fields + "\r\n\r\n0\r\n\r\n" + Http.text("GET", "/health/live", ""));
                Http.Answer answer = http.answer();
                assertThat(answer.status()).as(fields).isEqualTo(501);
                assertThat(answer.code()).isEqualTo("unsupported");
                assertThat(http.raw().isEnded())
                        .as("connection ends without another answer")
                        .isTrue();
            }
        }
    }

    // ---- absolute targets ----

    @Test
    void absoluteTargetsOfBothSchemesAreServedOverTls() {
        try (Http http =
                new Http(RawConnection.encrypted(SelfSigned.client(null, certificate), server.encryptedPort()))) {
            for (String target : List.of("https://a.example/health/live", "http://a.example/health/live")) {
                assertThat(http.get(target, "Host: a.example").status())
                        .as(target)
                        .isEqualTo(200);
            }
            Http.Answer own = http.get("https://a.example/health/live", "Host: a.example", "Origin: https://a.example");
            assertThat(own.status()).isEqualTo(200);
            assertThat(http.get("https://a.example/health/live", "Host: a.example", "Origin: https://b.example")
                            .status())
                    .isEqualTo(403);
        }
    }

    @Test
    void anHttpsTargetOnThePlainPortIsMisdirected() {
        try (Http http = Http.to(server.port())) {
            Http.Answer answer = http.get("https://a.example/health/live", "Host: a.example");
            assertThat(answer.status()).isEqualTo(421);
            assertThat(answer.code()).isEqualTo("misdirected");
            assertThat(http.post("https://localhost/publish?subject=/versions/tls", "x")
                            .status())
                    .isEqualTo(421);
            assertThat(http.get("http://a.example/health/live", "Host: a.example")
                            .status())
                    .as("connection stays usable")
                    .isEqualTo(200);
        }
    }

    @Test
    void anHttpsTargetThroughATrustedProxyIsServed() {
        try (TestServer behind = TestServer.start("TrustedProxies=127.0.0.1");
                Http http = Http.to(behind.port())) {
            String target = "https://a.example/health/live";
            assertThat(http.get(target, "Host: a.example").status()).isEqualTo(200);
            assertThat(http.get(target, "Host: a.example", "Origin: https://a.example")
                            .status())
                    .as("scheme of the target applies to the page")
                    .isEqualTo(200);
            assertThat(http.get(target, "Host: a.example", "Origin: http://a.example")
                            .status())
                    .isEqualTo(403);
        }
    }
}
