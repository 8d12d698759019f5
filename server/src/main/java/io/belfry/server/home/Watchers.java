package io.belfry.server.home;

import io.belfry.protocol.CommandHandler;
import io.belfry.server.broker.Broker;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.subject.SubjectKey;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Publishers that asked to be notified when a subject gains its first and loses its last subscriber. Owner: the lane's loop.
 * Pattern subscriptions do not count: only a subscription by name makes a subject occupied.
 */
final class Watchers {
    private record Watcher(int edge, long session) {}

    private final Broker broker;
    private final LaneCalls calls;
    private final Map<ByteBuffer, Set<Watcher>> bySubject = new HashMap<>();
    private @Nullable OccupiedSubjects occupied;

    Watchers(Broker broker, LaneCalls calls) {
        this.broker = broker;
        this.calls = calls;
    }

    /** Reports first and last subscribers to the application too, from now on. */
    void report(OccupiedSubjects to) {
        occupied = to;
    }

    void add(int edge, long session, SubjectKey subject) {
        Set<Watcher> watchers = bySubject.computeIfAbsent(ByteBuffer.wrap(subject.copy()), s -> new HashSet<>(2));
        if (watchers.isEmpty()) {
            broker.onWatched(subject, true);
        }
        watchers.add(new Watcher(edge, session));
    }

    void remove(int edge, long session, SubjectKey subject) {
        bySubject.computeIfPresent(ByteBuffer.wrap(subject.copy()), (s, watchers) -> {
            watchers.remove(new Watcher(edge, session));
            if (watchers.isEmpty()) {
                broker.onWatched(subject, false);
            }
            return watchers.isEmpty() ? null : watchers;
        });
    }

    void onSubscribers(SubjectKey subject, boolean first) {
        if (first) {
            onFollowed(subject, true);
        }
    }

    void onNoSubscribers(SubjectKey subject, boolean last) {
        if (last) {
            onFollowed(subject, false);
        }
    }

    private void onFollowed(SubjectKey subject, boolean now) {
        if (occupied != null) {
            occupied.onFollowed(subject, now);
        }
        broker.onFollowed(subject, now);
        if (!broker.isFollowedElsewhere(subject)) {
            tell(subject, now);
        }
    }

    /** Called when other nodes gain or lose their subscribers; {@code here} says whether this node has any. */
    void onElsewhere(SubjectKey subject, boolean now, boolean here) {
        if (!here) {
            tell(subject, now);
        }
    }

    private void tell(SubjectKey subject, boolean subscribers) {
        if (bySubject.isEmpty()) {
            return;
        }
        Set<Watcher> watchers = bySubject.get(ByteBuffer.wrap(subject.copy()));
        if (watchers != null) {
            watchers.forEach(watcher ->
                    calls.edge(watcher.edge()).interest(watcher.session(), CommandHandler.NO_ID, subject, subscribers));
        }
    }
}
