package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.FanOut;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.ToHome;
import io.belfry.server.history.Retained;
import io.belfry.server.session.PatternSubscription;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.session.Terms;
import io.belfry.server.subject.SubjectKey;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pattern subscriptions of a lane's sessions. Owner: the lane's loop. Every lane is notified of a pattern's first and
 * last subscriber here, because any lane may be the home of a subject that matches.
 */
public final class EdgePatterns {
    /** The end of a gap of a pattern, which has none. */
    private static final Position NOWHERE = new Position(0, 0);

    private final LaneCalls calls;
    private final LaneReplies replies;
    private final PatternPositions positions;
    private final LoopCounters counters;
    private final SubjectKey key;
    private final PatternSubscribers subscribers;
    private int lastTicket;
    private int size;

    /** Creates the lane's part; {@code seed} is the seed of the subject hashes. */
    public EdgePatterns(
            LaneCalls calls,
            NameSubscriptions names,
            Conflation conflation,
            LaneReplies replies,
            PatternPositions positions,
            LoopCounters counters,
            long seed) {
        this.calls = calls;
        this.replies = replies;
        this.positions = positions;
        key = new SubjectKey(seed);
        subscribers = new PatternSubscribers(names, conflation, positions);
        this.counters = counters;
    }

    boolean isEmpty() {
        return subscribers.isEmpty();
    }

    /** Returns the number of subscriptions of all the lane's sessions. */
    public int size() {
        return size;
    }

    int count(Session session) {
        return PatternSubscribers.patternsOf(session).size();
    }

    List<byte[]> of(Session session) {
        return PatternSubscribers.patternsOf(session).stream()
                .map(PatternSubscription::pattern)
                .toList();
    }

    /** Returns whether the session subscribes to this pattern. */
    boolean has(Session session, byte[] pattern) {
        return find(session, pattern) != null;
    }

    void subscribe(Session session, long id, byte[] pattern, Terms terms) {
        if (find(session, pattern) != null) {
            replies.refuse(
                    session, id, Code.ALREADY_SUBSCRIBED, "the session subscribes to this pattern already", pattern);
            return;
        }
        PatternPosition from = terms.patternFrom();
        long[] places = from == null ? null : positions.places(from);
        PatternSubscription subscription = new PatternSubscription(
                session,
                subscribers.groupOf(pattern),
                pattern,
                id,
                ++lastTicket,
                terms.conflateMillis(),
                calls.lanes(),
                calls.index(),
                places);
        session.extrasCreated().addPattern(subscription);
        boolean first = subscribers.add(subscription);
        positions.add(subscription);
        size++;
        counters.increment(Counter.SUBSCRIPTIONS);
        if (first) {
            for (int home = 0; home < calls.lanes(); home++) {
                calls.home(home).joinPattern(calls.index(), pattern);
            }
        }
        if (from != null) {
            subscription.resuming();
            if (places == null) {
                onGap(subscription, Code.EPOCH_CHANGED);
            }
        }
        readOn(session);
    }

    /** Announces once that messages after the subscription's position are missing. */
    void onGap(PatternSubscription subscription, Code reason) {
        if (subscription.onGap()) {
            Session session = subscription.session();
            replies.of(session).gap(session, subscription.pattern(), null, NOWHERE, reason);
        }
    }

    /**
     * Requests the next part of what the session's patterns begin with: one pattern, one lane and one part at a time. It waits
     * for the answers to subscriptions by name. A pattern omits the past messages of such a subject, so its live messages must
     * not precede the answer, which begins with them.
     */
    public void readOn(Session session) {
        if (!session.isReady() || session.isClosed() || SessionPlaces.isJoining(session)) {
            return;
        }
        for (PatternSubscription each : PatternSubscribers.patternsOf(session)) {
            if (!each.isConfirmed()) {
                if (!each.isReading()) {
                    each.onAsked();
                    read(session, each, calls.homeLater(each.lane()));
                }
                return;
            }
        }
    }

    private void read(Session session, PatternSubscription next, ToHome home) {
        int ticket = next.ticket();
        long[] from = next.from();
        if (from == null) {
            home.readPattern(calls.index(), session.reference(), ticket, next.pattern(), next.cursor());
        } else {
            home.readPatternLog(calls.index(), session.reference(), ticket, next.pattern(), from, next.cursor());
        }
    }

    void onRead(PatternSubscription subscription, long cursor, long[] places) {
        if (cursor == Retained.END) {
            subscription.onConfirmed(places);
        } else {
            subscription.onMore(cursor);
        }
        if (subscription.isConfirmed()) {
            positions.onConfirmed(subscription);
            confirm(subscription);
        } else {
            positions.onProgress(subscription, places);
        }
    }

