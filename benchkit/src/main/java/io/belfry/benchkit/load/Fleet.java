package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Figures;
import io.belfry.client.connection.ClientLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
    private final CompletableFuture<Void> clockCompared = new CompletableFuture<>();
    private final Surprises surprises = new Surprises();
    private @Nullable ClockProbe probe;
    private volatile ClockOffset clock = ClockOffset.UNKNOWN;

    /** Makes the part of a fleet that is to live on a loop. */
    interface PartMaker {
        FleetLoop make(ClientLoop loop, int first, int count);
    }

    /** Divides {@code clients} among the loops as evenly as can be. */
    final void divide(int clients, List<ClientLoop> all, PartMaker parts) {
        if (all.isEmpty()) {
            throw new IllegalArgumentException("a fleet needs a loop");
        }
        int first = 0;
        for (int i = 0; i < all.size(); i++) {
            int share = clients / all.size() + (i < clients % all.size() ? 1 : 0);
            if (share > 0) {
                loops.add(parts.make(all.get(i), first, share));
            }
            first += share;
        }
    }

    /** Begins to compare this process's clock with the first server's; {@code machine} is this one's number. */
    public final void compareClock(int machine) {
        tellClock(ClockOffset.unknown(machine));
        FleetLoop first = loops.getFirst();
        probe = new ClockProbe(first.loop(), target(), machine, this::tellClock, () -> clockCompared.complete(null));
        first.loop().run(probe::begin);
    }

    private void tellClock(ClockOffset offset) {
        clock = offset;
        loops.forEach(loop -> loop.loop().run(() -> loop.clock(offset)));
    }

    /** Done when the first comparison is, or cannot be had. */
    public final CompletableFuture<Void> clockCompared() {
        return clockCompared;
    }

    /** What is known of this process's clock. */
    public final ClockOffset clock() {
        return clock;
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

    public abstract Target target();

    public final int eventLoops() {
        return loops.size();
    }

    public final FleetState state() {
        return askEach(loops, FleetLoop::state).stream().reduce(FleetState.NONE, FleetState::plus);
    }

    /** Moves what all loops measured since the last call into {@code sum}. */
    public final void takeFigures(Figures sum) {
        for (FleetLoop loop : loops) {
            // Handed over on the loop, where no lock is needed; made here, so that it is soon back at its messages.
            Figures taken = new Figures();
            sum.add(answer(loop, l -> {
                l.figures().moveInto(taken);
                return taken;
            }));
        }
    }

    /** From now on, latencies count, or not. */
    public final void measure(boolean on) {
        onEach(loops, loop -> loop.measure(on));
    }

    static <L extends FleetLoop> void onEach(List<L> parts, Consumer<L> action) {
        askEach(parts, part -> {
            action.accept(part);
            return true;
        });
    }

    static <L extends FleetLoop, T> List<T> askEach(List<L> parts, Function<L, T> question) {
        return parts.stream().map(part -> answer(part, question)).toList();
    }

    private static <L extends FleetLoop, T> T answer(L part, Function<L, T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        part.loop().run(() -> {
            try {
                answer.complete(question.apply(part));
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
        ClockProbe asking = probe;
        if (asking != null) {
            loops.getFirst().loop().run(asking::finish);
        }
        onEach(loops, FleetLoop::finish);
    }
}
