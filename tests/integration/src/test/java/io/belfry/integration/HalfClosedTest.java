package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.ListenConfig;
import io.belfry.testsupport.TestScope;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests clients that close their sending half and continue to read, as {@code nc -N} does, and clients that close
 * both.
 */
@Tag("slow")
final class HalfClosedTest {
    private static final int MESSAGES = 200;
    private static final int RECEIVE_BUFFER = 4096;
    private static final String[] WATCHED = {
        "Monitor=HTTP", "MonitorHTTP.Listen=127.0.0.1:0", "MonitorHTTP.Authentication=false"
    };

    static Stream<ListenConfig.NativeIo> kinds() {
        return TestScope.variants(List.of(ListenConfig.NativeIo.values()));
    }

    private static TestServer start(ListenConfig.NativeIo kind, String... more) {
        SocketKindsTest.assumeItIsHere(kind);
        String[] sets = java.util.Arrays.copyOf(WATCHED, WATCHED.length + more.length + 1);
        System.arraycopy(more, 0, sets, WATCHED.length, more.length);
        sets[sets.length - 1] = SocketKindsTest.setting(kind);
        return TestServer.start(sets);
    }

    private static int lost(TestServer server) {
        return server.stats().path("closes").path("connection-lost").asInt();
    }

    private static int slow(TestServer server) {
        return server.stats().path("closes").path("slow-consumer").asInt();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aStreamContinuesAfterItsClientEndedItsHalf(ListenConfig.NativeIo kind) {
        try (TestServer server = start(kind, "PingInterval=500 ms");
                Http stream = Http.to(server.port())) {
            stream.raw().send(Http.text("GET", "/subscribe?subject=/half", "")).endOutput();
            String text = "";
            while (!text.contains("subscribed")) {
                text = stream.raw().line();
            }
            for (int keepAlives = 0; keepAlives < 6; ) {
                keepAlives += stream.raw().line().equals(":") ? 1 : 0;
            }
            try (Http post = Http.to(server.port())) {
                assertThat(post.post("/publish?subject=/half", "later").status())
                        .isEqualTo(200);
            }
            while (!text.contains("later")) {
                text = stream.raw().line();
            }
        }
    }

    /** Closing the server fails the test if the end of the stream was logged as an error. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aStalledReaderThatEndedItsHalfIsClosedAsSlow(ListenConfig.NativeIo kind) {
        try (TestServer server = start(kind, "BufferLimit.Unsent=16 KB", "SlowConsumer.Grace=1 s");
                Http stream = Http.to(server.port());
                Http post = Http.to(server.port())) {
            stream.raw().send(Http.text("GET", "/subscribe?subject=/half", "")).endOutput();
            String text = "";
            while (!text.contains("subscribed")) {
                text = stream.raw().line();
            }
            String data = "x".repeat(60_000);
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(post.post("/publish?subject=/half", data).status()).isEqualTo(200);
            }
            assertThat(post.post("/publish?subject=/other", "still served").status())
                    .isEqualTo(200);
            Await.until("the session is closed as slow", Duration.ofSeconds(20), () -> slow(server) == 1);
            assertThat(lost(server)).isZero();
        }
    }

    /** The answer is larger than the buffers of both systems, so the socket accepts it in many parts. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aLargeAnswerIsCompleteAfterTheClientEndedItsHalf(ListenConfig.NativeIo kind) {
        try (TestServer server = start(kind, "BufferLimit.Unsent=16 KB");
                Http post = Http.to(server.port());
                Http reader = new Http(RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER))) {
            String data = "x".repeat(60_000);
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(post.post("/publish?subject=/half", data).status()).isEqualTo(200);
            }
            reader.raw()
                    .send(Http.text("GET", "/history?subject=/half&count=" + MESSAGES, ""))
                    .endOutput();
            assertThat(reader.answer().json().path("messages")).hasSize(MESSAGES);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aStreamWhoseClientEndedBothHalvesIsDroppedAtOnce(ListenConfig.NativeIo kind) {
        try (TestServer server = start(kind)) {
            try (Http stream = Http.to(server.port())) {
                stream.stream("/subscribe?subject=/half");
                String text = "";
                while (!text.contains("subscribed")) {
                    text = stream.raw().line();
                }
            }
            Await.until("the stream is closed before a ping is due", Duration.ofSeconds(5), () -> lost(server) == 1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyCompleteRequestBeforeTheEndIsAnswered(ListenConfig.NativeIo kind) {
        try (TestServer server = start(kind);
                Http http = Http.to(server.port())) {
            String poll = Http.text("GET", "/poll?subject=/half&wait=500ms", "");
            String post = Http.text("POST", "/publish?subject=/half", "x");
            http.raw()
                    .send(post + poll + Http.text("GET", "/health/live", "") + "GET /incomplete")
                    .endOutput();
            assertThat(http.answer().body()).contains("\"seq\":1");
            assertThat(http.answer().body()).contains("\"messages\":[]");
            assertThat(http.answer().body()).contains("ok");
            assertThat(http.raw().isEnded()).isTrue();
        }
    }

    @Test
    void aConnectionWithoutARequestEndsWithItsClient() {
        try (TestServer server = start(ListenConfig.NativeIo.AUTO);
                Http silent = Http.to(server.port());
                Http idle = Http.to(server.port())) {
            assertThat(silent.raw().endOutput().isEnded()).isTrue();
            assertThat(idle.get("/health/live").status()).isEqualTo(200);
            assertThat(idle.raw().endOutput().isEnded()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aHalfClosedWebSocketIsClosed(ListenConfig.NativeIo kind) {
        try (TestServer server = start(kind);
                SocketFrames frames = SocketFrames.open(server.port(), WireEncoding.JSON.header())) {
            frames.raw().endOutput();
            Await.until("the connection is gone", Duration.ofSeconds(5), () -> lost(server) == 1);
        }
    }

    @Test
    void anEncryptedStreamEndsWithItsClientsHalf() {
        SelfSigned certificate = SelfSigned.make();
        try (TestServer server = start(ListenConfig.NativeIo.AUTO, certificate.settings());
                Http stream = new Http(
                        RawConnection.encrypted(SelfSigned.client(null, certificate), server.encryptedPort()))) {
            stream.stream("/subscribe?subject=/half");
            stream.raw().endOutput();
            Await.until("the connection is gone", Duration.ofSeconds(5), () -> lost(server) == 1);
        }
    }
}