    private void confirm(PatternSubscription subscription) {
        Session session = subscription.session();
        long id = subscription.commandId();
        byte[] pattern = subscription.pattern();
        PatternPosition at = positions.first(subscription);
        Recovery recovery = subscription.recovery();
        if (recovery != Recovery.NONE) {
            boolean complete = recovery == Recovery.COMPLETE;
            counters.increment(complete ? Counter.RECOVERIES_COMPLETE : Counter.RECOVERIES_WITH_GAP);
        }
        if (at == null) {
            replies.of(session).subscribed(session, id, pattern, null, recovery, subscription.conflateMillis());
        } else {
            replies.of(session).patternSubscribed(session, id, pattern, at, recovery, subscription.conflateMillis());
        }
    }

    /** Records how far a home has delivered its messages. */
    void onReport(int home, long[] ends) {
        positions.onReport(home, ends);
    }

    /** Returns whether another pattern of the session has delivered the message at this place. */
    boolean hasDelivered(PatternSubscription reading, int home, byte[] subject, int log, long place) {
        return PatternSubscribers.patternsOf(reading.session()).stream()
                .anyMatch(each -> each != reading
                        && each.isConfirmedBy(home)
                        && each.isAfterStart(log, place)
                        && each.matches(subject));
    }

    /** Returns the subscription with this ticket, or null if it has ended. */
    @Nullable
    PatternSubscription find(Session session, byte[] pattern, int ticket) {
        PatternSubscription subscription = find(session, pattern);
        return subscription != null && subscription.ticket() == ticket ? subscription : null;
    }

    /** Returns whether a pattern of the session accepts the messages that this lane delivers of this subject. */
    boolean isConfirmed(Session session, int home, byte[] subject) {
        return PatternSubscribers.patternsOf(session).stream()
                .anyMatch(each -> each.isConfirmedBy(home) && each.matches(subject));
    }

    /** Returns whether a pattern conflates this subject. */
    boolean conflates(Session session, byte[] subject) {
        return PatternSubscribers.patternsOf(session).stream()
                .anyMatch(each -> each.conflateMillis() > 0 && each.matches(subject));
    }

    /** Returns whether a pattern delivers each message that this lane delivers of this subject. */
    boolean bringsAll(Session session, int home, byte[] subject) {
        return PatternSubscribers.patternsOf(session).stream()
                        .anyMatch(
                                each -> each.conflateMillis() == 0 && each.isConfirmedBy(home) && each.matches(subject))
                && calls.homeOf(key.set(subject)) == home;
    }

    boolean unsubscribe(Session session, byte[] pattern) {
        // Messages that were delivered before, but not recorded for the session yet, are for the subscription.
        PatternSubscription subscription = replies.complete(session) ? find(session, pattern) : null;
        if (subscription == null) {
            return false;
        }
        remove(subscription);
        if (!subscription.isConfirmed()
                && SubjectSubscriptions.isOfClient(subscription.commandId())
                && session.isShared()) {
            // Every command with an id is answered, even if its subscription ended before the answer arrived.
            replies.refuse(
                    session,
                    subscription.commandId(),
                    Code.NOT_SUBSCRIBED,
                    "unsubscribed before the subscription began",
                    pattern);
        }
        // The other patterns may have waited for this one.
        readOn(session);
        return true;
    }

    /** Ends all subscriptions of a closed session. */
    public void forget(Session session) {
        if (session.extras() != null) {
            List.copyOf(session.extras().patterns()).forEach(this::remove);
        }
    }

    private void remove(PatternSubscription subscription) {
        byte[] pattern = subscription.pattern();
        subscription.session().extrasCreated().removePattern(subscription);
        boolean last = subscribers.remove(subscription);
        positions.remove(subscription);
        size--;
        counters.add(Counter.SUBSCRIPTIONS, -1);
        if (last) {
            for (int home = 0; home < calls.lanes(); home++) {
                calls.home(home).leavePattern(calls.index(), pattern);
            }
        }
    }

    /** Delivers once to every session with a matching pattern that did not receive the message by the subject's name. */
    void deliver(int home, int subject, SubjectKey name, MessageView message, FanOut fanOut) {
        subscribers.deliver(home, subject, name, message, fanOut);
    }

    private static @Nullable PatternSubscription find(Session session, byte[] pattern) {
        for (PatternSubscription each : PatternSubscribers.patternsOf(session)) {
            if (Arrays.equals(each.pattern(), pattern)) {
                return each;
            }
        }
        return null;
    }
}
