package io.belfry.server.entitlement;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers of the application, each for its own time, the least recently used one removed first. Any thread. */
public final class DecisionCache<Q, A> {
    private record Kept<A>(A answer, long untilMillis) {}

    private final int entriesMax;

    /** Guarded by this object. */
    private final Map<Q, Kept<A>> entries;

    /** Creates an empty cache; with 0 entries it remains empty. */
    public DecisionCache(int entriesMax) {
        this.entriesMax = entriesMax;
        entries = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Q, Kept<A>> eldest) {
                return size() > DecisionCache.this.entriesMax;
            }
        };
    }

    /** Returns the answer to this question, or null if there is none now. */
    public synchronized @Nullable A find(Q question, long nowMillis) {
        Kept<A> entry = entries.get(question);
        if (entry != null && entry.untilMillis <= nowMillis) {
            entries.remove(question);
            return null;
        }
        return entry == null ? null : entry.answer;
    }

    /** Keeps an answer until a time. */
    public synchronized void put(Q question, A answer, long untilMillis) {
        if (entriesMax > 0) {
            entries.put(question, new Kept<>(answer, untilMillis));
        }
    }
}
