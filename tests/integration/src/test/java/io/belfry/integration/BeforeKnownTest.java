package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the limits of time, bytes, connections and attempts that apply to a client before it is authenticated. */
final class BeforeKnownTest {
    private static final String TOKEN = "a-token-of-tests";

    private static long stat(TestServer server, String counter) {
        return server.stats().path("counters").path(counter).asLong(-1);
    }

    private static TestServer watched(String... sets) {
        List<String> all = new ArrayList<>(
                List.of("Monitor=HTTP", "MonitorHTTP.Listen=127.0.0.1:0", "MonitorHTTP.Authentication=false"));
        all.addAll(List.of(sets));
        return TestServer.start(all.toArray(String[]::new));
    }

    /** Sends single bytes on all connections until each has ended; returns the answer of each. */
    private static List<String> dribble(List<RawConnection> connections) throws InterruptedException {
        List<CompletableFuture<String>> told = connections.stream()
                .map(connection -> CompletableFuture.supplyAsync(connection::rest))
                .toList();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!told.stream().allMatch(CompletableFuture::isDone) && System.nanoTime() < end) {
            for (RawConnection connection : connections) {
                try {
                    connection.send("x");
                } catch (UncheckedIOException ended) {
                    // The server closed this connection.
                }
            }
            Thread.sleep(20);
        }
        return told.stream().map(answer -> answer.getNow("still open")).toList();
    }

    @Test
    void slowlySentBytesDoNotExtendTheHandshakeTimeout() throws InterruptedException {
        try (TestServer server = TestServer.start("Limit.HandshakeTime=1 s");
                Http later = Http.to(server.port());
                Http nobody = Http.to(server.port());
                Http body = Http.to(server.port())) {
            assertThat(later.get("/history?subject=/a").status()).isEqualTo(200);
            assertThat(nobody.get("/health/live").status()).isEqualTo(200);
            assertThat(body.get("/history?subject=/a").status()).isEqualTo(200);
            try (RawConnection first = RawConnection.to(server.port())) {
                String head = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ";
                first.send(head);
                later.raw().send(head);
                nobody.raw().send(head);
                String publish = Http.text("POST", "/publish?subject=/a", "");
                body.raw().send(publish.replace("Content-Length: 0", "Content-Length: 60000"));
                assertThat(dribble(List.of(first, later.raw(), nobody.raw(), body.raw())))
                        .allSatisfy(told ->
                                assertThat(told).startsWith("HTTP/1.1 408 ").contains("\"handshake-timeout\""));
            }
        }
    }

    @Test
    void aWaitingPollIsNotClosedByTheHandshakeTimeout() {
        try (TestServer server = TestServer.start("Limit.HandshakeTime=300 ms");
                Http http = Http.to(server.port())) {
            assertThat(http.get("/poll?subject=/a&wait=1500ms").status()).isEqualTo(200);
            assertThat(http.get("/poll?subject=/a&wait=700ms").status()).isEqualTo(200);
        }
    }

    @Test
    void headSizeIsLimitedAndAnUnauthorizedBodyIsNotRead() {
        try (TestServer server = watched(
                        "EntitlementAllowToken=" + TOKEN, "Limit.HandshakeBytes=2 KB", "Limit.HandshakeTime=1 m");
                Http large = Http.to(server.port());
                Http fitting = Http.to(server.port());
                Http denied = Http.to(server.port());
                Http expecting = Http.to(server.port());
                Http entitled = Http.to(server.port())) {
            Http.Answer refused = large.get("/health/live", "X-Much: " + "x".repeat(2048));
            assertThat(refused.status()).isEqualTo(431);
            assertThat(refused.code()).isEqualTo("header-too-large");
            assertThat(fitting.get("/health/live", "X-Much: " + "x".repeat(1900))
                            .status())
                    .isEqualTo(200);

            String publish = "POST /publish?subject=/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n";
            denied.raw().send(publish + "\r\n");
            assertThat(denied.answer().status()).isEqualTo(403);
            assertThat(denied.raw().isEnded()).isTrue();

            expecting.raw().send(publish + "Expect: 100-continue\r\nAuthorization: Bearer wrong\r\n\r\n");
            assertThat(expecting.answer().status()).isEqualTo(401);
            assertThat(expecting.raw().isEnded()).isTrue();

            entitled.raw().send(publish + "Expect: 100-continue\r\nAuthorization: Bearer " + TOKEN + "\r\n\r\n");
            assertThat(entitled.answer().status()).isEqualTo(100);
            entitled.raw().send("x".repeat(60_000));
            assertThat(entitled.answer().status()).isEqualTo(200);
        }
    }

    @Test
    void aShortUnusedBodyIsSkipped() {
        try (TestServer server = TestServer.start("EntitlementAllowToken=" + TOKEN);
                Http http = Http.to(server.port())) {
            assertThat(http.post("/publish?subject=/a", "x".repeat(5000)).status())
                    .isEqualTo(403);
            http.raw().send("POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\nGET /");
            assertThat(http.answer().status()).isEqualTo(405);
            http.raw().send(" HTTP/1");
            assertThat(http.get("/health/live").status()).isEqualTo(200);
        }
    }

    @Test
    void unknownConnectionsPerAddressAreLimited() {
        try (TestServer server = TestServer.start("Limit.UnknownPerAddress=3", "Limit.HandshakeTime=1 m");
                TestClient known = TestClient.open(server, WireEncoding.JSON);
                Http caller = Http.to(server.port())) {
            assertThat(caller.get("/history?subject=/a").status()).isEqualTo(200);
            List<Http> nobodys = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Http next = Http.to(server.port());
                // An answer shows that a connection is counted. A connection that is only open may be counted after
                // the fourth.
                assertThat(next.get("/health/live").status()).isEqualTo(200);
                nobodys.add(next);
            }
            Http.Answer fourth = SocketFrames.ask(server.port());
            assertThat(fourth.status()).isEqualTo(429);
            assertThat(fourth.code()).isEqualTo("too-many-unknown");
            assertThat(caller.get("/history?subject=/a").status()).isEqualTo(200);
            known.publish("/a", "x");
            nobodys.getFirst().close();
            Await.until("a place is free", () -> SocketFrames.ask(server.port()).status() == 101);
            nobodys.forEach(Http::close);
        }
    }

    @Test
    void connectionsOverTheRateOfAnAddressAreRefused() {
        try (TestServer server = TestServer.start("Listen=*:0", "Limit.ConnectRatePerAddress=4")) {
            List<Http.Answer> answers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                answers.add(SocketFrames.ask(server.port()));
            }
            assertThat(answers.stream().filter(answer -> answer.status() != 101))
                    .hasSizeBetween(1, 36)
                    .allSatisfy(answer -> {
                        assertThat(answer.status()).isEqualTo(429);
                        assertThat(answer.code()).isEqualTo("address-connect-rate");
                        assertThat(answer.headers()).containsKey("retry-after");
                    });
            try (RawConnection other = RawConnection.to("::1", server.port());
                    TestClient second = TestClient.over(other, WireEncoding.JSON)) {
                second.ping(1);
                assertThat(second.next()).isEqualTo(new Event.Pong(1));
            }
        }
    }

    @Test
    void manyWrongTokensBlockAllButKnownTokens() {
        try (TestServer server = TestServer.start("EntitlementAllowToken=" + TOKEN, "Limit.FailedTokensPerAddress=3");
                TestClient session = TestClient.open(server, WireEncoding.JSON);
                Http http = Http.to(server.port())) {
            assertThat(http.get("/history?subject=/a", "Authorization: Bearer " + TOKEN)
                            .status())
                    .isEqualTo(200);
            for (int i = 0; i < 3; i++) {
                assertThat(http.get("/history?subject=/a", "Authorization: Bearer wrong")
                                .status())
                        .isEqualTo(401);
            }
            Http.Answer stopped = http.get("/history?subject=/a", "Authorization: Bearer new");
            assertThat(stopped.status()).isEqualTo(429);
            assertThat(stopped.code()).isEqualTo("token-rate");
            assertThat(Integer.parseInt(stopped.headers().get("retry-after"))).isBetween(1, 20);
            assertThat(SocketFrames.ask(server.port(), "Authorization: Bearer new")
                            .status())
                    .isEqualTo(429);
            assertThat(SocketFrames.ask(server.port(), "Authorization: Bearer " + TOKEN)
                            .status())
                    .isEqualTo(101);
            session.connect("new");
            Event.Failed failed = session.expect(Event.Failed.class);
            assertThat(failed.code()).isEqualTo("token-rate");
            assertThat(failed.afterMillis()).isBetween(1L, 20_000L);
            session.ping(7);
            assertThat(session.next()).isEqualTo(new Event.Pong(7));
            assertThat(http.get("/history?subject=/a").status()).isEqualTo(200);
            server.reload("Limit.FailedTokensPerAddress=0");
            Await.until(
                    "the reload",
                    () -> http.get("/history?subject=/a", "Authorization: Bearer new")
                                    .status()
                            == 401);
        }
    }

    @Test
    void incompleteInputOfAllClientsIsLimitedTogether() {
        try (TestServer server = watched("Limit.IncompleteBytes=64 KB", "Workgroups=1", "IoThreads=1");
                TestClient other = TestClient.open(server, WireEncoding.JSON)) {
            List<SocketFrames> partial = new ArrayList<>();
            // Each connection sends less than a whole message: 20 KB of a frame of 30 KB.
            byte[] frame = SocketFrames.frame(SocketFrames.FIN | SocketFrames.TEXT, new byte[30_000]);
            for (int i = 0; i < 8; i++) {
                SocketFrames client = SocketFrames.open(server.port(), WireEncoding.JSON.header());
                client.raw().send(frame, 20_000);
                partial.add(client);
            }
            Await.until("incomplete input is within the limit", () -> stat(server, "incompleteBytes") <= 64 << 10);
            Await.until("the refusals are counted", () -> refusals(server, "overloaded") > 0);
            assertThat(refusals(server, "overloaded")).isBetween(3L, 7L);
            other.publish("/a", "x");
            partial.forEach(SocketFrames::close);
            Await.until("the memory of incomplete input is free", () -> stat(server, "incompleteBytes") == 0);
        }
    }

    private static long refusals(TestServer server, String code) {
        return server.stats().path("refusals").path(code).asLong();
    }

    @Test
    void readingPausesWhilePipelinedRequestsExceedTheLimit() {
        try (TestServer server = watched("Limit.PipelinedBytes=2 KB", "Limit.HandshakeBytes=2 KB");
                Http http = Http.to(server.port())) {
            http.get("/history?subject=/a");
            String quick = Http.text("GET", "/health/live", "");
            http.raw().send(Http.text("GET", "/poll?subject=/a&wait=500ms", "") + quick.repeat(500));
            Await.until("a pause", () -> stat(server, "pipelinePauses") > 0);
            for (int i = 0; i < 501; i++) {
                assertThat(http.answer().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void refusedConnectionsThatLingerAreLimited() {
        try (TestServer server = watched("Limit.Connections=1", "Limit.RefusedWaiting=0");
                TestClient only = TestClient.open(server, WireEncoding.JSON)) {
            RawConnection.to(server.port()).rest();
            Await.until("it is counted", () -> stat(server, "refusedAtOnce") > 0);
            only.ping(1);
            assertThat(only.next()).isEqualTo(new Event.Pong(1));
        }
    }

    @Test
    void requestsOverTheRateCloseTheirConnection() {
        try (TestServer server = TestServer.start("Limit.RequestRate=5");
                Http http = Http.to(server.port());
                Http other = Http.to(server.port())) {
            http.raw().send(Http.text("GET", "/health/live", "").repeat(20));
            int taken = 0;
            Http.Answer answer = http.answer();
            while (answer.status() == 200) {
                taken++;
                answer = http.answer();
            }
            assertThat(taken).isBetween(6, 19);
            assertThat(answer.status()).isEqualTo(429);
            assertThat(answer.code()).isEqualTo("request-rate");
            assertThat(http.raw().isEnded()).isTrue();
            assertThat(other.get("/health/live").status()).isEqualTo(200);
        }
    }
}
