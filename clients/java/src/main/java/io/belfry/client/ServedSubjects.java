package io.belfry.client;

import io.belfry.protocol.KeptSession;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubjectPosition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The subjects that the server confirmed in the present or the lost session, compared with the subscriptions of the program.
 * Owner: the client's loop.
 */
final class ServedSubjects {
    /** The confirmed subscription of each subject; null for a bridge. */
    private final Map<String, @Nullable Subscription> served = new HashMap<>();

    void clear() {
        served.clear();
    }

    /** The server has confirmed a subject; {@code subscription} is null for a bridge. */
    void confirmed(String subject, @Nullable Subscription subscription) {
        served.put(subject, subscription);
    }

    /** The server has answered that a subscription ended. */
    void ended(String subject) {
        served.remove(subject);
    }

    private boolean has(Subscription one) {
        return one.equals(served.get(one.subject()));
    }

    /**
     * Returns the request that continues a session from the positions of its subjects. Returns a request for a new session if the
     * server might have other subjects than the client, or if a pattern has no position: it needs bridges.
     */
    KeptSession toContinue(String session, Collection<Subscription> plain, Collection<Subscription> patterns) {
        List<SubjectPosition> received = new ArrayList<>();
        for (Subscription one : plain) {
            Position from = one.resumeFrom();
            if (one.isEnding() || (!one.isSuspended() && (from == null || !has(one)))) {
                return KeptSession.NEW;
            }
            if (!one.isSuspended() && from != null) {
                received.add(new SubjectPosition(one.key(), from));
            }
        }
        boolean same = received.size() == served.size()
                && received.size() <= KeptSession.POSITIONS_MAX
                && patterns.stream()
                        .allMatch(pattern -> (pattern.isPaused() && pattern.isSuspended())
                                || pattern.progress().at() != null);
        return same && !received.isEmpty() ? new KeptSession(session, received) : KeptSession.NEW;
    }

    /** Returns those of the subscriptions that the server has not confirmed. */
    List<Subscription> missing(Collection<Subscription> plain) {
        return plain.stream().filter(one -> !one.isSuspended() && !has(one)).toList();
    }

    /**
     * Returns the subjects that the server still serves, although the program has ended or paused their subscriptions.
     * {@code find} returns the subscription of the program.
     */
    List<String> inVain(Function<String, @Nullable Subscription> find) {
        return served.entrySet().stream()
                .filter(entry -> {
                    Subscription one = find.apply(entry.getKey());
                    return one == null || one.isSuspended() || !one.equals(entry.getValue());
                })
                .map(Map.Entry::getKey)
                .toList();
    }
}
