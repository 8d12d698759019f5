package io.belfry.client;

import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bridges of a connection: temporary subscriptions to the known subjects of patterns; see {@link ClientSubscriptions}. Owner:
 * the client's loop.
 */
final class PatternBridges {
    private final int max;

    /** The position that each bridge must reach; null until the bridge is confirmed. */
    private final Map<String, @Nullable Position> open = new HashMap<>();

    private final List<String> finished = new ArrayList<>();

    PatternBridges(int max) {
        this.max = max;
    }

    /** A connection begins, which has none. */
    void clear() {
        open.clear();
        finished.clear();
    }

    /** Begins a bridge; returns false if it exists already or if there are too many. */
    boolean begin(String subject) {
        boolean fits = open.size() < max && !open.containsKey(subject);
        if (fits) {
            open.put(subject, null);
        }
        return fits;
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    boolean isOpen(String subject) {
        return open.containsKey(subject);
    }

    /** Returns whether there is a bridge to a subject of this pattern. */
    boolean isOpenFor(Subscription pattern) {
        return open.keySet().stream()
                .anyMatch(subject -> Subjects.matches(pattern.key(), subject.getBytes(StandardCharsets.UTF_8)));
    }

    List<String> all() {
        return List.copyOf(open.keySet());
    }

    /** The server has confirmed a bridge, which ends once this position is reached. */
    void confirmed(String subject, Position at) {
        open.put(subject, at);
    }

    /** Returns the position that a bridge must reach; null without a bridge, and before the confirmation. */
    @Nullable
    Position target(String subject) {
        return open.get(subject);
    }

    /** Forgets a bridge that the server no longer has. */
    void forget(String subject) {
        open.remove(subject);
    }

    /** Ends a bridge, which is to be unsubscribed. */
    void finish(String subject) {
        open.remove(subject);
        finished.add(subject);
    }

    /** Takes the bridges to unsubscribe now. */
    List<String> takeFinished() {
        List<String> taken = List.copyOf(finished);
        finished.clear();
        return taken;
    }
}
