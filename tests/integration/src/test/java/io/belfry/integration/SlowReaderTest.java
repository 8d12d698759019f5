package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.SubscribeRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a session that reads nothing is closed with a reason and does not delay other sessions. */
final class SlowReaderTest {
    private static final int RECEIVE_BUFFER = 4096;
    private static final int MESSAGES_MAX = 20_000;

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void aStalledReaderIsDisconnectedWithoutDelayingOthers(WireEncoding encoding) {
        String data = "d".repeat(8000);
        try (TestServer server = TestServer.start(
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false",
                        "Limit.PublishRate=0",
                        "SlowConsumer.MaxBytes=256 KB",
                        "SlowConsumer.Grace=1 s");
                TestClient slow =
                        TestClient.over(RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER), encoding);
                TestClient quick = TestClient.open(server, encoding);
                TestClient publisher = TestClient.open(server, encoding)) {
            slow.subscribe("/stream");
            quick.subscribe("/stream");
            int sent = 0;
            long closed = 0;
            // A fast machine sends any number of messages before the grace period ends, so time is the bound.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (closed == 0 && System.nanoTime() - end < 0) {
                for (int i = 0; i < 100; i++) {
                    publisher.publish("/stream", sent + " " + data);
                    assertThat(quick.expect(Event.Message.class).data()).startsWith(sent + " ");
                    sent++;
                }
                closed = slowConsumers(server);
            }
            assertThat(closed).isEqualTo(1);
            assertThat(slow.end()).isIn(4008, TestClient.CUT);
            publisher.publish("/stream", "last");
            assertThat(quick.data(1)).containsExactly("last");
        }
    }

    private static long slowConsumers(TestServer server) {
        return server.stats().path("closes").path("slow-consumer").asLong();
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void aReaderThatStallsForTheGraceIsDisconnected(WireEncoding encoding) {
        String data = "d".repeat(30_000);
        try (TestServer server = TestServer.start(
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false",
                        "SlowConsumer.MaxBytes=100 MB",
                        "SlowConsumer.Grace=500 ms",
                        "CacheSize=10000");
                TestClient slow =
                        TestClient.over(RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER), encoding);
                TestClient publisher = TestClient.open(server, encoding)) {
            slow.subscribe("/grace");
            for (int i = 0; i < 400; i++) {
                publisher.publish("/grace", i + " " + data);
            }
            Await.until("the grace period has ended", () -> slowConsumers(server) == 1);
            publisher.publish("/grace", "after");
        }
    }

    /**
     * Server and client count the same missed messages: no session is closed, no bytes are queued, and every gap is
     * sent.
     */
    @ParameterizedTest
    @CsvSource({"drop,1000,JSON", "conflate,1000,BINARY", "drop,0,BINARY", "conflate,0,JSON"})
    void aStalledReaderGetsAnExactGap(String policy, int cacheSize, WireEncoding encoding) {
        String data = "d".repeat(8000);
        try (TestServer server = TestServer.start(
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false",
                        "Limit.PublishRate=0",
                        "SlowConsumer=" + policy,
                        "SlowConsumer.MaxBytes=128 KB",
                        "SlowConsumer.Grace=1 m",
                        "CacheSize=" + cacheSize);
                TestClient slow =
                        TestClient.over(RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER), encoding);
                TestClient publisher = TestClient.open(server, encoding)) {
            slow.subscribe("/stream");
            int sent = 0;
            while (!"too-slow".equals(slowest(server).path("state").asText()) && sent < MESSAGES_MAX) {
                sent = publish(publisher, sent, 100, data);
            }
            long queued = slowest(server).path("queuedBytes").asLong();
            sent = publish(publisher, sent, 1000, data);
            Await.until(
                    "the list of slow sessions is updated",
                    () -> slowest(server).path("behindMessages").asLong() > 1000);
            assertThat(slowest(server).path("queuedBytes").asLong())
                    .isEqualTo(queued)
                    .isLessThan(512 << 10);
            assertThat(slowest(server).path("policy").asText()).isEqualTo(policy);
            long missed = readTo(slow, sent, policy.equals("drop") ? "slow-consumer" : "conflated");
            String[] where = policy.equals("drop")
                    ? new String[] {"drops", "slow-consumer"}
                    : new String[] {"conflations", "conflated"};
            assertThat(missed).isGreaterThan(900);
            Await.until(
                    "the counters match the client's count",
                    () -> server.stats().path(where[0]).path(where[1]).asLong() == missed);
            assertThat(server.stats().path("counters").path("messagesDropped").asLong()
                            + server.stats()
                                    .path("counters")
                                    .path("messagesConflated")
                                    .asLong())
                    .isEqualTo(missed);
            publisher.publish("/stream", sent + " last");
            assertThat(slow.expect(Event.Message.class).at().seq()).isEqualTo(sent + 1);
            Await.until("no session lags", () -> server.stats().path("slowest").isEmpty());
        }
    }

    private static int publish(TestClient publisher, int sent, int count, String data) {
        for (int i = 0; i < count; i++) {
            publisher.publish("/stream", sent + i + " " + data);
        }
        return sent + count;
    }

    /** Reads up to this seq; returns the number of messages in gaps, each of which must end at the next message. */
    private static long readTo(TestClient client, long last, String reason) {
        long at = 0;
        long missed = 0;
        while (at < last) {
            Event event = client.next();
            if (event instanceof Event.Gap gap) {
                assertThat(gap.reason()).isEqualTo(reason);
                assertThat(java.util.Objects.requireNonNull(gap.from()).seq()).isEqualTo(at);
                missed += gap.to().seq() - at;
                at = gap.to().seq();
            } else if (event instanceof Event.Message message) {
                assertThat(message.at().seq()).isEqualTo(at + 1);
                assertThat(message.data()).startsWith(at + " ");
                at++;
            } else {
                throw new AssertionError(event);
            }
        }
        return missed;
    }

    @ParameterizedTest
    @CsvSource({"128 KB, true", "0, false"})
    void theKernelBuffersLittleForAStalledReader(String unsent, boolean bounded) {
        try (TestServer server = TestServer.start(
                        "BufferLimit.Unsent=" + unsent,
                        "SlowConsumer.MaxBytes=16 MB",
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false");
                TestClient stalled = TestClient.open(server, WireEncoding.JSON);
                TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
            stalled.subscribe("/unsent");
            for (int i = 0; i < 64; i++) {
                publisher.publish("/unsent", "x".repeat(30_000));
            }
            if (bounded) {
                Await.until(
                        "most messages wait in the history",
                        () -> slowest(server).path("behindBytes").asLong() > 1_000_000);
            } else {
                // The monitor lists a lagging session within a second.
                LockSupport.parkNanos(Duration.ofMillis(1500).toNanos());
                assertThat(slowest(server).isMissingNode()).isTrue();
            }
        }
    }

    private static JsonNode slowest(TestServer server) {
        return server.stats().path("slowest").path(0);
    }

    @ParameterizedTest
    @MethodSource("io.belfry.integration.WireEncoding#ofThisRun")
    void aConflatingSessionGetsFirstAtOnceAndLastInTime(WireEncoding encoding) {
        try (TestServer server = TestServer.start(
                        "Monitor=HTTP", "MonitorHTTP.Listen=127.0.0.1:0", "MonitorHTTP.Authentication=false");
                TestClient client = TestClient.open(server, encoding);
                TestClient publisher = TestClient.open(server, encoding)) {
            client.ask(new SubscribeRequest(List.of(TestClient.bytes("/ticks")), null, 0, 200));
            client.expect(Event.Subscribed.class);
            for (int i = 1; i <= 100; i++) {
                publisher.publish("/ticks", "tick " + i);
            }
            assertThat(client.expect(Event.Message.class).at().seq()).isEqualTo(1);
            long at = 1;
            long jumped = 0;
            while (at < 100) {
                long seq = client.expect(Event.Message.class).at().seq();
                jumped += seq - at - 1;
                at = seq;
            }
            long told = jumped;
            Await.until(
                    "the counter matches the client's count",
                    () -> server.stats()
                                    .path("conflations")
                                    .path("conflate-requested")
                                    .asLong()
                            == told);
            assertThat(jumped).isPositive();
        }
    }

    @Test
    void aStreamConflatesAsItsQueryRequests() {
        try (TestServer server = TestServer.start();
                TestClient publisher = TestClient.open(server, WireEncoding.JSON);
                Http stream = Http.to(server.port());
                Http bad = Http.to(server.port())) {
            assertThat(bad.get("/subscribe?subject=/ticks&conflate=3600001", "Accept: application/x-ndjson")
                            .status())
                    .isEqualTo(400);
            stream.stream("/subscribe?subject=/ticks&conflate=100", "Accept: application/x-ndjson");
            Http.LineSource lines = stream.lines();
            assertThat(lines.next()).contains("\"conflate\":100");
            for (int i = 1; i <= 20; i++) {
                publisher.publish("/ticks", "tick " + i);
            }
            assertThat(lines.next()).contains("\"seq\":1,");
            String line = lines.next();
            while (!line.contains("\"seq\":20,")) {
                line = lines.next();
            }
        }
    }
}
