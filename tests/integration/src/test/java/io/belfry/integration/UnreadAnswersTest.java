package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests large HTTP answers: a client that reads nothing is closed, and a slow client gets the complete answer. */
@Tag("slow")
final class UnreadAnswersTest {
    private static final int FILE_BYTES = 4 << 20;
    private static final int RECEIVE_BUFFER = 4096;

    @TempDir
    private Path root;

    private TestServer start(String... more) {
        try {
            Files.write(root.resolve("large.bin"), new byte[FILE_BYTES]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        String[] sets = java.util.Arrays.copyOf(more, more.length + 4);
        sets[more.length] = "DocumentRoot=" + root;
        sets[more.length + 1] = "Monitor=HTTP";
        sets[more.length + 2] = "MonitorHTTP.Listen=127.0.0.1:0";
        sets[more.length + 3] = "MonitorHTTP.Authentication=false";
        return TestServer.start(sets);
    }

    /** Opens a client with a small receive buffer that reads nothing. */
    private static Http ask(TestServer server, String target, String... headers) {
        Http http = new Http(RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER));
        http.raw().send(Http.text("GET", target, "", headers));
        return http;
    }

    private static JsonNode counters(TestServer server) {
        return server.stats().path("counters");
    }

    @Test
    void aClientThatReadsNoAnswerIsClosedAndItsMemoryFreed() {
        try (TestServer server = start("PingInterval=1 s", "CacheSize=1000")) {
            try (TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
                for (int i = 0; i < 200; i++) {
                    publisher.publish("/large", "x".repeat(40_000));
                }
            }
            try (Http first = ask(server, "/large.bin");
                    Http last = ask(server, "/large.bin", "Connection: close");
                    Http history = ask(server, "/history?subject=/large&count=1000")) {
                Await.until(
                        "all three connections are closed",
                        () -> server.stats().path("closes").path("ping-timeout").asInt() == 3);
                Await.until(
                        "no bytes are queued",
                        () -> counters(server).path("queuedBytes").asLong() == 0);
                Await.until(
                        "no answer bytes are held",
                        () -> counters(server).path("answerBytes").asLong() == 0);
                assertThat(first.raw().rest()).hasSizeLessThan(FILE_BYTES);
                assertThat(last.raw().rest()).hasSizeLessThan(FILE_BYTES);
                assertThat(history.raw().rest()).hasSizeLessThan(8_000_000);
            }
        }
    }

    @Test
    void aClientThatReadsNoEchoIsClosed() {
        try (TestServer server = start("PingInterval=1 s", "X.Echo=true");
                SocketFrames echo =
                        SocketFrames.open(RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER), "/echo")) {
            echo.binary(new byte[FILE_BYTES]);
            Await.until(
                    "the connection is closed",
                    () -> server.stats().path("closes").path("ping-timeout").asInt() == 1);
        }
    }

    @Tag("complete")
    @Test
    void aSlowReaderGetsTheCompleteLastAnswer() {
        try (TestServer server = start("PingInterval=1 s");
                Http http = ask(server, "/large.bin", "Connection: close")) {
            // The pause is longer than the linger time of a closing connection and than two ping intervals.
            for (int left = FILE_BYTES; left > 0; left -= 64 << 10) {
                http.raw().read(64 << 10);
                LockSupport.parkNanos(Duration.ofMillis(80).toNanos());
            }
            assertThat(http.raw().rest()).hasSizeLessThan(1000);
        }
    }

    @Test
    void unreadFilesAreLimitedTogether() {
        try (TestServer server = start("Limit.AnswerBytes=1 MB", "Workgroups=1", "IoThreads=1");
                Http unread = ask(server, "/large.bin")) {
            Await.until(
                    "the first answer is being sent",
                    () -> counters(server).path("answerBytes").asLong() >= FILE_BYTES);
            try (Http http = Http.to(server.port())) {
                Http.Answer refused = http.get("/large.bin");
                assertThat(refused.status()).isEqualTo(503);
                assertThat(refused.code()).isEqualTo("overloaded");
                assertThat(refused.headers()).containsKey("retry-after");
            }
            unread.raw().reset();
            Await.until(
                    "a place is free",
                    () -> counters(server).path("answerBytes").asLong() == 0);
        }
    }
}
