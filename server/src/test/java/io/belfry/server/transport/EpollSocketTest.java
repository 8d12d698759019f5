package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.belfry.server.counter.Counter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the socket without a channel with real sockets, because its events are those of the kernel. */
class EpollSocketTest {
    private static final int LARGE = 8 << 20;
    private static final int EPOLLHUP = 0x10;

    private LoopFixture fixture;
    private ServerSocket listening;
    private java.net.Socket client;
    private EpollSocket socket;
    private Recorder recorder;

    @BeforeEach
    void connect() throws Exception {
        assumeTrue(Epoll.isAvailable(), "native epoll");
        fixture = new LoopFixture();
        listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket connected = Socket.newSocketStream();
        if (!connected.connect(listening.getLocalSocketAddress())) {
            connected.finishConnect();
        }
        client = listening.accept();
        client.setSoTimeout(10_000);
        socket = new EpollSocket(connected.intValue());
        recorder = new Recorder(fixture.context());
        onLoop(() -> socket.serve(recorder));
        assertThat(recorder.next()).isEqualTo("open");
    }

    @AfterEach
    void close() throws Exception {
        if (fixture != null) {
            onLoop(socket::cut);
            client.close();
            listening.close();
            assertThat(fixture.counted(Counter.QUEUED_BYTES)).isZero();
            fixture.close();
        }
    }

    private void onLoop(Runnable task) throws Exception {
        fixture.call(() -> {
            task.run();
            return null;
        });
    }

