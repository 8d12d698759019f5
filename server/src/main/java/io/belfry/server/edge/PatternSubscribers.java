package io.belfry.server.edge;

import io.belfry.protocol.MessageView;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.FanOut;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.PatternGroup;
import io.belfry.server.session.PatternSubscription;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.WildcardIndex;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The pattern subscriptions of a lane's sessions by their patterns, and the delivery of live messages to them. Owner: the lane's
 * loop.
 */
final class PatternSubscribers {
    private static final Comparator<PatternSubscription> SHORTEST =
            Comparator.comparingInt(PatternSubscription::conflateMillis);

    /** Recording a message for a session by pattern takes about as long as for this number of sessions by name. */
    private static final int COST_BESIDE_NAMES = 4;

    private final NameSubscriptions names;
    private final Conflation conflation;
    private final PatternPositions positions;
    private final WildcardIndex<PatternGroup<PatternSubscription>> index = new WildcardIndex<>();
    private final Map<ByteBuffer, PatternGroup<PatternSubscription>> groups = new HashMap<>();

    // What a message is delivered to; empty between two messages.
    private final List<PatternGroup<PatternSubscription>> matching = new ArrayList<>();
    private final List<PatternSubscription> conflating = new ArrayList<>();
    private final List<Session> delivered = new ArrayList<>();

    /** The number of the present message. */
    private long message;

    PatternSubscribers(NameSubscriptions names, Conflation conflation, PatternPositions positions) {
        this.names = names;
        this.conflation = conflation;
        this.positions = positions;
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    static List<PatternSubscription> patternsOf(Session session) {
        return session.extras() == null ? List.of() : session.extras().patterns();
    }

    /** Returns the subscriptions to this pattern, for a new one that {@link #add} adds. */
    PatternGroup<PatternSubscription> groupOf(byte[] pattern) {
        return groups.computeIfAbsent(ByteBuffer.wrap(pattern), name -> new PatternGroup<>());
    }

    /** Adds a subscription to its group; returns whether it is the first one to its pattern. */
    boolean add(PatternSubscription subscription) {
        PatternGroup<PatternSubscription> group = subscription.group();
        boolean first = group.isEmpty();
        if (first) {
            index.add(subscription.pattern(), group);
        }
        group.add(subscription);
        return first;
    }

    /** Removes a subscription; returns whether it was the last one to its pattern. */
    boolean remove(PatternSubscription subscription) {
        PatternGroup<PatternSubscription> group = subscription.group();
        group.remove(subscription);
        if (!group.isEmpty()) {
            return false;
        }
        index.remove(subscription.pattern(), group);
        groups.remove(ByteBuffer.wrap(subscription.pattern()));
        return true;
    }

    /** Delivers once to every session with a matching pattern that did not receive the message by the subject's name. */
    void deliver(int home, int subject, SubjectKey name, MessageView view, FanOut fanOut) {
        message++;
        matching.clear();
        conflating.clear();
        delivered.clear();
        index.match(name.bytes(), name.length(), matching::add);
        long count = 0;
        for (PatternGroup<PatternSubscription> group : matching) {
            count += group.plain().size();
        }
        if (fanOut.isLarge(COST_BESIDE_NAMES * count)) {
            collectConflating(home, subject, name.copy());
            fanOut.deliverLarge(subject, true, view, new PatternAudience(home, subject, List.copyOf(matching), this));
        } else {
            collect(home, subject);
        }
        if (!conflating.isEmpty()) {
            conflate(subject);
        }
        delivered.forEach(session -> fanOut.deliverTo(session, subject, view));
    }

    private void collect(int home, int subject) {
        for (PatternGroup<PatternSubscription> group : matching) {
            for (PatternSubscription each : group.plain()) {
                Session session = each.session();
                if (each.isConfirmedBy(home) && !hasByName(session, subject)) {
                    positions.onDelivered(each);
                    if (isNew(session)) {
                        delivered.add(session);
                    }
                }
            }
            for (PatternSubscription each : group.conflating()) {
                if (each.isConfirmedBy(home) && !hasByName(each.session(), subject)) {
                    conflating.add(each);
                }
            }
        }
    }

    /** Collects the conflating subscriptions of sessions that no other pattern delivers the message to. */
    private void collectConflating(int home, int subject, byte[] name) {
        for (PatternGroup<PatternSubscription> group : matching) {
            for (PatternSubscription each : group.conflating()) {
                Session session = each.session();
                if (each.isConfirmedBy(home)
                        && !hasByName(session, subject)
                        && patternsOf(session).stream()
                                .noneMatch(other -> other.conflateMillis() == 0
                                        && other.isConfirmedBy(home)
                                        && other.matches(name))) {
                    conflating.add(each);
                }
            }
        }
    }

    /** Delivers to conflating sessions: a pattern without conflation wins, otherwise the shortest interval. */
    private void conflate(int subject) {
        conflating.sort(SHORTEST);
        for (PatternSubscription each : conflating) {
            Session session = each.session();
            if (isNew(session)
                    && (isReadingOn(session, subject)
                            || !conflation.joinByPattern(session, subject, each.conflateMillis()))) {
                delivered.add(session);
            }
        }
    }

    /** Records that the session was considered for the present message; returns false if it had been before. */
    private boolean isNew(Session session) {
        List<PatternSubscription> patterns = patternsOf(session);
        return patterns.size() == 1 || patterns.getFirst().takes(message);
    }

    /**
     * Removes the session from those that a large message waits for, and returns whether the message is for it. A session leaves with
     * all its patterns at once, so it gets the message once.
     */
    boolean take(Session session, int home, int subject, PatternAudience audience) {
        boolean takes = false;
        for (PatternSubscription each : patternsOf(session)) {
            if (each.conflateMillis() == 0
                    && each.group().visit(audience, each)
                    && each.isConfirmedBy(home)
                    && (takes || !hasByName(session, subject))) {
                takes = true;
                positions.onDelivered(each);
            }
        }
        return takes;
    }

    /** Returns whether the session's place in the subject reads this message too, so that it must not be delivered twice. */
    private static boolean isReadingOn(Session session, int subject) {
        CatchUp.Place place = session.isCatchingUp() ? SessionPlaces.at(session, subject) : null;
        return place != null && !place.isJoining() && !place.isRequested();
    }

    /** Returns whether the subscription by name delivers the message: it replaces the patterns after the lane's answer. */
    private boolean hasByName(Session session, int subject) {
        if (!names.has(session, subject)) {
            return false;
        }
        CatchUp.Place place = session.isCatchingUp() ? SessionPlaces.at(session, subject) : null;
        return place == null || !place.isJoining();
    }
}
