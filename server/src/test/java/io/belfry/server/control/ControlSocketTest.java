package io.belfry.server.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlSocketTest {
    @TempDir
    Path folder;

    private final RecordingTarget target = new RecordingTarget();
    private ControlSocket socket;
    private ControlClient client;

    @BeforeEach
    void open() throws IOException {
        socket = ControlSocket.open(path(), target, Duration.ofMillis(100));
        client = new ControlClient(path(), Duration.ofSeconds(20));
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
    }

    private Path path() {
        return folder.resolve("belfry.sock");
    }

    @Test
    void statusIsReturnedLineByLine() throws IOException {
        assertThat(client.ask(new ControlRequest.Status()))
                .isEqualTo(new ControlAnswer(true, List.of("state ready", "sessions 3")));
    }

    @Test
    void reloadReturnsTheChanges() throws IOException {
        assertThat(client.ask(new ControlRequest.Reload()).lines()).containsExactly("LogLevel: INFO -> DEBUG");
    }

    @Test
    void aRefusedReloadIsAnErrorWithItsReason() throws IOException {
        target.refusal = "logs/x: must be UTF-8\nand another";
        assertThat(client.ask(new ControlRequest.Reload()))
                .isEqualTo(new ControlAnswer(false, List.of("logs/x: must be UTF-8", "and another")));
    }

    @Test
    void drainPassesItsTimeOn() throws Exception {
        assertThat(client.ask(new ControlRequest.Drain(Duration.ofMinutes(2))).lines())
                .containsExactly("draining over 120 s");
        assertThat(target.calls.poll(20, TimeUnit.SECONDS)).isEqualTo("drain PT2M");
    }

    @Test
    void stopIsAnsweredBeforeItHappens() throws Exception {
        target.onStop = () -> {
            try {
                socket.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        };
        assertThat(client.ask(new ControlRequest.Stop())).isEqualTo(new ControlAnswer(true, List.of("stopping")));
        assertThat(target.calls.poll(20, TimeUnit.SECONDS)).isEqualTo("stop");
    }

    @Test
    void unknownRequestsAreAnsweredWithTheKnownOnes() throws IOException {
        assertThat(raw("shutdown\n")).startsWith("error\nunknown request; known are status");
        assertThat(raw("status please\n")).isEqualTo("error\n'status' takes no argument\n");
        assertThat(raw("drain\n")).startsWith("error\nthe time of a drain must be a whole number");
        assertThat(raw("drain 400h\n")).startsWith("error\nthe time of a drain must be from");
    }

    @Test
    void malformedRequestsDoNotAffectTheNextRequest() throws IOException {
        Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            byte[] nonsense = new byte[random.nextInt(1, 200)];
            random.nextBytes(nonsense);
            try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
                channel.write(ByteBuffer.wrap(nonsense));
            }
        }
        assertThat(client.ask(new ControlRequest.Status()).ok()).isTrue();
        assertThat(target.calls).isEmpty();
    }

    @Test
    void aSilentClientTimesOutAndTheNextOneIsServed() throws IOException {
        try (SocketChannel silent = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
            assertThat(client.ask(new ControlRequest.Status()).ok()).isTrue();
            assertThat(silent.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    void anEndlessRequestIsClosed() throws IOException {
        assertThat(raw("x".repeat(ControlSocket.REQUEST_BYTES_MAX + 1))).isEmpty();
        assertThat(client.ask(new ControlRequest.Status()).ok()).isTrue();
    }

    @Test
    void onlyTheOwnerMayConnect() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo("rw-------");
    }

    @Test
    void theSocketFileOfAKilledServerIsReplaced() throws IOException {
        socket.close();
        Files.writeString(path(), "left behind");
        socket = ControlSocket.open(path(), target, Duration.ofMillis(100));
        assertThat(client.ask(new ControlRequest.Status()).ok()).isTrue();
    }

    @Test
    void closingRemovesTheSocketFile() throws IOException {
        socket.close();
        assertThat(path()).doesNotExist();
        assertThatThrownBy(() -> client.ask(new ControlRequest.Status())).isInstanceOf(IOException.class);
    }

    private String raw(String request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path()));
                ControlLine line = new ControlLine(channel, Duration.ofSeconds(20))) {
            line.write(request);
            return line.readAll(1 << 16);
        }
    }

    private static final class RecordingTarget implements ControlTarget {
        final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
        volatile String refusal = "";
        volatile Runnable onStop = () -> {};

        @Override
        public String status() {
            return "state ready\nsessions 3";
        }

        @Override
        public List<String> reload() {
            if (!refusal.isEmpty()) {
                throw new IllegalStateException(refusal);
            }
            return List.of("LogLevel: INFO -> DEBUG");
        }

        @Override
        public void drain(Duration over) {
            calls.add("drain " + over);
        }

        @Override
        public void stop() {
            onStop.run();
            calls.add("stop");
        }
    }
}
