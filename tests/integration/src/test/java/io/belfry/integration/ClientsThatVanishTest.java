package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.ListenConfig;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests clients to which every packet is dropped, beside clients that only stall, over each kind of socket. */
@Tag("slow")
final class ClientsThatVanishTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final String NDJSON = "Accept: application/x-ndjson";

    @BeforeEach
    void requireFilters() {
        Assumptions.assumeTrue(SilentNetwork.isPossible(), "packets to a socket can be dropped on Linux only");
    }

    private static TestServer start(ListenConfig.NativeIo kind, String... more) {
        SocketKindsTest.assumeItIsHere(kind);
        String[] sets = java.util.Arrays.copyOf(more, more.length + 5);
        sets[more.length] = "PingInterval=1 s";
        sets[more.length + 1] = "Monitor=HTTP";
        sets[more.length + 2] = "MonitorHTTP.Listen=127.0.0.1:0";
        sets[more.length + 3] = "MonitorHTTP.Authentication=false";
        sets[more.length + 4] = SocketKindsTest.setting(kind);
        return TestServer.start(sets);
    }

    private static int timeouts(TestServer server) {
        return server.stats().path("closes").path("ping-timeout").asInt();
    }

    private static Http stream(RawConnection connection, String... headers) {
        Http http = new Http(connection);
        http.stream("/subscribe?subject=/quiet", headers);
        return http;
    }

    @ParameterizedTest
    @MethodSource("kindsWithTcpInfo")
    void idleStreamsOfVanishedClientsAreDropped(ListenConfig.NativeIo kind) {
        SelfSigned certificate = SelfSigned.make();
        try (TestServer server = start(kind, certificate.settings());
                Http living = stream(RawConnection.to(server.port()), NDJSON);
                Http events = stream(RawConnection.to(server.port()));
                Http lines = stream(RawConnection.to(server.port()), NDJSON);
                Http encrypted =
                        stream(RawConnection.encrypted(SelfSigned.client(null, certificate), server.encryptedPort()))) {
            SilentNetwork.cut(events.raw());
            SilentNetwork.cut(lines.raw());
            SilentNetwork.cut(encrypted.raw());
            Await.until("three connections are closed", SOON, () -> timeouts(server) == 3);
            LockSupport.parkNanos(Duration.ofSeconds(3).toNanos());
            assertThat(timeouts(server)).isEqualTo(3);
            try (Http post = Http.to(server.port())) {
                assertThat(post.post("/publish?subject=/quiet", "still here").status())
                        .isEqualTo(200);
            }
            assertThat(next(living.lines(), "data")).contains("still here");
        }
    }

    private static String next(Http.LineSource lines, String containing) {
        String line = lines.next();
        while (!line.contains(containing)) {
            line = lines.next();
        }
        return line;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void pollsOfVanishedClientsAreDropped(ListenConfig.NativeIo kind) {
        try (TestServer server = start(kind);
                Http vanished = Http.to(server.port());
                Http waiting = Http.to(server.port())) {
            vanished.raw().send(Http.text("GET", "/poll?subject=/quiet&wait=60s", ""));
            waiting.raw().send(Http.text("GET", "/poll?subject=/quiet&wait=6s", ""));
            Await.until(
                    "both polls wait",
                    SOON,
                    () -> server.stats()
                                    .path("counters")
                                    .path("connectionsAccepted")
                                    .asInt()
                            >= 2);
            LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
            SilentNetwork.cut(vanished.raw());
            Await.until("one connection is closed", SOON, () -> timeouts(server) == 1);
            assertThat(waiting.answer().status()).isEqualTo(200);
            assertThat(timeouts(server)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void filesForVanishedClientsAreDropped(ListenConfig.NativeIo kind, @TempDir Path root) throws IOException {
        Files.write(root.resolve("large.bin"), new byte[4 << 20]);
        Files.write(root.resolve("small.bin"), new byte[20_000]);
        try (TestServer server = start(kind, "DocumentRoot=" + root);
                Http large = Http.to(server.port());
                Http small = Http.to(server.port())) {
            for (Http each : new Http[] {large, small}) {
                assertThat(each.get("/health/live").status()).isEqualTo(200);
            }
            large.raw().send(Http.text("GET", "/large.bin", ""));
            SilentNetwork.cut(large.raw());
            small.raw().send(Http.text("GET", "/small.bin", ""));
            SilentNetwork.cut(small.raw());
            Await.until("both connections are closed", SOON, () -> timeouts(server) == 2);
            Await.until(
                    "no answer bytes are held",
                    SOON,
                    () -> server.stats().path("counters").path("queuedBytes").asLong() == 0);
        }
    }

    @Test
    void aStalledReaderIsNotDroppedAsVanished() {
        String data = "d".repeat(4000);
        try (TestServer server = start(ListenConfig.NativeIo.AUTO);
                Http stalled = stream(RawConnection.to("127.0.0.1", server.port(), 4096), NDJSON);
                Http post = Http.to(server.port())) {
            for (int i = 0; i < 10; i++) {
                assertThat(post.post("/publish?subject=/quiet", i + data).status())
                        .isEqualTo(200);
            }
            LockSupport.parkNanos(Duration.ofSeconds(8).toNanos());
            assertThat(server.stats().path("closes").path("slow-consumer").asInt())
                    .isZero();
            assertThat(timeouts(server))
                    .as("sessions closed, except the unused publisher")
                    .isLessThanOrEqualTo(1);
            Http.LineSource lines = stalled.lines();
            for (int i = 0; i < 10; i++) {
                assertThat(next(lines, "\"data\":\"" + i + "d")).isNotEmpty();
            }
        }
    }

    static Stream<ListenConfig.NativeIo> kindsWithTcpInfo() {
        return TestScope.variants(
                List.of(ListenConfig.NativeIo.EPOLL, ListenConfig.NativeIo.CHANNELS, ListenConfig.NativeIo.IO_URING));
    }

    static Stream<ListenConfig.NativeIo> kinds() {
        return TestScope.variants(List.of(
                ListenConfig.NativeIo.EPOLL,
                ListenConfig.NativeIo.CHANNELS,
                ListenConfig.NativeIo.NIO,
                ListenConfig.NativeIo.IO_URING));
    }
}