    private void send(String text) throws IOException {
        client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Writes bytes as a connection does; returns whether the socket accepted all of them. */
    private boolean write(byte[] bytes) throws Exception {
        return fixture.call(() -> {
            ByteBuf out =
                    PooledByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
            int written = socket.writeNow(out, 0, bytes.length);
            if (written < 0 || written == bytes.length) {
                out.release();
            } else {
                socket.enqueue(out.skipBytes(written));
            }
            return socket.takesMore();
        });
    }

    private static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) ((i * 31) >> 3);
        }
        return bytes;
    }

    @Test
    void bytesAreReadAndWritten() throws Exception {
        send("hello");
        assertThat(recorder.next()).isEqualTo("read hello");
        assertThat(write("answer".getBytes(StandardCharsets.US_ASCII))).isTrue();
        assertThat(client.getInputStream().readNBytes(6)).asString().isEqualTo("answer");
        assertThat(fixture.counted(Counter.BYTES_OUT)).isEqualTo(6);
        assertThat(fixture.counted(Counter.WRITES_OUT)).isEqualTo(1);
    }

    @Test
    void eventsThatWaitAreAddedUpUntilTheyAreTaken() throws Exception {
        int reset = EpollIoOps.EPOLLERR.value() | EPOLLHUP;
        int halfClosed = EpollIoOps.EPOLLIN.value() | EpollIoOps.EPOLLRDHUP.value();
        onLoop(() -> {
            assertThat(socket.leave(reset)).isTrue();
            assertThat(socket.leave(halfClosed)).isFalse();
            assertThat(socket.takeLeft()).isEqualTo(reset | halfClosed);
            assertThat(socket.leave(EpollIoOps.EPOLLOUT.value())).isTrue();
            assertThat(socket.takeLeft()).isEqualTo(EpollIoOps.EPOLLOUT.value());
            assertThat(socket.takeLeft()).isZero();
        });
        send("hello");
        assertThat(recorder.next()).isEqualTo("read hello");
    }

    @Test
    void bytesThatTheKernelLeavesAreSentInOrder() throws Exception {
        byte[] first = pattern(LARGE);
        byte[] second = pattern(LARGE / 2);
        assertThat(write(first)).isFalse();
        assertThat(write(second)).isFalse();
        assertThat(fixture.counted(Counter.QUEUED_BYTES)).isEqualTo(fixture.call(() -> (long) socket.queuedBytes()));

        assertThat(client.getInputStream().readNBytes(first.length)).isEqualTo(first);
        assertThat(client.getInputStream().readNBytes(second.length)).isEqualTo(second);
        assertThat(recorder.next()).isEqualTo("ready");
        assertThat(fixture.call(() -> socket.takesMore())).isTrue();
        assertThat(fixture.counted(Counter.BYTES_OUT)).isEqualTo(first.length + second.length);
    }

    @Test
    void aPausedSocketReadsAfterItIsResumed() throws Exception {
        onLoop(socket::pauseReading);
        send("waits");
        assertThat(recorder.isSilent()).isTrue();
        onLoop(socket::resumeReading);
        assertThat(recorder.next()).isEqualTo("read waits");
    }

    @Test
    void theEndOfTheInputIsReportedOnceAndAfterAllBytes() throws Exception {
        byte[] bytes = pattern(100_000);
        client.getOutputStream().write(bytes);
        client.shutdownOutput();
        int read = 0;
        String next = recorder.next();
        while (next.startsWith("read")) {
            read += recorder.lastLength();
            next = recorder.next();
        }
        assertThat(next).isEqualTo("input ended");
        assertThat(read).isEqualTo(bytes.length);
        assertThat(recorder.isSilent()).isTrue();
        assertThat(write("still read".getBytes(StandardCharsets.US_ASCII))).isTrue();
        assertThat(client.getInputStream().readNBytes(10)).asString().isEqualTo("still read");
    }

    @Test
    void aPausedSocketReportsTheEndOfAClientThatSentNothing() throws Exception {
        onLoop(socket::pauseReading);
        client.shutdownOutput();
        assertThat(recorder.next()).isEqualTo("input ended");
    }

    @Test
    void bytesAreWrittenAfterTheClientEndedItsHalf() throws Exception {
        client.shutdownOutput();
        assertThat(recorder.next()).isEqualTo("input ended");
        byte[] bytes = pattern(LARGE);
        assertThat(write(bytes)).isFalse();
        assertThat(client.getInputStream().readNBytes(bytes.length)).isEqualTo(bytes);
        assertThat(recorder.next()).isEqualTo("ready");
    }

    @Test
    void aResetIsAFailureAndEndsTheSocket() throws Exception {
        client.setSoLinger(true, 0);
        client.close();
        assertThat(recorder.next()).startsWith("failure").contains("reset");
        assertThat(recorder.next()).isEqualTo("closed");
    }

    @Test
    void aResetOfAPausedSocketEndsIt() throws Exception {
        onLoop(socket::pauseReading);
        client.setSoLinger(true, 0);
        client.close();
        assertThat(recorder.next()).startsWith("failure");
        assertThat(recorder.next()).isEqualTo("closed");
    }

    @Test
    void aResetAfterTheEndOfTheInputEndsTheSocket() throws Exception {
        client.shutdownOutput();
        assertThat(recorder.next()).isEqualTo("input ended");
        client.setSoLinger(true, 0);
        client.close();
        assertThat(recorder.next()).startsWith("failure");
        assertThat(recorder.next()).isEqualTo("closed");
    }

    @Test
    void aResetDiscardsTheQueuedBytes() throws Exception {
        assertThat(write(pattern(LARGE))).isFalse();
        client.setSoLinger(true, 0);
        client.close();
        assertThat(recorder.next()).startsWith("failure");
        assertThat(recorder.next()).isEqualTo("closed");
        assertThat(fixture.counted(Counter.QUEUED_BYTES)).isZero();
        assertThat(write("late".getBytes(StandardCharsets.US_ASCII))).isTrue();
    }

    @Test
    void theSendingHalfIsClosedAfterTheQueuedBytes() throws Exception {
        byte[] bytes = pattern(LARGE);
        assertThat(write(bytes)).isFalse();
        onLoop(socket::shutdownOutput);
        assertThat(client.getInputStream().readAllBytes()).isEqualTo(bytes);
        send("is read");
        assertThat(recorder.next()).isEqualTo("read is read");
    }

    @Test
    void theSocketIsClosedAfterTheQueuedBytes() throws Exception {
        byte[] bytes = pattern(LARGE);
        assertThat(write(bytes)).isFalse();
        onLoop(socket::closeAfterQueued);
        assertThat(client.getInputStream().readAllBytes()).isEqualTo(bytes);
        assertThat(recorder.next()).isEqualTo("closed");
    }

    @Test
    void theSendingHalfOfAHalfClosedSocketEndsIt() throws Exception {
        client.shutdownOutput();
        assertThat(recorder.next()).isEqualTo("input ended");
        onLoop(socket::shutdownOutput);
        assertThat(recorder.next()).isEqualTo("closed");
        assertThat(client.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void theEndIsReportedInALaterTask() throws Exception {
        List<String> during = fixture.call(() -> {
            socket.cut();
            socket.cut();
            return recorder.all();
        });
        assertThat(during).isEmpty();
        assertThat(recorder.next()).isEqualTo("closed");
        assertThat(recorder.isSilent()).isTrue();
    }

    /** After a close within the same poll, an event may belong to an earlier socket with the same descriptor number. */
    @Test
    void anEventOfAnEarlierSocketHasNoEffect() throws Exception {
        int all = Arrays.stream(new EpollIoOps[] {
                    EpollIoOps.EPOLLIN, EpollIoOps.EPOLLOUT, EpollIoOps.EPOLLERR, EpollIoOps.EPOLLRDHUP
                })
                .mapToInt(EpollIoOps::value)
                .sum();
        onLoop(() -> socket.handle(all));
        assertThat(recorder.isSilent()).isTrue();
        send("alive");
        assertThat(recorder.next()).isEqualTo("read alive");
    }

    @Test
    void theKernelReportsTheAcknowledgementsOfTheClient() throws Exception {
        assertThat(socket.showsAcknowledgements()).isTrue();
        assertThat(write("acknowledged".getBytes(StandardCharsets.US_ASCII))).isTrue();
        int millis = fixture.call(() -> socket.acknowledgedMillis(100_000, 200_000));
        assertThat(millis).isBetween(0, 10_000);
        onLoop(socket::probeWhileSilent);
        assertThat(new Socket(socket.intValue()).isKeepAlive()).isTrue();
    }

    /** Records the events as text, in their order. */
    private static final class Recorder implements SocketEvents {
        private final LoopContext context;
        private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
        private final BlockingQueue<Integer> lengths = new LinkedBlockingQueue<>();

        private Recorder(LoopContext context) {
            this.context = context;
        }

        String next() throws InterruptedException {
            String event = events.poll(10, TimeUnit.SECONDS);
            assertThat(event).as("an event within 10 s").isNotNull();
            return event;
        }

        int lastLength() {
            return lengths.remove();
        }

        boolean isSilent() throws InterruptedException {
            return events.poll(200, TimeUnit.MILLISECONDS) == null;
        }

        List<String> all() {
            return new ArrayList<>(events);
        }

        @Override
        public LoopContext context() {
            return context;
        }

        @Override
        public void onOpen() {
            events.add("open");
        }

        @Override
        public void onRead(ByteBuf bytes) {
            lengths.add(bytes.readableBytes());
            events.add("read " + bytes.toString(StandardCharsets.US_ASCII));
            bytes.release();
        }

        @Override
        public void onInputEnded() {
            events.add("input ended");
        }

        @Override
        public void onEncryptionEnded() {
            events.add("encryption ended");
        }

        @Override
        public void onSocketReady() {
            events.add("ready");
        }

        @Override
        public void onFailure(Throwable cause) {
            events.add("failure " + cause.getMessage());
        }

        @Override
        public void onClosed() {
            events.add("closed");
        }
    }
}
