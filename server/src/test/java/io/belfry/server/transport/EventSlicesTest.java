package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.belfry.server.counter.Counter;
import io.belfry.server.turn.Clock;
import io.netty.buffer.ByteBuf;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with real sockets that the events of very many of them do not take the time of one turn. */
class EventSlicesTest {
    private static final int SOCKETS = 24;
    private static final int BYTES = 5000;

    /** A clock of which each read takes 0.9 ms, so that a turn reads two or three of the sockets. */
    private static final class SlowClock implements Clock {
        private long nanos;

        @Override
        public long nanos() {
            nanos += 900_000;
            return nanos;
        }

        @Override
        public long millis() {
            return Clock.SYSTEM.millis();
        }

        @Override
        public long micros() {
            return Clock.SYSTEM.micros();
        }
    }

    private LoopFixture fixture;
    private boolean stopped;
    private final List<java.net.Socket> clients = new ArrayList<>();
    private final List<EpollSocket> sockets = new ArrayList<>();

    /** The numbers of the sockets whose events were received, in their order, and -1 for each turn of another task. Of the loop. */
    private final List<Integer> reads = new ArrayList<>();

    private final List<Integer> ends = new ArrayList<>();
    private long read;
    private volatile boolean pauses;

    @BeforeEach
    void connect() throws Exception {
        assumeTrue(Epoll.isAvailable(), "native epoll");
        fixture = new LoopFixture(new SlowClock());
        try (ServerSocket listening = new ServerSocket(0, SOCKETS, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < SOCKETS; i++) {
                Socket connected = Socket.newSocketStream();
                if (!connected.connect(listening.getLocalSocketAddress())) {
                    connected.finishConnect();
                }
                clients.add(listening.accept());
                EpollSocket socket = new EpollSocket(connected.intValue());
                socket.serve(new Receiver(i));
                sockets.add(socket);
            }
        }
        awaitOnLoop(() -> true);
    }

    @AfterEach
    void close() throws Exception {
        if (fixture != null && !stopped) {
            fixture.call(() -> {
                sockets.forEach(EpollSocket::cut);
                return null;
            });
            awaitOnLoop(() -> ends.size() == SOCKETS);
            for (java.net.Socket each : clients) {
                each.close();
            }
            fixture.close();
        }
    }

    private interface Condition {
        boolean holds();
    }

