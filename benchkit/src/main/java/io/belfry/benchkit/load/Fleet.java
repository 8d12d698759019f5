package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Require;
import io.belfry.client.connection.ClientLoop;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Clients divided among event loops, for the thread that conducts the test. Every question is answered on the loops,
 * between two reads. Owner: the conducting thread; {@link #loopReady}, {@link #failed} and {@link #incidents} may be called
 * by any thread.
 */
public abstract sealed class Fleet<L extends FleetLoop<?>> implements AutoCloseable
        permits SubscriberFleet, PublisherFleet {
    private static final long ANSWER_SECONDS = 30;

    private final int clients;
    final LoadTarget target;
    private final List<L> parts = new ArrayList<>();
    private final AtomicInteger loopsBeginning = new AtomicInteger();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private final CompletableFuture<Void> clockCompared = new CompletableFuture<>();
    private final Incidents incidents = new Incidents();
    private @Nullable ClockProbe probe;
    private volatile ClockOffset clock = ClockOffset.UNKNOWN;

    Fleet(int clients, LoadTarget target) {
        this.clients = clients;
        this.target = target;
    }

    /** Makes the part of a fleet that lives on one loop. */
    interface PartMaker<L> {
        L make(ClientLoop loop, int first, int count);
    }

    /** Divides the clients among the loops as evenly as possible. */
    final void divide(List<ClientLoop> loops, PartMaker<L> maker) {
        Require.that(!loops.isEmpty(), "a fleet needs a loop");
        int first = 0;
        for (int i = 0; i < loops.size(); i++) {
            int share = clients / loops.size() + (i < clients % loops.size() ? 1 : 0);
            if (share > 0) {
                parts.add(maker.make(loops.get(i), first, share));
            }
            first += share;
        }
    }

    /** Begins to compare this process's clock with the first server's; {@code machine} is this machine's number. */
    public final void compareClock(int machine) {
        setClock(ClockOffset.unknown(machine));
        ClientLoop first = parts.getFirst().loop;
        probe = new ClockProbe(this, first, machine);
        first.run(probe::begin);
    }

    /** Sets a new estimate of this process's clock; any thread. */
    final void setClock(ClockOffset offset) {
        clock = offset;
        parts.forEach(part -> part.loop.run(() -> part.clock(offset)));
    }

    /** Completes after the first clock comparison, or when no comparison is possible. */
    public final CompletableFuture<Void> clockCompared() {
        return clockCompared;
    }

    /** The latest estimate of the offset between this process's clock and the first server's. */
    public final ClockOffset clock() {
        return clock;
    }

    /** Begins to open the clients. */
    public final void begin() {
        loopsBeginning.set(parts.size());
        parts.forEach(part -> part.loop.run(part::begin));
    }

    /** Opens the clients and waits until all are ready; {@code pause} waits a moment and returns whether to give up. */
    public final void connect(BooleanSupplier pause) {
        begin();
        while (!ready.isDone()) {
            if (failure.isDone()) {
                throw new BenchFailure(failure.join());
            }
            if (pause.getAsBoolean()) {
                throw new BenchFailure("stopped before all clients were connected");
            }
        }
    }

    /** Completes when every client is ready. */
    public final CompletableFuture<Void> ready() {
        return ready;
    }

    /** Completes with the reason, in one line, when the test cannot continue. */
    public final CompletableFuture<String> failure() {
        return failure;
    }

    /** Unexpected events that did not end the test. */
    public final Incidents incidents() {
        return incidents;
    }

    /** Number of clients that the fleet opens. */
    public final int clients() {
        return clients;
    }

    /** Number of event loops that the clients are divided among. */
    public final int eventLoops() {
        return parts.size();
    }

    /** Returns the current state, summed over the loops. */
    public final FleetState state() {
        return askEach(FleetLoop::state).stream().reduce(FleetState.NONE, FleetState::plus);
    }

    /** Moves what all loops measured since the last call into {@code sum}. */
    public final void takeFigures(Figures sum) {
        for (L part : parts) {
            // Exchanged on the loop, which needs no lock; allocated here, so that the loop soon returns to its work.
            Figures empty = new Figures();
            sum.add(answer(part, loop -> loop.exchangeFigures(empty)));
        }
    }

    /** Starts or ends the recording of latencies. */
    public final void measure(boolean on) {
        onEach(part -> part.measuring = on);
    }

    final void onEach(Consumer<L> action) {
        askEach(part -> {
            action.accept(part);
            return true;
        });
    }

    final long sum(ToLongFunction<L> question) {
        return askEach(question::applyAsLong).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    final <T> List<T> askEach(Function<L, T> question) {
        return parts.stream().map(part -> answer(part, question)).toList();
    }

    private static <L extends FleetLoop<?>, T> T answer(L part, Function<L, T> question) {
        try {
            return CompletableFuture.supplyAsync(() -> question.apply(part), part.loop::run)
                    .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof TimeoutException
                    ? new BenchFailure("the load generator's event loop has not answered for " + ANSWER_SECONDS + " s")
                    : new IllegalStateException("an event loop of the load generator failed", e.getCause());
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

    /** Closes all connections in order; the caller closes the event loops, which it made. */
    @Override
    public void close() {
        ClockProbe open = probe;
        if (open != null) {
            parts.getFirst().loop.run(open::finish);
        }
        onEach(FleetLoop::finish);
    }

    /**
     * Unexpected events as sentences with a count each, so that ten thousand lost connections are reported in one line. Any
     * thread.
     */
    public static final class Incidents {
        private static final int SENTENCES_MAX = 100;

        private final Map<String, Long> counts = new LinkedHashMap<>();
        private long others;

        synchronized void add(String sentence) {
            if (counts.size() < SENTENCES_MAX || counts.containsKey(sentence)) {
                counts.merge(sentence, 1L, Long::sum);
            } else {
                others++;
            }
        }

        /** Removes and returns what was added since the last call, one line for each sentence. */
        public synchronized List<String> take() {
            List<String> lines = new ArrayList<>();
            counts.forEach((sentence, count) -> lines.add(count == 1 ? sentence : count + " times: " + sentence));
            if (others > 0) {
                lines.add(others + " times: other incidents");
            }
            counts.clear();
            others = 0;
            return lines;
        }
    }

    /**
     * The progress of a fleet, summed over its loops.
     *
     * @param ready clients that have become ready, whether they are still connected or not
     * @param standing clients that are ready and connected
     * @param awaited events still to arrive before the run can end. Publishers: answers to publishes, and end marks to send.
     *     Subscribers: end marks of streams whose publisher has sent other end marks
     */
    public record FleetState(int ready, int standing, long awaited) {
        static final FleetState NONE = new FleetState(0, 0, 0);

        FleetState plus(FleetState other) {
            return new FleetState(ready + other.ready, standing + other.standing, awaited + other.awaited);
        }
    }
}
