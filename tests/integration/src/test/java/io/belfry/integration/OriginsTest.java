package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the accepted origins of pages and the CORS headers of answers, for every entry point and every policy. */
final class OriginsTest {
    private static final String OWN = "http://localhost";
    private static final String LISTED = "https://app.example:8443";

    /** The entry points, and the status of an accepted request. */
    private enum EntryPoint {
        WEBSOCKET(101),
        EVENTS(200),
        LINES(200),
        POLL(200),
        HISTORY(200),
        PUBLISH(200),
        PUBLISH_IN_CHUNKS(200),
        PREFLIGHT(204),
        FILE(404);

        private final int taken;

        EntryPoint(int taken) {
            this.taken = taken;
        }

        Http.Answer ask(int port, String... origins) {
            try (Http http = Http.to(port)) {
                return switch (this) {
                    case WEBSOCKET -> {
                        http.raw().send(SocketFrames.handshake("/", List.of(origins)));
                        yield http.answer();
                    }
                    case EVENTS -> stream(http, origins);
                    case LINES -> stream(http, with("Accept: application/x-ndjson", origins));
                    case POLL -> http.get("/poll?subject=/origins&wait=1ms", origins);
                    case HISTORY -> http.get("/history?subject=/origins", origins);
                    case PUBLISH -> http.post("/publish?subject=/origins", "x", origins);
                    case PUBLISH_IN_CHUNKS -> {
                        String head = Http.text("POST", "/publish?subject=/origins", "", origins)
                                .replace("Content-Length: 0", "Transfer-Encoding: chunked");
                        http.raw().send(head + "1\r\nx\r\n0\r\n\r\n");
                        yield http.answer();
                    }
                    case PREFLIGHT ->
                        http.request(
                                "OPTIONS",
                                "/publish?subject=/origins",
                                "",
                                with("Access-Control-Request-Method: POST", origins));
                    case FILE -> http.get("/index.html", origins);
                };
            }
        }

        /** A stream has no end, but the answer of an error has. */
        private static Http.Answer stream(Http http, String... headers) {
            Http.Answer head = http.stream("/subscribe?subject=/origins", headers);
            return head.status() == 200 ? head : http.whole(head);
        }

        private static String[] with(String header, String... others) {
            List<String> all = new ArrayList<>(List.of(others));
            all.add(header);
            return all.toArray(String[]::new);
        }
    }

    /** Expected answer to an Origin: whether the page is accepted, and its Access-Control-Allow-Origin. */
    private record Expected(boolean taken, @Nullable String allowOrigin) {}

    private static final Expected IN = new Expected(true, null);
    private static final Expected OUT = new Expected(false, null);

    private static Expected allowed(String origin) {
        return new Expected(true, origin);
    }

    private static final Map<String, Expected> BY_DEFAULT = Map.of(
            OWN,
            allowed(OWN),
            "http://LOCALHOST:80",
            allowed("http://LOCALHOST:80"),
            "https://localhost",
            OUT,
            "http://localhost:81",
            OUT,
            "http://localhost.evil.example",
            OUT,
            LISTED,
            OUT,
            "http://localhost/",
            OUT,
            "null",
            OUT);

    private static final Map<String, Expected> WHERE_LISTED = Map.of(
            LISTED,
            allowed(LISTED),
            "https://APP.example:8443",
            allowed("https://APP.example:8443"),
            "http://app.example:8443",
            OUT,
            "https://app.example",
            OUT,
            "https://app.example:8444",
            OUT,
            "https://b.app.example:8443",
            OUT,
            OWN,
            OUT,
            "null",
            OUT);

    private static final Map<String, Expected> FOR_ANY = Map.of(
            LISTED,
            allowed("*"),
            OWN,
            allowed("*"),
            "chrome-extension://abc",
            allowed("*"),
            "null",
            allowed("*"),
            "file://",
            allowed("*"),
            "127.0.0.1",
            allowed("*"),
            "http://",
            allowed("*"));

    private static final Map<String, Expected> FOR_THE_WEB = Map.of(
            LISTED,
            allowed(LISTED),
            OWN,
            allowed(OWN),
            "http://evil.example",
            allowed("http://evil.example"),
            "null",
            OUT,
            "file://",
            OUT,
            "127.0.0.1",
            OUT,
            "chrome-extension://abc",
            OUT);

