package io.belfry.client;

import io.belfry.protocol.PatternPosition;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the listeners with messages, gaps and statuses, one at a time and in order: on the loop, or on an executor. The
 * number of calls that wait for an executor is bounded; above the bound the client stops reading. Owner: the client's
 * loop; only {@link #work} runs on the executor.
 */
final class Delivery {
    private final @Nullable Executor executor;
    private final Consumer<Throwable> failed;
    private final Consumer<Boolean> full;
    private final int waitingMax;
    private final OwnOrigin origin;
    private final Object lock = new Object();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean working;
    private boolean reportedFull;

    /** {@code full} is called on the loop or the executor: with true above the bound, with false below half of it. */
    Delivery(
            @Nullable Executor executor,
            int waitingMax,
            OwnOrigin origin,
            Consumer<Throwable> failed,
            Consumer<Boolean> full) {
        this.executor = executor;
        this.origin = origin;
        this.waitingMax = waitingMax;
        this.failed = failed;
        this.full = full;
    }

    /** Passes on a message whose position the subscription has recorded, unless it is an echo. */
    void message(Subscription subscription, Message message) {
        if (!origin.isEcho(message)) {
            run(() -> subscription.call(() -> subscription.listener().onMessage(message)));
        }
    }

    void gap(Subscription subscription, Gap gap) {
        run(() -> subscription.call(() -> subscription.listener().onGap(gap)));
    }

    /** Records the position of a pattern after the calls before it. */
    void reached(Subscription pattern, @Nullable PatternPosition at) {
        run(() -> pattern.call(() -> pattern.progress().delivered(at)));
    }

    void run(Runnable call) {
        if (executor == null) {
            guarded(call);
            return;
        }
        boolean start;
        boolean over;
        synchronized (lock) {
            waiting.add(call);
            start = !working;
            working = true;
            over = !reportedFull && waiting.size() > waitingMax;
            reportedFull |= over;
        }
        if (over) {
            full.accept(true);
        }
        if (start) {
            execute(executor);
        }
    }

    private void execute(Executor by) {
        try {
            by.execute(this::work);
        } catch (RuntimeException rejected) {
            synchronized (lock) {
                working = false;
            }
            failed.accept(rejected);
        }
    }

    private void work() {
        for (Runnable call = next(); call != null; call = next()) {
            guarded(call);
        }
    }

    private @Nullable Runnable next() {
        boolean under;
        Runnable call;
        synchronized (lock) {
            call = waiting.poll();
            working = call != null;
            under = reportedFull && waiting.size() <= waitingMax / 2;
            reportedFull &= !under;
        }
        if (under) {
            full.accept(false);
        }
        return call;
    }

    /** An exception of one listener does not affect the others. */
    private void guarded(Runnable call) {
        try {
            call.run();
        } catch (Exception | StackOverflowError | AssertionError | LinkageError e) {
            failed.accept(e);
        }
    }
}