    private void awaitOnLoop(Condition condition) throws Exception {
        for (int tries = 0; !fixture.call(condition::holds); tries++) {
            assertThat(tries).as("tries of 10 ms").isLessThan(1000);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** Lets all clients act while the loop is busy, so that one poll reports all sockets. */
    private void together(ClientAct act) throws Exception {
        CountDownLatch acted = new CountDownLatch(1);
        fixture.loop().execute(() -> {
            try {
                acted.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
        for (java.net.Socket each : clients) {
            act.on(each);
        }
        TimeUnit.MILLISECONDS.sleep(50);
        fixture.loop().execute(this::watchTurns);
        acted.countDown();
    }

    private interface ClientAct {
        void on(java.net.Socket client) throws IOException;
    }

    /** Marks each turn in the list of reads, until all sockets were read. */
    @SuppressWarnings("FutureReturnValueIgnored")
    private void watchTurns() {
        reads.add(-1);
        if (new HashSet<>(reads).size() <= SOCKETS && ends.size() < SOCKETS) {
            fixture.loop().schedule(this::watchTurns, 0, TimeUnit.NANOSECONDS);
        }
    }

    private int mostInATurn() {
        int most = 0;
        int now = 0;
        for (int each : reads) {
            now = each < 0 ? 0 : now + 1;
            most = Math.max(most, now);
        }
        return most;
    }

    @Test
    void aTurnReadsFewSocketsAndEachIsReadOnceBeforeAnyIsReadAgain() throws Exception {
        together(client -> client.getOutputStream().write(new byte[BYTES]));
        awaitOnLoop(() -> reads.stream().filter(each -> each >= 0).count() >= SOCKETS);
        List<Integer> inOrder = fixture.call(
                () -> reads.stream().filter(each -> each >= 0).limit(SOCKETS).toList());
        assertThat(inOrder).doesNotHaveDuplicates();
        assertThat(fixture.call(this::mostInATurn)).isBetween(1, SOCKETS / 2);
        assertThat(fixture.counted(Counter.SOCKET_EVENTS_DEFERRED)).isPositive();
    }

    @Test
    void resetsAreReportedInSeveralTurnsAndNoneIsLost() throws Exception {
        together(client -> {
            client.getOutputStream().write(new byte[BYTES]);
            client.setSoLinger(true, 0);
            client.close();
        });
        awaitOnLoop(() -> ends.size() == SOCKETS);
        assertThat(fixture.call(() -> List.copyOf(ends))).doesNotHaveDuplicates();
        assertThat(fixture.counted(Counter.SOCKET_EVENTS_DEFERRED)).isPositive();
        assertThat(sockets).noneMatch(EpollSocket::isOpen);
    }

    /** Sockets that were open when each of them was read, by number. */
    private final int[] openAtRead = new int[SOCKETS];

    @Test
    void aSocketIsServedBeforeTheResetOnesThatEpollReportedEarlier() throws Exception {
        java.net.Socket last = clients.getLast();
        together(client -> {
            if (client.equals(last)) {
                client.getOutputStream().write(1);
            } else {
                client.setSoLinger(true, 0);
                client.close();
            }
        });
        awaitOnLoop(() -> ends.size() == SOCKETS - 1);
        assertThat(openAtRead[SOCKETS - 1]).isGreaterThan(SOCKETS / 2);
        assertThat(sockets).filteredOn(EpollSocket::isOpen).hasSize(1);
    }

    @Test
    void aResetConnectionThatWaitsGivesAllItsBytes() throws Exception {
        byte[] several = new byte[40 * 1024]; // More than one read takes, and less than TCP accepts at once.
        together(client -> {
            client.getOutputStream().write(several);
            client.setSoLinger(true, 0);
            client.close();
        });
        awaitOnLoop(() -> ends.size() == SOCKETS);
        assertThat(fixture.call(() -> read)).isEqualTo((long) SOCKETS * several.length);
    }

    @Test
    void aPausedSocketThatIsResetIsClosed() throws Exception {
        pauses = true;
        together(client -> {
            client.getOutputStream().write(new byte[40 * 1024]);
            client.shutdownOutput();
            client.setSoLinger(true, 0);
            client.close();
        });
        awaitOnLoop(() -> ends.size() == SOCKETS);
    }

    @Test
    void endsThatWaitAreReportedWhenTheLoopStops() throws Exception {
        fixture.loop().execute(() -> sockets.forEach(EpollSocket::cut));
        fixture.close();
        stopped = true;
        assertThat(ends).hasSize(SOCKETS);
        for (java.net.Socket each : clients) {
            each.close();
        }
    }

    /** Records whose events it receives. */
    private final class Receiver implements SocketEvents {
        private final int number;

        private Receiver(int number) {
            this.number = number;
        }

        @Override
        public LoopContext context() {
            return fixture.context();
        }

        @Override
        public void onOpen() {}

        @Override
        public void onRead(ByteBuf bytes) {
            reads.add(number);
            read += bytes.readableBytes();
            openAtRead[number] =
                    (int) sockets.stream().filter(EpollSocket::isOpen).count();
            bytes.release();
            if (pauses) {
                sockets.get(number).pauseReading();
            }
        }

        @Override
        public void onInputEnded() {
            sockets.get(number).close();
        }

        @Override
        public void onEncryptionEnded() {}

        @Override
        public void onSocketReady() {}

        @Override
        public void onFailure(Throwable cause) {
            assertThat(cause).isInstanceOf(IOException.class);
        }

        @Override
        public void onClosed() {
            ends.add(number);
        }
    }
}
