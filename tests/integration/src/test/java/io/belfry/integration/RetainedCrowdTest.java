package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests many subscribers of all subjects on a server with many retained messages. */
@Tag("complete")
final class RetainedCrowdTest {
    private static final int SUBSCRIBERS = 1000;
    private static final int RETAINED = 400;
    private static final String STATE = "s".repeat(62_500);
    private static final int RECEIVE_BUFFER = 4096;

    /** The kernel first accepts some megabytes for each socket. */
    private static final Duration SETTLING = Duration.ofMinutes(2);

    /** A heap for the retained messages and the sessions, but not for a buffer per session. */
    private static final String HEAP = "96m";

    /** A buffer per session outside the heap would take 64 MB, and a complete snapshot per session 25 GB. */
    private static final long GROWTH_MAX = 200L << 20;

    @Test
    @EnabledOnOs(OS.LINUX)
    void aThousandStalledSnapshotReadersUseLittleMemory() {
        List<RawConnection> crowd = new ArrayList<>();
        try (ServerProcess server = ServerProcess.startInHeap(
                        HEAP,
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false",
                        "SlowConsumer.Grace=10 m",
                        "Limit.PublishRate=0");
                TestClient publisher = TestClient.open(server, WireEncoding.BINARY)) {
            IntStream.range(0, RETAINED).forEach(i -> publisher.retain("/state/" + i, STATE, null));
            assertThat(readEverything(server)).isEqualTo(RETAINED);
            long before = server.residentBytes();
            for (int i = 0; i < SUBSCRIBERS; i++) {
                crowd.add(RawConnection.to("127.0.0.1", server.port(), RECEIVE_BUFFER));
                crowd.getLast().send(SocketFrames.handshake("/", List.of(WireEncoding.BINARY.header())));
                crowd.getLast().send(subscribeToAll());
            }
            Await.until("every socket is full", SETTLING, () -> slowSessions(server) == SUBSCRIBERS);
            assertThat(readEverything(server)).isEqualTo(RETAINED);
            long growth = server.residentBytes() - before;
            System.out.printf("%,d subscribers that do not read: %,d MB more resident%n", SUBSCRIBERS, growth >> 20);
            assertThat(growth).isLessThan(GROWTH_MAX);
        } finally {
            crowd.forEach(RawConnection::close);
        }
    }

    private static long slowSessions(ServerProcess server) {
        try (Http http = Http.to(server.monitorHttpPort())) {
            String metrics = http.get("/metrics", "Connection: close").body();
            return metrics.lines()
                    .filter(line -> line.startsWith("belfry_slow_sessions "))
                    .mapToLong(line -> (long) Double.parseDouble(line.split(" ", -1)[1]))
                    .sum();
        }
    }

    private static byte[] subscribeToAll() {
        ByteBuf subscribe = Unpooled.buffer();
        SubscribeRequest request = new SubscribeRequest(List.of(TestClient.bytes("/**")), null, 0, 0);
        new BinaryClientEncoding().subscribe(subscribe, 1, request);
        byte[] payload = new byte[subscribe.readableBytes()];
        subscribe.readBytes(payload);
        return SocketFrames.frame(SocketFrames.FIN | SocketFrames.BINARY, payload);
    }

    /** Returns the number of snapshots received before the subscription was confirmed. */
    private static long readEverything(ServerProcess server) {
        try (TestClient reader = TestClient.open(server, WireEncoding.BINARY)) {
            reader.ask("/**");
            long snapshots = 0;
            for (Event event = reader.next(); !(event instanceof Event.Subscribed); event = reader.next()) {
                snapshots += event instanceof Event.Message message && message.type() == MessageType.SNAPSHOT ? 1 : 0;
            }
            return snapshots;
        }
    }
}
