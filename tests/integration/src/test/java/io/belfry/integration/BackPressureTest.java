package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.CommandHandler;
import io.belfry.testsupport.TestScope;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a publisher faster than the server is blocked by its full socket, without refused or lost messages. */
@Tag("slow")
final class BackPressureTest {
    private static final int MESSAGES = TestScope.length(60_000, 12_000);
    private static final int SUBSCRIBERS = TestScope.length(40, 20);
    private static final int SEND_BUFFER = 16 * 1024;
    private static final long NAP_NANOS = 1_000_000;

    @Test
    void aFastPublisherIsBlockedByItsSocketAndLosesNothing() {
        try (ServerProcess server = ServerProcess.startUnwatched(
                        "BenchmarkMode=true",
                        "Limit.PublishRate=0",
                        "Limit.InboxBytes=64 KB",
                        "CacheSize=100000",
                        "SlowConsumer.MaxBytes=1 GB");
                SubscriberCrowd crowd = new SubscriberCrowd(server.port(), SUBSCRIBERS, "/flood");
                TestClient one = TestClient.open(server, WireEncoding.BINARY);
                SocketChannel flooding = connection(server.port())) {
            crowd.awaitSubscribed();
            CompletableFuture<Integer> held = CompletableFuture.supplyAsync(() -> flood(flooding, one));
            crowd.awaitMessages(MESSAGES);
            assertThat(crowd.faults()).isEmpty();
            assertThat(held.join()).isPositive();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SocketChannel connection(int port) throws IOException {
        SocketChannel socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.configureBlocking(false);
        return socket;
    }

    /** Writes as fast as the socket accepts; returns how often the socket accepted nothing. */
    private static int flood(SocketChannel socket, TestClient frames) {
        try {
            // Encoded in advance, because an encoder on a busy machine may be slower than the server.
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes(TestClient.bytes(SocketFrames.handshake("/", List.of(WireEncoding.BINARY.header()))));
            for (int i = 0; i < MESSAGES; i++) {
                all.writeBytes(frames.publicationFrame(CommandHandler.NO_ID, "/flood", Integer.toString(i)));
            }
            return send(socket, all.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int send(SocketChannel socket, byte[] bytes) throws IOException {
        int held = 0;
        for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
            if (socket.write(rest) == 0) {
                held++;
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
        return held;
    }
}