    @Test
    void everyEntryPointAcceptsOnlyAllowedOrigins() {
        try (TestServer server = TestServer.start("Workgroups=1", "IoThreads=1")) {
            assertEveryEntryPoint(server, BY_DEFAULT, true);
            server.reload("AllowedOrigins=" + LISTED);
            Await.until(
                    "the reload",
                    () -> EntryPoint.HISTORY
                                    .ask(server.port(), "Origin: " + LISTED)
                                    .status()
                            == 200);
            assertEveryEntryPoint(server, WHERE_LISTED, true);
            server.reload("AllowedOrigins=web");
            Await.until(
                    "the reload",
                    () -> EntryPoint.HISTORY
                                    .ask(server.port(), "Origin: " + OWN)
                                    .status()
                            == 200);
            assertEveryEntryPoint(server, FOR_THE_WEB, true);
            server.reload("AllowedOrigins=*");
            Await.until(
                    "the reload",
                    () -> EntryPoint.HISTORY.ask(server.port(), "Origin: null").status() == 200);
            assertEveryEntryPoint(server, FOR_ANY, false);
            try (TestClient client = TestClient.open(server, WireEncoding.JSON)) {
                assertThat(client.publish("/origins/other", "x").seq()).isEqualTo(1);
            }
        }
    }

    private static void assertEveryEntryPoint(TestServer server, Map<String, Expected> table, boolean varies) {
        for (EntryPoint entryPoint : EntryPoint.values()) {
            assertAnswer(entryPoint, "no origin", entryPoint.ask(server.port()), IN, varies);
            table.forEach((origin, expected) -> assertAnswer(
                    entryPoint, origin, entryPoint.ask(server.port(), "Origin: " + origin), expected, varies));
            assertAnswer(
                    entryPoint, "two", entryPoint.ask(server.port(), "Origin: " + OWN, "Origin: " + OWN), OUT, varies);
        }
    }

    private static void assertAnswer(
            EntryPoint entryPoint, String origin, Http.Answer answer, Expected expected, boolean varies) {
        assertThat(answer.status())
                .as("%s of %s", entryPoint, origin)
                .isEqualTo(expected.taken() ? entryPoint.taken : 403);
        if (!expected.taken()) {
            assertThat(answer.code()).as("%s of %s", entryPoint, origin).isEqualTo("origin-denied");
        }
        Map<String, String> headers = answer.headers();
        assertThat(headers).as("%s of %s", entryPoint, origin).doesNotContainKey("access-control-allow-credentials");
        if (entryPoint == EntryPoint.WEBSOCKET && expected.taken()) {
            return;
        }
        assertThat(headers.get("access-control-allow-origin"))
                .as("%s of %s", entryPoint, origin)
                .isEqualTo(expected.allowOrigin());
        assertThat(headers.get("vary")).as("%s of %s", entryPoint, origin).isEqualTo(varies ? "Origin" : null);
        if (entryPoint == EntryPoint.PREFLIGHT && expected.allowOrigin() != null) {
            assertThat(headers.get("access-control-allow-methods")).contains("GET", "POST");
            assertThat(headers.get("access-control-allow-headers"))
                    .contains("Authorization", "Content-Type", "Last-Event-ID");
            assertThat(headers).containsKey("access-control-max-age");
        }
    }

    @Test
    void aRefusedPageCausesNoWorkAndItsBodyIsNotRead() {
        try (TestServer server = TestServer.start("Limit.HandshakeTime=1 m");
                Http http = Http.to(server.port())) {
            String head = Http.text("POST", "/publish?subject=/origins", "", "Origin: http://evil.example");
            http.raw().send(head.replace("Content-Length: 0", "Content-Length: 60000"));
            Http.Answer answer = http.answer();
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.headers()).containsEntry("connection", "close");
            assertThat(http.raw().isEnded()).isTrue();
        }
    }

    @Test
    void aTemporaryErrorTellsAPageWhenToRetry() {
        try (TestServer server = TestServer.start("Limit.PublishRate=1", "AllowedOrigins=" + LISTED);
                Http http = Http.to(server.port())) {
            Http.Answer answer = http.post("/publish?subject=/a", "x", "Origin: " + LISTED);
            for (int i = 0; i < 5 && answer.status() == 200; i++) {
                answer = http.post("/publish?subject=/a", "x", "Origin: " + LISTED);
            }
            assertThat(answer.status()).isEqualTo(429);
            assertThat(answer.headers())
                    .containsEntry("retry-after", "1")
                    .containsEntry("access-control-expose-headers", "Retry-After");
        }
    }
}
