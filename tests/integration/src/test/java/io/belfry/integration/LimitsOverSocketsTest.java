package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that each limit refuses excess with its status and code, accepts all else, and can be changed by a reload. */
final class LimitsOverSocketsTest {
    private static void assertRefused(Http.Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.headers()).containsKey("retry-after");
    }

    @Test
    void connectionsOverTheLimitAreRefusedUntilOneCloses() {
        try (TestServer server = TestServer.start("Limit.Connections=3");
                TestClient first = TestClient.open(server, WireEncoding.JSON);
                TestClient second = TestClient.open(server, WireEncoding.BINARY)) {
            TestClient third = TestClient.open(server, WireEncoding.JSON);
            assertRefused(SocketFrames.ask(server.port()), 503, "too-many-connections");
            third.close();
            Await.until("a place is free", () -> SocketFrames.ask(server.port()).status() == 101);
            first.ping(1);
            second.ping(1);
            assertThat(first.next()).isEqualTo(second.next());
        }
    }

    @Test
    void aRefusedConnectionGetsItsCompleteAnswer() {
        try (TestServer server = TestServer.start("Limit.Connections=1");
                TestClient first = TestClient.open(server, WireEncoding.JSON)) {
            for (int i = 0; i < 20; i++) {
                try (Http http = Http.to(server.port())) {
                    String much = "x".repeat(60_000);
                    assertRefused(http.post("/publish?subject=/a", much), 503, "too-many-connections");
                    assertThat(http.raw().isEnded()).isTrue();
                }
            }
            first.ping(1);
            assertThat(first.next()).isEqualTo(new Event.Pong(1));
        }
    }

    /** The kernel's buffers are added to the 16 MB; within the read timeout the client could send a thousand. */
    @Test
    void aConnectionThatKeepsSendingAfterItsEndIsReset() {
        try (TestServer server = TestServer.start();
                RawConnection connection = RawConnection.to(server.port())) {
            connection.send("nonsense\r\n\r\n");
            byte[] megabyte = new byte[1 << 20];
            int sent = 0;
            try {
                while (sent < 2000) {
                    connection.send(megabyte);
                    sent++;
                }
            } catch (UncheckedIOException reset) {
                assertThat(sent).isLessThan(150);
            }
            assertThat(sent).isLessThan(2000);
            try (Http http = Http.to(server.port())) {
                assertThat(http.get("/health/live").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void connectionsPerAddressAreLimited() {
        try (TestServer server = TestServer.start("Listen=*:0", "Limit.ConnectionsPerAddress=1");
                TestClient first = TestClient.open(server, WireEncoding.JSON)) {
            assertRefused(SocketFrames.ask(server.port()), 429, "too-many-from-address");
            try (RawConnection other = RawConnection.to("::1", server.port());
                    TestClient second = TestClient.over(other, WireEncoding.JSON)) {
                second.ping(1);
                assertThat(second.next()).isEqualTo(new Event.Pong(1));
            }
            server.reload("Limit.ConnectionsPerAddress=2");
            assertThat(SocketFrames.ask(server.port()).status()).isEqualTo(101);
            first.ping(1);
            assertThat(first.next()).isEqualTo(new Event.Pong(1));
        }
    }

    @Test
    void newConnectionsOverTheRateAreRefused() {
        try (TestServer server = TestServer.start("Limit.ConnectRate=4", "IoThreads=1", "Workgroups=1")) {
            List<Http.Answer> answers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                answers.add(SocketFrames.ask(server.port()));
            }
            List<Http.Answer> refused =
                    answers.stream().filter(answer -> answer.status() != 101).toList();
            assertThat(refused).hasSizeBetween(1, 39).allSatisfy(answer -> assertRefused(answer, 503, "connect-rate"));
            Await.until("the next second", () -> SocketFrames.ask(server.port()).status() == 101);
        }
    }

    @Test
    void aReloadChangesTheConnectRate() {
        try (TestServer server = TestServer.start("Limit.ConnectRate=0")) {
            server.reload("Limit.ConnectRate=2");
            Await.until(
                    "a connection over the new rate is refused",
                    () -> SocketFrames.ask(server.port()).status() == 503);
            server.reload("Limit.ConnectRate=0");
            Await.until(
                    "no lane limits the connect rate",
                    () -> IntStream.range(0, 40)
                            .allMatch(i -> SocketFrames.ask(server.port()).status() == 101));
        }
    }

    @ParameterizedTest
    @EnumSource
    void subjectsOverTheLimitAreRefusedOneAtATime(WireEncoding encoding) {
        try (TestServer server = TestServer.start("Limit.SubjectsPerSession=2");
                TestClient client = TestClient.open(server, encoding)) {
            client.subscribe("/a");
            client.subscribe("/b/*");
            long id = client.ask("/c");
            Event.Failed error = client.expect(Event.Failed.class);
            assertThat(error.code()).isEqualTo("too-many-subjects");
            assertThat(error.id()).isEqualTo(id);
            assertThat(error.subject()).isEqualTo("/c");
            client.unsubscribe("/a");
            client.subscribe("/c");
            client.publish("/other", "x");
        }
    }

    @ParameterizedTest
    @EnumSource
    void publishesOverTheRateAreRefusedAndNotDelivered(WireEncoding encoding) {
        try (TestServer server = TestServer.start("Limit.PublishRate=50");
                TestClient publisher = TestClient.open(server, encoding);
                TestClient subscriber = TestClient.open(server, encoding)) {
            subscriber.subscribe("/fast");
            for (int i = 0; i < 200; i++) {
                publisher.send("/fast", Integer.toString(i));
            }
            List<Event> answers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                answers.add(publisher.next());
            }
            List<Event> taken =
                    answers.stream().filter(Event.Published.class::isInstance).toList();
            assertThat(taken).hasSizeBetween(50, 199);
            assertThat(answers)
                    .filteredOn(Event.Failed.class::isInstance)
                    .hasSize(200 - taken.size())
                    .allSatisfy(
                            error -> assertThat(((Event.Failed) error).code()).isEqualTo("publish-rate"));
            assertThat(subscriber.data(taken.size())).doesNotHaveDuplicates();
            server.reload("Limit.PublishRate=0");
            publisher.awaitReload();
            publisher.publish("/fast", "last");
            assertThat(subscriber.data(1)).containsExactly("last");
        }
    }

    @ParameterizedTest
    @EnumSource
    void publishRatePerAddressCoversAllItsSessions(WireEncoding encoding) {
        try (TestServer server = TestServer.start("Listen=*:0", "Limit.PublishRatePerAddress=20");
                TestClient first = TestClient.open(server, encoding);
                TestClient second = TestClient.open(server, encoding);
                RawConnection elsewhere = RawConnection.to("::1", server.port());
                TestClient other = TestClient.over(elsewhere, encoding)) {
            List<Event> answers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                first.send("/fast", "x");
                second.send("/fast", "x");
                answers.add(first.next());
                answers.add(second.next());
            }
            assertThat(answers)
                    .filteredOn(Event.Failed.class::isInstance)
                    .hasSizeBetween(1, 60)
                    .allSatisfy(error -> {
                        assertThat(((Event.Failed) error).code()).isEqualTo("address-publish-rate");
                        assertThat(((Event.Failed) error).afterMillis()).isBetween(1L, 50L);
                    });
            assertThat(other.publish("/fast", "x").seq()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource
    void commandsOverTheRateAreRefusedWithARetryTime(WireEncoding encoding) {
        try (TestServer server = TestServer.start("Limit.CommandRate=10");
                TestClient client = TestClient.open(server, encoding)) {
            client.subscribe("/a");
            for (int i = 0; i < 30; i++) {
                client.ping(i);
            }
            List<Event> answers = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                answers.add(client.next());
            }
            assertThat(answers)
                    .filteredOn(Event.Failed.class::isInstance)
                    .hasSizeBetween(1, 20)
                    .allSatisfy(error -> {
                        assertThat(((Event.Failed) error).code()).isEqualTo("command-rate");
                        assertThat(((Event.Failed) error).afterMillis()).isBetween(1L, 100L);
                    });
        }
    }

    @ParameterizedTest
    @EnumSource
    void patternsOverTheirLimitAreRefused(WireEncoding encoding) {
        try (TestServer server = TestServer.start("Limit.PatternsPerSession=1", "Limit.Patterns=2");
                TestClient first = TestClient.open(server, encoding);
                TestClient second = TestClient.open(server, encoding);
                TestClient third = TestClient.open(server, encoding)) {
            first.subscribe("/a/*");
            first.ask("/b/*");
            assertThat(first.expect(Event.Failed.class).code()).isEqualTo("too-many-patterns");
            second.subscribe("/a/*");
            Await.until("both patterns are known on every lane", () -> {
                third.ask("/b/*");
                Event answer = third.next();
                third.ask("/b/**");
                third.next();
                return answer instanceof Event.Failed failed && failed.code().equals("patterns-full");
            });
            first.publish("/a/x", "x");
        }
    }

    @Test
    void newSubjectsOverTheLimitAreRefusedOverEveryTransport() {
        try (TestServer server = TestServer.start("Limit.Subjects=2", "Workgroups=1", "IoThreads=1");
                TestClient client = TestClient.open(server, WireEncoding.BINARY);
                Http http = Http.to(server.port());
                Http stream = Http.to(server.port())) {
            client.publish("/a", "x");
            client.subscribe("/b");
            assertRefused(http.post("/publish?subject=/c", "x"), 503, "subjects-full");
            assertRefused(http.get("/poll?subject=/c&wait=10s"), 503, "subjects-full");
            client.ask("/c");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("subjects-full");
            assertThat(stream.stream("/subscribe?subject=/c").status()).isEqualTo(200);
            assertThat(stream.lines().next()).isEqualTo("event: error");
            assertThat(http.get("/history?subject=/c").status()).isEqualTo(200);
            assertThat(http.post("/publish?subject=/b", "y").status()).isEqualTo(200);
            assertThat(client.data(1)).containsExactly("y");
            server.reload("Limit.Subjects=3");
            Await.until(
                    "the reload", () -> http.post("/publish?subject=/c", "x").status() == 200);
        }
    }

    @Test
    void anHttpPublishOverALimitGetsItsStatus() {
        try (TestServer server = TestServer.start("Limit.PublishRate=1", "MaxMessageSize=1 KB");
                Http http = Http.to(server.port())) {
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Http.Answer answer = http.post("/publish?subject=/a", "x");
                statuses.add(answer.status());
                if (answer.status() != 200) {
                    assertRefused(answer, 429, "publish-rate");
                }
            }
            assertThat(statuses).startsWith(200).contains(429);
            Http.Answer large = http.post("/publish?subject=/a", "x".repeat(1025));
            assertThat(large.status()).isEqualTo(413);
            assertThat(large.code()).isEqualTo("message-too-large");
        }
    }

    @Test
    void retainedMessagesOverTheirBoundAreRefused() {
        try (TestServer server = TestServer.start("Limit.RetainedBytes=4 KB", "Workgroups=1", "IoThreads=1");
                Http http = Http.to(server.port())) {
            Http.Answer last = http.post("/publish?subject=/r/0&retain=true", "x".repeat(1000));
            assertThat(last.status()).isEqualTo(200);
            for (int i = 1; i < 8 && last.status() == 200; i++) {
                last = http.post("/publish?subject=/r/" + i + "&retain=true", "x".repeat(1000));
            }
            assertRefused(last, 503, "retained-full");
            assertThat(http.post("/publish?subject=/r/0", "not retained").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void anUnfinishedHandshakeTimesOut() {
        try (TestServer server = TestServer.start("Limit.HandshakeTime=500 ms");
                TestClient other = TestClient.open(server, WireEncoding.JSON);
                RawConnection silent = RawConnection.to(server.port());
                RawConnection half = RawConnection.to(server.port());
                Http unfinishedBody = Http.to(server.port());
                Http keptAlive = Http.to(server.port())) {
            half.send("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: webso");
            unfinishedBody
                    .raw()
                    .send("POST /publish?subject=/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12");
            assertThat(keptAlive.get("/health/live").status()).isEqualTo(200);
            for (String rest :
                    List.of(silent.rest(), half.rest(), unfinishedBody.raw().rest())) {
                assertThat(rest).startsWith("HTTP/1.1 408 ").contains("\"handshake-timeout\"");
            }
            assertThat(keptAlive.get("/health/live").status()).isEqualTo(200);
            other.ping(1);
            assertThat(other.next()).isEqualTo(new Event.Pong(1));
        }
    }

    @Test
    void anIdleKeepAliveConnectionIsClosed() {
        try (TestServer server = TestServer.start("PingInterval=1 s");
                Http idle = Http.to(server.port());
                Http lost = Http.to(server.port());
                Http busy = Http.to(server.port())) {
            assertThat(idle.get("/health/ready").status()).isEqualTo(200);
            assertThat(lost.get("/nothing").status()).isEqualTo(404);
            for (int i = 0; i < 5; i++) {
                assertThat(busy.get("/poll?subject=/a&wait=700ms").status()).isEqualTo(200);
            }
            assertThat(idle.raw().isEnded()).isTrue();
            assertThat(lost.raw().isEnded()).isTrue();
            assertThat(busy.get("/health/ready").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatAnswersNoPingsIsClosed(WireEncoding encoding) {
        try (TestServer server = TestServer.start("PingInterval=1 s");
                SocketFrames silent = SocketFrames.open(server.port(), encoding.header());
                TestClient answering = TestClient.open(server, encoding)) {
            // A client answers pings only while the test reads from it.
            CompletableFuture<Event> answer = CompletableFuture.supplyAsync(answering::next);
            assertThat(new String(
                            silent.raw().rest().getBytes(java.nio.charset.StandardCharsets.UTF_8),
                            java.nio.charset.StandardCharsets.UTF_8))
                    .contains("ping-timeout");
            answering.ping(1);
            assertThat(answer.orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo(new Event.Pong(1));
        }
    }
}
