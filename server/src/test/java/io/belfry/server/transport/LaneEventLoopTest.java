package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.belfry.testsupport.ExpectedFaults;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests loops of native epoll that are lent, with real sockets and threads. */
class LaneEventLoopTest {
    private static final int WAIT_SECONDS = 30;

    private LaneEventLoop.Group group;
    private LaneEventLoop first;
    private LaneEventLoop second;
    private Thread firstThread;
    private Thread secondThread;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Epoll.isAvailable(), "native epoll");
        group = new LaneEventLoop.Group(2, new DefaultThreadFactory("lane"), new PersistentEpollHandler.Factory());
        first = (LaneEventLoop) group.next();
        second = (LaneEventLoop) group.next();
        firstThread = on(first, Thread::currentThread);
        secondThread = on(second, Thread::currentThread);
    }

    @AfterEach
    void stop() {
        if (group != null) {
            group.shutdownGracefully(0, WAIT_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static <T> T on(LaneEventLoop loop, Callable<T> task) throws Exception {
        return loop.submit(task).get(WAIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Lends the second loop to the first one, and waits until its thread sleeps. */
    private void lend() throws Exception {
        first.execute(() -> first.borrow(List.of(second)));
        while (!on(second, Thread::currentThread).equals(firstThread)) {
            Thread.onSpinWait();
        }
    }

    private void giveBack() throws Exception {
        first.execute(first::giveBack);
        while (!on(second, Thread::currentThread).equals(secondThread)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aLentLoopRunsOnTheThreadOfTheBorrower_untilItIsGivenBack() throws Exception {
        for (int round = 0; round < 100; round++) {
            lend();
            giveBack();
        }
    }

    @Test
    void tasksOfOtherThreadsWakeTheBorrower() throws Exception {
        lend();

        for (int task = 0; task < 1_000; task++) {
            // Both loops wait for events before each task.
            assertThat(on(second, Thread::currentThread)).isEqualTo(firstThread);
            assertThat(on(first, Thread::currentThread)).isEqualTo(firstThread);
        }
    }

    @Test
    void timersOfALentLoopAreInTime() throws Exception {
        lend();

        long began = System.nanoTime();
        Thread ran = second.schedule(Thread::currentThread, 50, TimeUnit.MILLISECONDS)
                .get(WAIT_SECONDS, TimeUnit.SECONDS);

        assertThat(ran).isEqualTo(firstThread);
        assertThat(System.nanoTime() - began).isBetween(50_000_000L, TimeUnit.SECONDS.toNanos(WAIT_SECONDS));
    }

    @Test
    void aTimerThatIsSetBeforeTheLoopIsLentIsInTime() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        second.schedule(() -> ran.complete(Thread.currentThread()), 1, TimeUnit.SECONDS);

        lend();
        assumeFalse(ran.isDone(), "lent within a second");

        assertThat(ran.get(WAIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(firstThread);
    }

    @Test
    void onlyTheLoopWhoseTurnItIsIsTheCurrentOne() throws Exception {
        lend();

        assertThat(on(first, () -> List.of(first.inEventLoop(), second.inEventLoop())))
                .containsExactly(true, false);
        assertThat(on(second, () -> List.of(first.inEventLoop(), second.inEventLoop())))
                .containsExactly(false, true);
    }

    @Test
    void aTaskForTheOtherLoopRunsAfterThisOne() throws Exception {
        lend();
        List<String> order = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);

        second.execute(() -> {
            first.execute(() -> {
                second.execute(() -> {
                    order.add("second again");
                    done.countDown();
                });
                order.add("first");
            });
            order.add("second");
        });

        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(order).containsExactly("second", "first", "second again");
    }

    @Test
    void socketsStayWithTheirLoop() throws Exception {
        EpollServerSocketChannel server = echoServerOn(second);
        try (Socket before = connect(server)) {
            assertEchoes(before);
            lend();
            assertEchoes(before);
            try (Socket during = connect(server)) {
                assertEchoes(during);
                giveBack();
                assertEchoes(before);
                assertEchoes(during);
            }
        }
        server.close().syncUninterruptibly();
    }

    private static EpollServerSocketChannel echoServerOn(LaneEventLoop loop) {
        EpollServerSocketChannel server = new EpollServerSocketChannel();
        server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object accepted) {
                SocketChannel client = (SocketChannel) accepted;
                client.pipeline().addLast(echo());
                loop.register(client);
            }
        });
        loop.register(server).syncUninterruptibly();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly();
        return server;
    }

    private static ChannelHandler echo() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                ctx.writeAndFlush(message);
            }
        };
    }

    private static Socket connect(EpollServerSocketChannel server) throws IOException {
        Socket socket = new Socket(
                server.localAddress().getAddress(), server.localAddress().getPort());
        socket.setSoTimeout(WAIT_SECONDS * 1000);
        return socket;
    }

    private static void assertEchoes(Socket socket) throws IOException {
        for (int i = 0; i < 100; i++) {
            socket.getOutputStream().write(i);
            assertThat(socket.getInputStream().read()).isEqualTo(i);
        }
    }

    @Test
    void noTaskIsLostOrOvertaken_whileTheLoopIsLentAndGivenBack() throws Exception {
        int tasks = 20_000;
        List<Sequence> sequences =
                List.of(new Sequence(first), new Sequence(second), new Sequence(first), new Sequence(second));
        List<Thread> senders = new ArrayList<>();
        for (Sequence sequence : sequences) {
            senders.add(Thread.ofPlatform().start(() -> sequence.send(tasks)));
        }
        Random random = new Random(1);
        while (senders.stream().anyMatch(Thread::isAlive)) {
            lend();
            TimeUnit.MICROSECONDS.sleep(random.nextInt(300));
            giveBack();
            TimeUnit.MICROSECONDS.sleep(random.nextInt(300));
        }
        for (Sequence sequence : sequences) {
            assertThat(sequence.received()).isEqualTo(tasks);
        }
    }

    /** Numbered tasks of one thread for one loop; each passes a task on to the other loop. */
    private final class Sequence {
        private final LaneEventLoop loop;
        private final LaneEventLoop other;
        private final AtomicInteger passedOn = new AtomicInteger();
        private int received;
        private int overtaken;

        Sequence(LaneEventLoop loop) {
            this.loop = loop;
            other = loop == first ? second : first;
        }

        void send(int tasks) {
            for (int number = 0; number < tasks; number++) {
                int expected = number;
                loop.execute(() -> {
                    overtaken += received == expected ? 0 : 1;
                    received++;
                    other.execute(passedOn::incrementAndGet);
                });
                if (number % 100 == 0) {
                    // The loops fall asleep in between.
                    try {
                        Thread.sleep(1);
                    } catch (InterruptedException interrupted) {
                        throw new IllegalStateException(interrupted);
                    }
                }
            }
        }

        int received() throws Exception {
            assertThat(on(loop, () -> overtaken)).isZero();
            int count = on(loop, () -> received);
            assertThat(on(other, passedOn::get)).isEqualTo(count);
            return count;
        }
    }

    @Test
    void aLentLoopEndsWithItsTasks() throws Exception {
        lend();
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 1_000; i++) {
            second.execute(ran::incrementAndGet);
        }

        second.shutdownGracefully(0, WAIT_SECONDS, TimeUnit.SECONDS).await(WAIT_SECONDS, TimeUnit.SECONDS);

        assertThat(second.isTerminated()).isTrue();
        assertThat(ran).hasValue(1_000);
        assertThat(on(first, Thread::currentThread)).isEqualTo(firstThread);
    }

    @Test
    void bothLoopsEndWhileOneIsLent() throws Exception {
        EpollServerSocketChannel server = echoServerOn(second);
        try (Socket client = connect(server)) {
            assertEchoes(client);
            lend();

            group.shutdownGracefully(0, WAIT_SECONDS, TimeUnit.SECONDS).await(WAIT_SECONDS, TimeUnit.SECONDS);

            assertThat(group.isTerminated()).isTrue();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aLentLoopContinuesAfterAnErrorOfTheBorrower() throws Exception {
        lend();

        first.execute(() -> first.afterEachTurn(() -> {
            throw new AssertionError("thrown by the test");
        }));

        assertThat(first.awaitTermination(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(on(second, Thread::currentThread)).isEqualTo(secondThread);
        ExpectedFaults.remove("thrown by the test");
    }

    @Test
    void aLoopIsNotLentToOneThatEnds() throws Exception {
        first.shutdownGracefully(0, WAIT_SECONDS, TimeUnit.SECONDS).await(WAIT_SECONDS, TimeUnit.SECONDS);

        second.execute(() -> second.lendAfterTurn(first));

        assertThat(on(second, Thread::currentThread)).isEqualTo(secondThread);
        assertThat(on(second, Thread::currentThread)).isEqualTo(secondThread);
    }
}
