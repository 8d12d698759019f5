package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Figures;
import io.belfry.client.connection.ClientLoop;
import java.util.concurrent.TimeUnit;

/**
 * How late the loop comes round to what is due: a message may have lain in the socket that long before it was measured,
 * so this is what the generator itself may add to a latency. Owner: the loop.
 */
final class LoopLag {
    /** Seldom enough to cost nothing, often enough for percentiles within a report's interval. */
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ClientLoop loop;
    private final Figures figures;
    private long dueNanos;
    private boolean stopped;

    LoopLag(ClientLoop loop, Figures figures) {
        this.loop = loop;
        this.figures = figures;
    }

    void start() {
        dueNanos = System.nanoTime() + EVERY_NANOS;
        loop.runAfter(EVERY_NANOS, this::look);
    }

    private void look() {
        long now = System.nanoTime();
        figures.loopLags().record(now - dueNanos);
        if (!stopped) {
            dueNanos = now + EVERY_NANOS;
            loop.runAfter(EVERY_NANOS, this::look);
        }
    }

    void stop() {
        stopped = true;
    }
}
