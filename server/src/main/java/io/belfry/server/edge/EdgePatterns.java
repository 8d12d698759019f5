package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
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
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.PatternSubscription;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.session.Terms;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.WildcardIndex;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pattern subscriptions of a lane's sessions. Owner: the lane's loop. Every lane is notified of a pattern's first and
 * last subscriber here, because any lane may be the home of a subject that matches.
 */
public final class EdgePatterns {
    private static final Comparator<PatternSubscription> SHORTEST =
            Comparator.comparingInt(PatternSubscription::conflateMillis);

    /** The end of a gap of a pattern, which has none. */
    private static final Position NOWHERE = new Position(0, 0);

    private final LaneCalls calls;
    private final NameSubscriptions names;
    private final Conflation conflation;
    private final LaneReplies replies;
    private final PatternPositions positions;
    private final LoopCounters counters;
    private final SubjectKey key;
    private final WildcardIndex<PatternSubscription> index = new WildcardIndex<>();
    private final Map<ByteBuffer, Integer> subscribers = new HashMap<>();
    private final List<Session> delivered = new ArrayList<>();
    private final List<PatternSubscription> conflating = new ArrayList<>();
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
        this.names = names;
        this.replies = replies;
        this.positions = positions;
        key = new SubjectKey(seed);
        this.conflation = conflation;
        this.counters = counters;
    }

    boolean isEmpty() {
        return index.isEmpty();
    }

    /** Returns the number of subscriptions of all the lane's sessions. */
    public int size() {
        return size;
    }

    int count(Session session) {
        return patternsOf(session).size();
    }

    List<byte[]> of(Session session) {
        return patternsOf(session).stream().map(PatternSubscription::pattern).toList();
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
                session, pattern, id, ++lastTicket, terms.conflateMillis(), calls.lanes(), calls.index(), places);
        session.extrasCreated().addPattern(subscription);
        index.add(pattern, subscription);
        positions.add(subscription);
        size++;
        counters.increment(Counter.SUBSCRIPTIONS);
        if (subscribers.merge(ByteBuffer.wrap(pattern), 1, Integer::sum) == 1) {
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

    /** Requests the next part of the session's pattern snapshots: one pattern, one lane and one part at a time. */
    public void readOn(Session session) {
        if (!session.isReady() || session.isClosed()) {
            return;
        }
        for (PatternSubscription each : patternsOf(session)) {
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

    void onRead(PatternSubscription subscription, long cursor, long[] ends) {
        if (cursor != Retained.END) {
            subscription.onMore(cursor);
            return;
        }
        subscription.onConfirmed(ends);
        if (subscription.isConfirmed()) {
            positions.onConfirmed(subscription);
            confirm(subscription);
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
        return patternsOf(reading.session()).stream()
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
        return patternsOf(session).stream().anyMatch(each -> each.isConfirmedBy(home) && each.matches(subject));
    }

    /** Returns whether a pattern conflates this subject. */
    boolean conflates(Session session, byte[] subject) {
        return patternsOf(session).stream().anyMatch(each -> each.conflateMillis() > 0 && each.matches(subject));
    }

    /** Returns whether a pattern delivers each message that this lane delivers of this subject. */
    boolean bringsAll(Session session, int home, byte[] subject) {
        return patternsOf(session).stream()
                        .anyMatch(
                                each -> each.conflateMillis() == 0 && each.isConfirmedBy(home) && each.matches(subject))
                && calls.homeOf(key.set(subject)) == home;
    }

    private static List<PatternSubscription> patternsOf(Session session) {
        return session.extras() == null ? List.of() : session.extras().patterns();
    }

    boolean unsubscribe(Session session, byte[] pattern) {
        PatternSubscription subscription = find(session, pattern);
        if (subscription == null) {
            return false;
        }
        remove(subscription);
        if (!subscription.isConfirmed() && subscription.commandId() != CommandHandler.NO_ID && session.isShared()) {
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
        index.remove(pattern, subscription);
        positions.remove(subscription);
        size--;
        counters.add(Counter.SUBSCRIPTIONS, -1);
        ByteBuffer name = ByteBuffer.wrap(pattern);
        if (subscribers.merge(name, -1, Integer::sum) == 0) {
            subscribers.remove(name);
            for (int home = 0; home < calls.lanes(); home++) {
                calls.home(home).leavePattern(calls.index(), pattern);
            }
        }
    }

    /** Delivers once to every session with a matching pattern that did not receive the message by the subject's name. */
    void deliver(int home, int subject, SubjectKey name, MessageView message, FanOut fanOut) {
        delivered.clear();
        conflating.clear();
        index.match(name.bytes(), name.length(), subscription -> {
            Session session = subscription.session();
            if (!subscription.isConfirmedBy(home) || hasByName(session, subject)) {
                return;
            }
            if (subscription.conflateMillis() > 0) {
                conflating.add(subscription);
            } else {
                positions.onDelivered(subscription);
                if (isNew(session)) {
                    delivered.add(session);
                }
            }
        });
        if (!conflating.isEmpty()) {
            conflate(subject);
        }
        delivered.forEach(session -> fanOut.deliverTo(session, subject, message));
    }

    private boolean isNew(Session session) {
        return count(session) == 1 || !delivered.contains(session);
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

    private static @Nullable PatternSubscription find(Session session, byte[] pattern) {
        for (PatternSubscription each : patternsOf(session)) {
            if (Arrays.equals(each.pattern(), pattern)) {
                return each;
            }
        }
        return null;
    }
}
