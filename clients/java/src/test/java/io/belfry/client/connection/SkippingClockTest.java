package io.belfry.client.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SkippingClockTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final SkippingClock clock = new SkippingClock();
    private final ClientLoop loop = new ClientLoop("test", 1 << 16, clock);
    private final List<String> ran = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        loop.close();
    }

    /** Returns the time to the next timer, after those that are due have run. */
    private long runDueTimers() {
        CompletableFuture<Long> next = new CompletableFuture<>();
        loop.run(() -> next.complete(loop.runDueTimers()));
        return next.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void aSkipRunsTheDueTimersInTheirOrder() {
        loop.runAfter(2 * HOUR, () -> ran.add("second"));
        loop.runAfter(HOUR, () -> ran.add("first"));
        loop.runAfter(4 * HOUR, () -> ran.add("third"));
        assertThat(runDueTimers()).isPositive().isLessThanOrEqualTo(HOUR);
        assertThat(ran).isEmpty();
        clock.skip(Duration.ofHours(3));
        assertThat(runDueTimers()).isPositive().isLessThanOrEqualTo(HOUR);
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void aTimerRunsWithoutASkipToo() throws Exception {
        CompletableFuture<String> done = new CompletableFuture<>();
        loop.runAfter(TimeUnit.MILLISECONDS.toNanos(1), () -> done.complete("done"));
        assertThat(done.get(20, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(runDueTimers()).isEqualTo(-1);
    }
}
