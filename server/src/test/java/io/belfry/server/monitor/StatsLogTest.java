package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StatsLogTest {
    private final Counters counters = new Counters(1);
    private long nowNanos;
    private final Sampler sampler = new Sampler(counters, List.of(new WorkgroupLoops("0", List.of(0))), () -> nowNanos);

    @Test
    void eachIntervalLogsOneLineWithItsAverages() {
        try (LogCapture log = new LogCapture(StatsLog.LOGGER)) {
            StatsLog stats = new StatsLog(60_000, sampler.latest());
            counters.loop(0).add(Counter.SESSIONS_OPENED, 120);
            counters.loop(0).add(Counter.PUBLISHES_IN, 600);
            counters.loop(0).add(Counter.BYTES_OUT, 60L * 1024 * 1024);
            counters.loop(0).deliveryLatency().record(150, 10);
            runSeconds(stats, 59);
            assertThat(log.messages()).isEmpty();

            runSeconds(stats, 1);

            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .startsWith("sessions 120 (+2.0/s -0.0/s), in 10.0 msg/s 0.00 MB/s, out 0.0 msg/s 1.00 MB/s,")
                    .contains("loop lag p99 0 us max 0 us")
                    .endsWith("slow 0, dropped 0");
            runSeconds(stats, 60);
            assertThat(log.messages()).hasSize(2).last().asString().contains("in 0.0 msg/s");
        }
    }

    @Test
    void anIntervalOfZeroLogsNothing() {
        try (LogCapture log = new LogCapture(StatsLog.LOGGER)) {
            runSeconds(new StatsLog(0, sampler.latest()), 300);
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void aReloadedIntervalAppliesFromTheNextSnapshot() {
        try (LogCapture log = new LogCapture(StatsLog.LOGGER)) {
            StatsLog stats = new StatsLog(0, sampler.latest());
            runSeconds(stats, 10);
            stats.onInterval(5_000);
            runSeconds(stats, 6);
            assertThat(log.messages()).hasSize(2);
        }
    }

    private void runSeconds(StatsLog stats, int seconds) {
        for (int second = 0; second < seconds; second++) {
            nowNanos += TimeUnit.SECONDS.toNanos(1);
            stats.onSnapshot(sampler.sample());
        }
    }
}
