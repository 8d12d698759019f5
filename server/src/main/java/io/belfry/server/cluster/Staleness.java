package io.belfry.server.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a node is cut off from the log, or has not read what the log had some time ago. Owner: the watch's thread.
 *
 * <p>Kafka's answer alone does not end the staleness, because the node's reader may recover seconds later, and clients would
 * be notified of a recovery and of a second outage. It ends when the node has read everything that existed at some later time.
 */
final class Staleness {
    /** The ends of the log's partitions at a time, without those that are unknown. */
    record Ends(long atNanos, Map<Integer, Long> offsets) {}

    private final long longestNanos;
    private final Partitions partitions;

    /** Ends that were not reached yet, the oldest first. */
    private final Deque<Ends> unread = new ArrayDeque<>();

    private long answeredNanos;
    private long readNanos;
    private long staleNanos;
    private @Nullable String reason;
    private long lag;

    Staleness(long longestMillis, Partitions partitions, long nowNanos) {
        longestNanos = TimeUnit.MILLISECONDS.toNanos(longestMillis);
        this.partitions = partitions;
        answeredNanos = nowNanos;
        readNanos = nowNanos;
    }

    void onAnswer(Ends latest, long nowNanos) {
        unread.add(latest);
        answeredNanos = nowNanos;
    }

    /** Returns the reason why the node is stale, or empty. */
    Optional<String> judge(long nowNanos) {
        lag = unread.isEmpty() ? 0 : missing(unread.getLast());
        // Ends that were reached are removed; the oldest of the others decides.
        while (!unread.isEmpty() && missing(unread.getFirst()) == 0) {
            readNanos = unread.removeFirst().atNanos();
        }
        boolean wasStale = reason != null;
        reason = reason(nowNanos, wasStale);
        if (reason != null && !wasStale) {
            staleNanos = nowNanos;
        }
        return Optional.ofNullable(reason);
    }

    private @Nullable String reason(long nowNanos, boolean wasStale) {
        if (nowNanos - answeredNanos > longestNanos) {
            return "Kafka does not answer";
        }
        boolean behind = !unread.isEmpty() && nowNanos - unread.getFirst().atNanos() > longestNanos;
        boolean comesBack = wasStale && readNanos - staleNanos < 0;
        return behind || comesBack ? "this node lags " + lag + " messages behind the log" : null;
    }

    /** Returns the number of messages up to the latest ends that were not read when they were judged. */
    long lag() {
        return lag;
    }

    private long missing(Ends then) {
        long missing = 0;
        for (Map.Entry<Integer, Long> each : then.offsets().entrySet()) {
            missing += Math.max(0, each.getValue() - partitions.readTo(each.getKey()));
        }
        return missing;
    }
}
