package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Figures;
import io.belfry.client.connection.ClientLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Clients divided among loops, as the thread that conducts the test sees them: it asks, the loops answer between two
 * reads. Owner: the conducting thread; {@link #loopReady}, {@link #failed} and {@link #surprises} are for any.
 */
public abstract sealed class Fleet implements AutoCloseable permits SubscriberFleet, PublisherFleet {
    private static final long ANSWER_SECONDS = 30;

    private final List<FleetLoop> loops = new ArrayList<>();
    private final AtomicInteger loopsBeginning = new AtomicInteger();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private final Surprises surprises = new Surprises();

    /** A loop takes part from now on. */
    final void join(FleetLoop loop) {
        loops.add(loop);
    }

    /** Begins to open the clients. */
    public final void begin() {
        loopsBeginning.set(loops.size());
        loops.forEach(loop -> loop.loop().run(loop::begin));
    }

    /** Done when every client is ready. */
    public final CompletableFuture<Void> ready() {
        return ready;
    }

    /** Done with one line when the test cannot go on. */
    public final CompletableFuture<String> failure() {
        return failure;
    }

    /** What went wrong without ending the test. */
    public final Surprises surprises() {
        return surprises;
    }

    /** How many clients the fleet is to have. */
    public abstract int clients();

    public final FleetState state() {
        return ask(FleetLoop::state).stream().reduce(FleetState.NONE, FleetState::plus);
    }

    /** Moves what all loops measured since the last call into {@code sum}. */
    public final void takeFigures(Figures sum) {
        for (FleetLoop loop : loops) {
            // Copied on the loop: there no lock is needed and no message is measured meanwhile.
            Figures copy = answer(loop, l -> {
                Figures taken = new Figures();
                l.figures().take(taken);
                return taken;
            });
            sum.add(copy);
        }
    }

    /** From now on, latencies count, or not. */
    public final void measure(boolean on) {
        ask(loop -> {
            loop.measure(on);
            return on;
        });
    }

    final <T> List<T> ask(Function<FleetLoop, T> question) {
        return loops.stream().map(loop -> answer(loop, question)).toList();
    }

    private static <T> T answer(FleetLoop loop, Function<FleetLoop, T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loop.loop().run(() -> {
            try {
                answer.complete(question.apply(loop));
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        try {
            return answer.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new BenchFailure("the load generator's own loop has not come round for " + ANSWER_SECONDS + " s");
        } catch (ExecutionException e) {
            throw new IllegalStateException("a loop of the load generator failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailure("interrupted");
        }
    }

    final void loopReady() {
        if (loopsBeginning.decrementAndGet() == 0) {
            ready.complete(null);
        }
    }

    final void failed(String sentence) {
        failure.complete(sentence);
    }

    /** Ends all connections in order; the loops themselves belong to whoever made them. */
    @Override
    public void close() {
        ask(loop -> {
            loop.finish();
            return true;
        });
    }

    /** How many of {@code clients} live on the loop of this index. */
    static int share(int clients, int loopCount, int index) {
        return clients / loopCount + (index < clients % loopCount ? 1 : 0);
    }

    static List<ClientLoop> mustBeSome(List<ClientLoop> loops) {
        if (loops.isEmpty()) {
            throw new IllegalArgumentException("a fleet needs a loop");
        }
        return loops;
    }
}
