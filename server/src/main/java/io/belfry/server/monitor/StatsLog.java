package io.belfry.server.monitor;

import io.belfry.server.counter.Counter;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line of statistics per interval, with the logger {@code belfry.stats}. Rates are averages over the whole
 * interval. Owner: the sampler's thread, except for the interval.
 */
final class StatsLog {
    static final String LOGGER = "belfry.stats";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final double MEGABYTE = 1024.0 * 1024.0;

    private volatile long intervalNanos;
    private Snapshot logged;

    /** Creates the log; an interval of zero logs nothing. */
    StatsLog(long intervalMillis, Snapshot first) {
        this.logged = first;
        onInterval(intervalMillis);
    }

    /** Sets the interval, from any thread. It applies from the next snapshot on. */
    void onInterval(long intervalMillis) {
        intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMillis);
    }

    void onSnapshot(Snapshot snapshot) {
        long interval = intervalNanos;
        if (interval > 0 && snapshot.takenAtNanos() - logged.takenAtNanos() >= interval) {
            LOG.info(line(logged, snapshot));
            logged = snapshot;
        }
    }

    static String line(Snapshot before, Snapshot now) {
        Rates rates = Rates.between(before.tally(), now.tally(), now.takenAtNanos() - before.takenAtNanos());
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        return String.format(
                Locale.ROOT,
                "sessions %d (+%.1f/s -%.1f/s), in %.1f msg/s %.2f MB/s, out %.1f msg/s %.2f MB/s,"
                        + " latency p50 %d us p99 %d us max %d us, loop lag p99 %d us max %d us,"
                        + " heap %.0f of %.0f MB, slow %d, dropped %d",
                now.tally().connectedSessions(),
                rates.sessionsOpened(),
                rates.sessionsClosed(),
                rates.publishesIn(),
                rates.bytesIn() / MEGABYTE,
                rates.messagesOut(),
                rates.bytesOut() / MEGABYTE,
                now.latency().p50Micros(),
                now.latency().p99Micros(),
                now.latency().maxMicros(),
                now.loopLagP99Micros(),
                now.loopLagMaxMicros(),
                heap.getUsed() / MEGABYTE,
                heap.getMax() / MEGABYTE,
                now.tally().value(Counter.SLOW_SESSIONS),
                now.tally().value(Counter.MESSAGES_DROPPED) - before.tally().value(Counter.MESSAGES_DROPPED));
    }
}
