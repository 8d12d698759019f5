package io.belfry.server.session;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** State that only some sessions have. Owner: the session's lane. */
public final class Extras {
    /** Two to eight subscriptions to plain subjects; without other extras the session has the array itself. */
    int @Nullable [] few;

    /** More than eight subscriptions to plain subjects. */
    @Nullable
    SubjectIndexes many;

    @Nullable
    CatchUp catchUp;

    private @Nullable RateBucket publishRate;
    private @Nullable RateBucket commandRate;
    private @Nullable List<PatternSubscription> patterns;
    private @Nullable List<byte[]> watched;
    private int faults;

    public List<PatternSubscription> patterns() {
        return patterns == null ? List.of() : patterns;
    }

    public void addPattern(PatternSubscription pattern) {
        if (patterns == null) {
            patterns = new ArrayList<>(2);
        }
        patterns.add(pattern);
    }

    public void removePattern(PatternSubscription pattern) {
        if (patterns != null) {
            patterns.remove(pattern);
        }
    }

    /** Returns the subjects whose first and last subscriber this session asked to be notified of. */
    public List<byte[]> watched() {
        if (watched == null) {
            watched = new ArrayList<>(2);
        }
        return watched;
    }

    public @Nullable CatchUp catchUp() {
        return catchUp;
    }

    /** Counts one more invalid command and returns the number so far. */
    int onFault() {
        return ++faults;
    }

    /** Returns whether nothing is here, the few subscriptions left aside. */
    boolean isEmpty() {
        return many == null
                && catchUp == null
                && publishRate == null
                && commandRate == null
                && patterns == null
                && watched == null
                && faults == 0;
    }

    /** Frees what an idle session does not need: full buckets, and lists without elements. */
    void dropIdle(long nowNanos) {
        if (publishRate != null && publishRate.isFull(nowNanos)) {
            publishRate = null;
        }
        if (commandRate != null && commandRate.isFull(nowNanos)) {
            commandRate = null;
        }
        if (patterns != null && patterns.isEmpty()) {
            patterns = null;
        }
        if (watched != null && watched.isEmpty()) {
            watched = null;
        }
    }

    RateBucket publishRate(int perSecond, long nowNanos) {
        if (publishRate == null || publishRate.perSecond() != perSecond) {
            publishRate = new RateBucket(perSecond, nowNanos);
        }
        return publishRate;
    }

    RateBucket commandRate(int perSecond, long nowNanos) {
        if (commandRate == null || commandRate.perSecond() != perSecond) {
            commandRate = new RateBucket(perSecond, nowNanos);
        }
        return commandRate;
    }
}
