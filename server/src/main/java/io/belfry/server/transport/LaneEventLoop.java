package io.belfry.server.transport;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.EventExecutor;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An event loop of native epoll that can be lent to another one, whose thread then runs the turns of both. Owner: its own thread, or
 * while it is lent, the thread of the borrowing loop.
 *
 * <p>The own thread of a lent loop sleeps. After each of its turns the borrowing loop runs a turn of every lent loop that has events,
 * tasks, or timers that are due. It waits for the events of all, because the epoll instance of a lent loop is one of the descriptors
 * in its own. Sockets, tasks and timers stay with their loops. {@link #inEventLoop} is true only in a turn of this very loop, so what
 * runs at once on its own loop never runs amid a turn of another.
 */
final class LaneEventLoop extends SingleThreadIoEventLoop {
    private static final Logger LOG = LoggerFactory.getLogger(LaneEventLoop.class);

    /** Maximum time that tasks run before the sockets are polled again; Netty's default. */
    private static final long TASKS_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A shorter wait for events is no pause. */
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final PersistentEpollHandler epoll;
    private final PollContext polling = new PollContext();
    private Runnable afterTurn = () -> {};
    private volatile @Nullable Thread ownThread;

    /** The thread that is in a turn of this loop; null if there is none. Another thread may read an old value, but never itself. */
    private @Nullable Thread turnThread;

    // ---- while this loop is lent, or will be ----

    private final LentEpoll lentEpoll;

    /** The loop to which this one is lent before its next turn. */
    private @Nullable LaneEventLoop nextBorrower;

    private @Nullable IoRegistration lentRegistration;

    /** When the next timer of this loop is due. */
    private long dueNanos;

    // ---- while this loop borrows others ----

    private final List<LaneEventLoop> borrowed = new ArrayList<>();
    private boolean borrows;
    private long pauseEndNanos;

    private LaneEventLoop(IoEventLoopGroup group, Executor threads, PersistentEpollHandler.Factory handlers) {
        super(group, threads, handlers);
        epoll = (PersistentEpollHandler) ioHandler();
        lentEpoll = new LentEpoll(epoll.descriptor());
    }

    /** The event loops of a server. Only those of native epoll are of this class. */
    static final class Group extends MultiThreadIoEventLoopGroup {
        Group(int count, ThreadFactory threads, IoHandlerFactory handlers) {
            super(count, threads, handlers);
        }

        @Override
        protected IoEventLoop newChild(Executor threads, IoHandlerFactory handlers, Object... args) {
            return handlers instanceof PersistentEpollHandler.Factory epoll
                    ? new LaneEventLoop(this, threads, epoll)
                    : super.newChild(threads, handlers, args);
        }

        /** Returns the loops of this class: all of them, or none. */
        List<LaneEventLoop> lendable() {
            List<LaneEventLoop> found = new ArrayList<>();
            for (EventExecutor loop : this) {
                if (loop instanceof LaneEventLoop lane) {
                    found.add(lane);
                }
            }
            return found;
        }
    }

    /** Returns the handler of the loop's sockets; null if the loop is not of native epoll. */
    static @Nullable PersistentEpollHandler epollOf(EventLoop loop) {
        return loop instanceof LaneEventLoop lane ? lane.epoll : null;
    }

    /** Returns the present time of the clock of timers. Any thread. */
    long nowNanos() {
        return ticker().nanoTime();
    }

    /** Returns the processor time that the loop's own thread has used. Any thread. */
    long cpuNanos() {
        Thread thread = ownThread;
        return thread == null ? 0 : THREADS.getThreadCpuTime(thread.threadId());
    }

    /** Returns when the last wait for events ended, of those that were no shorter than a pause, while this loop borrowed others. */
    long pauseEndNanos() {
        return pauseEndNanos;
    }

    /** Sets what runs after each turn of this loop and of the borrowed loops. Called on the loop. */
    void afterEachTurn(Runnable task) {
        afterTurn = task;
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return thread.equals(turnThread);
    }

    /** Does what Netty's loop does, and runs or lends loops between turns. */
    @Override
    protected void run() {
        ownThread = Thread.currentThread();
        turnThread = ownThread;
        epoll.initialize();
        // Loads the classes that this method needs. Otherwise, when the first loop is lent, the JVM would have to
        // compile the methods of a turn again.
        hasWork();
        try {
            do {
                if (nextBorrower != null) {
                    lendTo(nextBorrower);
                    nextBorrower = null;
                }
                runTurn();
            } while (!confirmShutdown());
        } finally {
            // If an error ends this loop, the others continue.
            giveBack();
        }
    }

    private void runTurn() {
        runIo();
        if (isShuttingDown()) {
            giveBack();
            epoll.prepareToDestroy();
        }
        runAllTasks(TASKS_NANOS);
        if (borrows) {
            runBorrowed();
        }
        afterTurn.run();
    }

    @Override
    protected int runIo() {
        int handled = epoll.run(polling);
        polling.onPolled();
        return handled;
    }

    // ---- lending ----

    /** Lends this loop to the other one after the present turn, unless it ends. Called on this loop. */
    void lendAfterTurn(LaneEventLoop borrower) {
        nextBorrower = isShuttingDown() ? null : borrower;
    }

    private void lendTo(LaneEventLoop borrower) {
        turnThread = null;
        dueNanos = nowNanos();
        // From here on, a task of another thread wakes the borrowing loop.
        epoll.lendTo(borrower.epoll);
        try {
            borrower.execute(() -> borrower.take(this));
        } catch (RejectedExecutionException ended) {
            LOG.debug("the borrowing loop has ended", ended);
            epoll.endLoan();
        }
        while (epoll.isLent()) {
            LockSupport.park(this);
        }
        turnThread = ownThread;
    }

    private void resume() {
        epoll.endLoan();
        LockSupport.unpark(ownThread);
    }

    private boolean hasWork() {
        return lentEpoll.hasEvents || pendingTasks() > 0;
    }

    private void runLentTurn() {
        turnThread = Thread.currentThread();
        if (lentEpoll.hasEvents) {
            lentEpoll.hasEvents = false;
            runIo();
        } else {
            epoll.beginTurn();
        }
        runAllTasks(TASKS_NANOS);
        dueNanos = deadlineNanos();
        turnThread = null;
    }

    // ---- borrowing ----

    /** Borrows these loops, each after its present turn. Called on this loop. */
    void borrow(List<LaneEventLoop> loops) {
        borrows = true;
        for (LaneEventLoop loop : loops) {
            loop.execute(() -> loop.lendAfterTurn(this));
        }
    }

    private void take(LaneEventLoop loop) {
        try {
            if (borrows && !isShuttingDown()) {
                loop.lentRegistration = epoll.add(loop.lentEpoll);
                loop.lentRegistration.submit(EpollIoOps.EPOLLIN);
                borrowed.add(loop);
                return;
            }
        } catch (Exception failure) {
            LOG.warn("an event loop keeps its own thread", failure);
        }
        loop.resume();
    }

    /** Gives all borrowed loops back to their own threads. Called on this loop. */
    void giveBack() {
        borrows = false;
        for (LaneEventLoop loop : borrowed) {
            Objects.requireNonNull(loop.lentRegistration).cancel();
            loop.resume();
        }
        borrowed.clear();
    }

    private void runBorrowed() {
        long nowNanos = nowNanos();
        boolean ending = false;
        turnThread = null;
        try {
            for (LaneEventLoop loop : borrowed) {
                if (loop.hasWork() || loop.dueNanos - nowNanos <= 0) {
                    loop.runLentTurn();
                }
                ending |= loop.isShuttingDown();
            }
        } finally {
            turnThread = ownThread;
        }
        if (ending) {
            giveBack();
        }
    }

    /** Whether and until when a poll of this loop may wait for events. */
    private final class PollContext implements IoHandlerContext {
        private boolean waits;
        private long waitBeganNanos;

        @Override
        public boolean canBlock() {
            if (epoll.isLent() || hasTasks() || hasScheduledTasks()) {
                return false;
            }
            for (LaneEventLoop loop : borrowed) {
                if (loop.hasWork()) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public long delayNanos(long systemNanos) {
            return Math.max(0, firstDueNanos() - (systemNanos - ticker().initialNanoTime()));
        }

        @Override
        public long deadlineNanos() {
            // Called once in a poll, directly before the wait.
            if (borrows) {
                waits = true;
                waitBeganNanos = nowNanos();
            }
            return firstDueNanos();
        }

        private long firstDueNanos() {
            long first = LaneEventLoop.this.deadlineNanos();
            for (LaneEventLoop loop : borrowed) {
                first = Math.min(first, loop.dueNanos);
            }
            return first;
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            // Called once in a poll with events, directly after the wait.
            onPolled();
            return false;
        }

        void onPolled() {
            if (waits) {
                waits = false;
                long nowNanos = nowNanos();
                if (nowNanos - waitBeganNanos >= PAUSE_NANOS) {
                    pauseEndNanos = nowNanos;
                }
            }
        }
    }

    /** The epoll instance of a lent loop, as a handle of the borrowing loop. */
    private static final class LentEpoll implements EpollIoHandle {
        private final FileDescriptor descriptor;
        private boolean hasEvents;

        private LentEpoll(FileDescriptor descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public FileDescriptor fd() {
            return descriptor;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            hasEvents = true;
        }

        @Override
        public void close() {
            // The descriptor belongs to the lent loop.
        }
    }
}
