package io.belfry.server.handoff;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A rate per second that all sessions of a user share, on whatever lanes they are. Each lane has the buckets of some users, and all
 * lanes take tokens from them. Of a high rate a lane takes several tokens at once and returns those that are left at its next tick,
 * so that two lanes rarely write to the same memory. All lanes together hold at most a sixteenth of a second's tokens; a lower rate
 * is exact. Owner: the lane's loop; the buckets are for any thread.
 */
public final class UserRate {
    private static final long BURST_NANOS = 1_000_000_000;

    /** The part of a second's tokens that all lanes may hold together. */
    private static final int HELD_PART = 16;

    /** Users that one step of work examines. */
    private static final int USERS_PER_STEP = 64;

    /** Ticks between two removals of full buckets: one second. */
    private static final int TICKS_PER_REMOVAL = 10;

    /** A bucket that was removed has this time, so that nobody takes from it. */
    private static final long REMOVED = Long.MIN_VALUE;

    /** Tokens that this lane has taken from a bucket and not used yet. */
    private static final class Held {
        final AtomicLong bucket;
        final long nanosEach;
        int tokens;

        Held(AtomicLong bucket, long nanosEach, int tokens) {
            this.bucket = bucket;
            this.nanosEach = nanosEach;
            this.tokens = tokens;
        }

        void giveBack() {
            long paid = bucket.get();
            while (paid != REMOVED && !bucket.compareAndSet(paid, paid - tokens * nanosEach)) {
                paid = bucket.get();
            }
            tokens = 0;
        }
    }

    /** The buckets of this lane's part of the users: the times until which all taken tokens are paid for. */
    private final ConcurrentHashMap<String, AtomicLong> buckets = new ConcurrentHashMap<>();

    private final Consumer<BooleanSupplier> work;
    private UserRate[] all = {this};
    private Map<String, Held> held = new HashMap<>();
    private int ticks;

    /** Creates the lane's part; {@code work} runs a step until it returns false. */
    public UserRate(Consumer<BooleanSupplier> work) {
        this.work = work;
    }

    /** Connects the lanes with each other, before the first session. */
    public void connect(List<UserRate> lanes) {
        all = lanes.toArray(UserRate[]::new);
    }

    /** Returns the number of users whose buckets this lane has. */
    public int size() {
        return buckets.size();
    }

    /** Takes one token of the user; returns 0, or the time in ms until one may be available. */
    public long take(String user, int perSecond, long nowNanos) {
        long nanosEach = Math.max(1, BURST_NANOS / perSecond);
        int many = perSecond / (HELD_PART * all.length);
        return many > 1 ? takeHeld(user, many, nanosEach, nowNanos) : takeShared(user, nanosEach, nowNanos);
    }

    private long takeShared(String user, long nanosEach, long nowNanos) {
        while (true) {
            AtomicLong bucket = bucket(user, nowNanos);
            int taken = take(bucket, 1, nanosEach, nowNanos);
            if (taken >= 0) {
                return taken == 1 ? 0 : waitMillis(bucket, nanosEach, nowNanos);
            }
            forget(user, bucket);
        }
    }

    private long takeHeld(String user, int many, long nanosEach, long nowNanos) {
        Held present = held.get(user);
        if (present != null && present.tokens > 0) {
            present.tokens--;
            return 0;
        }
        while (true) {
            AtomicLong bucket = bucket(user, nowNanos);
            int taken = take(bucket, many, nanosEach, nowNanos);
            if (taken == 0) {
                return waitMillis(bucket, nanosEach, nowNanos);
            }
            if (taken > 0) {
                held.put(user, new Held(bucket, nanosEach, taken - 1));
                return 0;
            }
            forget(user, bucket);
        }
    }

    private AtomicLong bucket(String user, long nowNanos) {
        ConcurrentHashMap<String, AtomicLong> among = bucketsOf(user);
        AtomicLong present = among.get(user);
        return present != null ? present : among.computeIfAbsent(user, added -> new AtomicLong(nowNanos - BURST_NANOS));
    }

    private ConcurrentHashMap<String, AtomicLong> bucketsOf(String user) {
        return all[Math.floorMod(user.hashCode(), all.length)].buckets;
    }

    private void forget(String user, AtomicLong removed) {
        bucketsOf(user).remove(user, removed);
    }

    /** Takes at most this number of tokens; returns how many, or -1 if the bucket is removed. */
    private static int take(AtomicLong bucket, int most, long nanosEach, long nowNanos) {
        while (true) {
            long paid = bucket.get();
            if (paid == REMOVED) {
                return -1;
            }
            long from = isFull(paid, nowNanos) ? nowNanos - BURST_NANOS : paid;
            long tokens = Math.min(most, Math.max(0, (nowNanos - from) / nanosEach));
            if (tokens == 0 || bucket.compareAndSet(paid, from + tokens * nanosEach)) {
                return (int) tokens;
            }
        }
    }

    private static boolean isFull(long paid, long nowNanos) {
        return paid - (nowNanos - BURST_NANOS) <= 0;
    }

    private static long waitMillis(AtomicLong bucket, long nanosEach, long nowNanos) {
        long missing = bucket.get() + nanosEach - nowNanos;
        return Math.clamp(Math.ceilDiv(missing, 1_000_000L), 1, 1_000);
    }

    /** Returns the tokens that this lane holds, and removes full buckets now and then. Called periodically. */
    public void tick(long nowNanos) {
        if (!held.isEmpty()) {
            Iterator<Held> left = held.values().iterator();
            held = new HashMap<>();
            work.accept(() -> {
                for (int i = 0; i < USERS_PER_STEP && left.hasNext(); i++) {
                    left.next().giveBack();
                }
                return left.hasNext();
            });
        }
        if (++ticks % TICKS_PER_REMOVAL == 0 && !buckets.isEmpty()) {
            Iterator<Map.Entry<String, AtomicLong>> each = buckets.entrySet().iterator();
            work.accept(() -> {
                for (int i = 0; i < USERS_PER_STEP && each.hasNext(); i++) {
                    removeIfFull(each.next(), nowNanos);
                }
                return each.hasNext();
            });
        }
    }

    /** A full bucket is like a new one. A lane that has found it already finds it removed, and creates the new one. */
    private void removeIfFull(Map.Entry<String, AtomicLong> entry, long nowNanos) {
        AtomicLong bucket = entry.getValue();
        long paid = bucket.get();
        if (isFull(paid, nowNanos) && bucket.compareAndSet(paid, REMOVED)) {
            buckets.remove(entry.getKey(), bucket);
        }
    }
}
