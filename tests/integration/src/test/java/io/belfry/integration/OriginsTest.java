package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which pages get in, for every way in and every policy, and what their browsers are told. */
final class OriginsTest {
    private static final String OWN = "http://localhost";
    private static final String LISTED = "https://app.example:8443";

    /** Ways in, and the status of those who may. */
    private enum Way {
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

        Way(int taken) {
            this.taken = taken;
        }

        Http.Answer ask(int port, String... origins) {
            try (Http http = Http.to(port)) {
                return switch (this) {
                    case WEBSOCKET -> {
                        http.raw().send(Frames.handshake("/", List.of(origins)));
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

        /** A stream has no end; an error has. */
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

    /** What an Origin is answered: whether it is taken, and the Access-Control-Allow-Origin that comes with it. */
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
            OUT,
            "http://",
            OUT,
            "*",
            OUT);

    @Test
    void everyWayInTakesThePagesThatTheSettingNamesAndNoOthers() {
        try (ServerProcess server = ServerProcess.start("Workgroups=1", "IoThreads=1")) {
            assertEveryWay(server, BY_DEFAULT, true);
            server.reload("AllowedOrigins=" + LISTED);
            Await.until(
                    "the reload",
                    () -> Way.HISTORY.ask(server.port(), "Origin: " + LISTED).status() == 200);
            assertEveryWay(server, WHERE_LISTED, true);
            server.reload("AllowedOrigins=*");
            Await.until(
                    "the reload",
                    () -> Way.HISTORY.ask(server.port(), "Origin: " + OWN).status() == 200);
            assertEveryWay(server, FOR_ANY, false);
            try (Client client = Client.open(server, Encoding.JSON)) {
                assertThat(client.publish("/origins/other", "x").seq()).isEqualTo(1);
            }
        }
    }

    private static void assertEveryWay(ServerProcess server, Map<String, Expected> table, boolean varies) {
        for (Way way : Way.values()) {
            assertAnswer(way, "no origin", way.ask(server.port()), IN, varies);
            table.forEach((origin, expected) ->
                    assertAnswer(way, origin, way.ask(server.port(), "Origin: " + origin), expected, varies));
            assertAnswer(way, "two", way.ask(server.port(), "Origin: " + OWN, "Origin: " + OWN), OUT, varies);
        }
    }

    private static void assertAnswer(Way way, String origin, Http.Answer answer, Expected expected, boolean varies) {
        assertThat(answer.status()).as("%s of %s", way, origin).isEqualTo(expected.taken() ? way.taken : 403);
        if (!expected.taken()) {
            assertThat(answer.code()).as("%s of %s", way, origin).isEqualTo("origin-denied");
        }
        Map<String, String> headers = answer.headers();
        assertThat(headers).as("%s of %s", way, origin).doesNotContainKey("access-control-allow-credentials");
        if (way == Way.WEBSOCKET && expected.taken()) {
            return;
        }
        assertThat(headers.get("access-control-allow-origin"))
                .as("%s of %s", way, origin)
                .isEqualTo(expected.allowOrigin());
        assertThat(headers.get("vary")).as("%s of %s", way, origin).isEqualTo(varies ? "Origin" : null);
        if (way == Way.PREFLIGHT && expected.allowOrigin() != null) {
            assertThat(headers.get("access-control-allow-methods")).contains("GET", "POST");
            assertThat(headers.get("access-control-allow-headers"))
                    .contains("Authorization", "Content-Type", "Last-Event-ID");
            assertThat(headers).containsKey("access-control-max-age");
        }
    }

    @Test
    void aRefusedPageHasNothingDoneForItAndNoByteOfItsBodyRead() {
        try (ServerProcess server = ServerProcess.start("Limit.HandshakeTime=1 m");
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
    void anErrorThatPassesTellsAPageWhenToComeAgain() {
        try (ServerProcess server = ServerProcess.start("Limit.PublishRate=1", "AllowedOrigins=" + LISTED);
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
