package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.netty.channel.epoll.Epoll;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the threads of three real loops under real load. */
class QuietLoopsTest {
    private final LoopCounters counters = new LoopCounters();
    private LaneEventLoop.Group group;
    private List<LaneEventLoop> loops;
    private volatile boolean busy;

    @BeforeEach
    void start() {
        assumeTrue(Epoll.isAvailable(), "native epoll");
        group = new LaneEventLoop.Group(3, new DefaultThreadFactory("lane"), new PersistentEpollHandler.Factory());
        loops = group.lendable();
        new QuietLoops(loops, counters).start();
    }

    @AfterEach
    void stop() {
        if (group != null) {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    @Test
    void loopsWithoutWorkShareAThread_andBusyLoopsDoNot() throws Exception {
        awaitCount(Counter.LOOPS_JOINED, 1);
        awaitThreads(1);

        busy = true;
        loops.get(2).execute(this::work);
        awaitCount(Counter.LOOPS_DIVIDED, 1);
        awaitThreads(3);

        busy = false;
        awaitCount(Counter.LOOPS_JOINED, 2);
        awaitThreads(1);
    }

    /** Keeps the loop busy, with a poll between the tasks. */
    private void work() {
        long end = System.nanoTime() + 200_000;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        if (busy) {
            loops.get(2).schedule(this::work, 0, TimeUnit.NANOSECONDS);
        }
    }

    private void awaitCount(Counter counter, long count) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (counters.value(counter) < count) {
            assertThat(System.nanoTime() - end).as("time for %s", counter).isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void awaitThreads(int count) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (threads() != count) {
            assertThat(System.nanoTime() - end)
                    .as("time until %d threads", count)
                    .isNegative();
        }
    }

    private long threads() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (LaneEventLoop loop : loops) {
            threads.add(loop.submit(Thread::currentThread).get(10, TimeUnit.SECONDS));
        }
        return threads.stream().distinct().count();
    }
}
