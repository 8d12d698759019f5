package io.belfry.server.transport;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins the event loops of a server while they have little to do: the thread of the first one runs all of them. With few messages,
 * waking another thread can cost more than the rest of the work on a message. Owner: the first loop.
 */
final class QuietLoops {
    private static final Logger LOG = LoggerFactory.getLogger(QuietLoops.class);
    private static final long CHECK_MILLIS = 500;

    private final LaneEventLoop first;
    private final List<LaneEventLoop> all;
    private final LoopCounters counters;
    private final LoopLoad load;

    /** {@code counters} are those of the first loop. */
    QuietLoops(List<LaneEventLoop> loops, LoopCounters counters) {
        first = loops.getFirst();
        all = List.copyOf(loops);
        this.counters = counters;
        load = new LoopLoad(first::cpuNanos, first.nowNanos());
    }

    /** Begins to watch the loops. Any thread. */
    @SuppressWarnings("FutureReturnValueIgnored") // The loop logs its exceptions.
    void start() {
        first.execute(() -> first.afterEachTurn(this::afterTurn));
        first.scheduleAtFixedRate(this::check, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void check() {
        long nowNanos = first.nowNanos();
        if (!load.isJoined() && load.joins(nowNanos, cpuOfAll())) {
            LOG.debug("one thread runs all event loops");
            counters.increment(Counter.LOOPS_JOINED);
            first.borrow(all.subList(1, all.size()));
            load.onJoined(nowNanos);
        }
    }

    private void afterTurn() {
        if (!load.isJoined()) {
            return;
        }
        long nowNanos = first.nowNanos();
        if (load.divides(nowNanos, first.pauseEndNanos())) {
            LOG.debug("each event loop has its own thread");
            counters.increment(Counter.LOOPS_DIVIDED);
            first.giveBack();
            load.onDivided(nowNanos, cpuOfAll());
        }
    }

    private long cpuOfAll() {
        return all.stream().mapToLong(LaneEventLoop::cpuNanos).sum();
    }
}
