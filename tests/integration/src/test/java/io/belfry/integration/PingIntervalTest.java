package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.ListenConfig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests ping intervals that clients request, over sockets, beside sessions with the interval of the server. */
@Tag("slow")
class PingIntervalTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final long HOUR_MILLIS = 3_600_000;

    private static TestServer start(String interval, ListenConfig.NativeIo kind) {
        SocketKindsTest.assumeItIsHere(kind);
        return TestServer.start(
                "PingInterval=" + interval,
                "PingInterval.Min=500 ms",
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false",
                SocketKindsTest.setting(kind));
    }

    private static int timeouts(TestServer server) {
        return server.stats().path("closes").path("ping-timeout").asInt();
    }

    private static void answerPings(TestClient client, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(client.frames().nextOrPing().opcode()).isEqualTo(SocketFrames.PING);
        }
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void eachSessionIsPingedAtItsOwnInterval(WireEncoding encoding) {
        try (TestServer server = start("3 s", ListenConfig.NativeIo.AUTO);
                TestClient quick = TestClient.open(server, encoding);
                TestClient plain = TestClient.open(server, encoding);
                TestClient quiet = TestClient.open(server, encoding)) {
            long began = System.nanoTime();
            assertThat(quick.requestPing(500).pingMillis()).isEqualTo(500);
            assertThat(quiet.requestPing(HOUR_MILLIS).pingMillis()).isEqualTo(HOUR_MILLIS);
            plain.connect(null);
            assertThat(plain.expect(Event.Connected.class).pingMillis()).isEqualTo(3_000);
            answerPings(quick, 3);
            assertThat(System.nanoTime() - began).isGreaterThan(1_000_000_000L);
            answerPings(plain, 3);
            assertThat(System.nanoTime() - began)
                    .as("time of three default intervals, without the lateness of a loaded server")
                    .isGreaterThan(6_000_000_000L);
            quiet.ping(7);
            assertThat(quiet.frames().nextOrPing().opcode())
                    .as("the first frame after the answer to connect is a pong, not a ping of the server")
                    .isNotEqualTo(SocketFrames.PING);
        }
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.ClientsThatVanishTest#kinds")
    void aVanishedClientIsDroppedAfterTwoOfItsIntervals(ListenConfig.NativeIo kind) {
        assumeFilters();
        try (TestServer server = start("1 m", kind);
                TestClient living = TestClient.open(server, WireEncoding.JSON);
                RawConnection connection = RawConnection.to(server.port());
                TestClient vanished = TestClient.over(connection, WireEncoding.BINARY)) {
            assertThat(vanished.requestPing(1_000).pingMillis()).isEqualTo(1_000);
            SilentNetwork.cut(connection);
            Await.until("the vanished client is dropped", SOON, () -> timeouts(server) == 1);
            living.ping(1);
            assertThat(living.next()).isEqualTo(new Event.Pong(1));
        }
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.ClientsThatVanishTest#kindsWithTcpInfo")
    void aStreamOfAVanishedClientIsDroppedAfterTwoOfItsIntervals(ListenConfig.NativeIo kind) {
        assumeFilters();
        try (TestServer server = start("1 m", kind);
                Http living = new Http(RawConnection.to(server.port()));
                Http vanished = new Http(RawConnection.to(server.port()))) {
            assertThat(living.stream("/subscribe?subject=/a&ping=500").headers())
                    .containsEntry("belfry-ping", "500");
            vanished.stream("/subscribe?subject=/a&ping=1000");
            SilentNetwork.cut(vanished.raw());
            Await.until("the vanished client is dropped", SOON, () -> timeouts(server) == 1);
            Http.LineSource lines = living.lines();
            String line = lines.next();
            while (!line.startsWith(":")) {
                line = lines.next();
            }
            assertThat(timeouts(server)).isEqualTo(1);
        }
    }

    private static void assumeFilters() {
        Assumptions.assumeTrue(SilentNetwork.isPossible(), "packets to a socket can be dropped on Linux only");
    }

    @Test
    void anInvalidIntervalIsRefusedAndTheSessionContinues() {
        try (TestServer server = start("25 s", ListenConfig.NativeIo.AUTO);
                TestClient client = TestClient.open(server, WireEncoding.JSON)) {
            for (String ping : List.of("0", "-1", "0.5", "\"10000\"", "true", "4294967296")) {
                client.sendRaw(
                        ("{\"op\":\"connect\",\"id\":4,\"ping\":" + ping + "}").getBytes(StandardCharsets.UTF_8));
                Event.Failed failed = client.expect(Event.Failed.class);
                assertThat(failed.code()).as(ping).isEqualTo("bad-request");
                assertThat(failed.id()).isEqualTo(4);
            }
            assertThat(client.requestPing(1).pingMillis()).isEqualTo(500);
            Await.until(
                    "the request is counted",
                    SOON,
                    () -> server.stats()
                                    .path("counters")
                                    .path("pingIntervalsClamped")
                                    .asInt()
                            == 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "0.5", "ten", "", "4294967296", "99999999999"})
    void anInvalidIntervalOfAStreamIsRefused(String ping) {
        try (TestServer server = start("25 s", ListenConfig.NativeIo.AUTO);
                Http http = Http.to(server.port())) {
            Http.Answer answer = http.get("/subscribe?subject=/a&ping=" + ping);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.code()).isEqualTo("bad-request");
        }
    }
}
