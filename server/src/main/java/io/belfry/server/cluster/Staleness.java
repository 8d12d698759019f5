package io.belfry.server.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node is cut off from the log, or has not read yet what the log had a while ago. Owner: the watch's thread.
 *
 * <p>Kafka's answer alone does not make a stale node well: its reader may come back seconds later, and clients would be told
 * that the node is well, stale and well again. It is well when it has read all that was there at some time since.
 */
final class Staleness {
    /** How far the log's partitions were then; those that nobody told of are left out. */
    record Ends(long atNanos, Map<Integer, Long> offsets) {}

    private final long longestNanos;
    private final Partitions partitions;

    /** Those not read to their end yet, the oldest first. */
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

    /** Why the node is stale, if it is. */
    Optional<String> judge(long nowNanos) {
        lag = unread.isEmpty() ? 0 : missing(unread.getLast());
        // What is read by now needs no second look; of the others the oldest tells.
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
        return behind || comesBack ? "this node is " + lag + " messages behind the log" : null;
    }

    /** Messages of the latest answer that were not read yet when it was judged. */
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
