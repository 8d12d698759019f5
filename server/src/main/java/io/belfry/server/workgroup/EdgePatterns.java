package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Recovery;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.Retained;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.PatternSubscription;
import io.belfry.server.session.Session;
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
 * The pattern subscriptions of a lane's sessions. Owner: the lane's loop. Every lane is told of a pattern's first and last
 * subscriber here, since any lane may be home to a subject that matches.
 */
final class EdgePatterns {
    /** Which subjects a session follows by name. */
    interface Names {
        boolean has(Session session, int subject);
    }

    private static final Comparator<PatternSubscription> SHORTEST =
            Comparator.comparingInt(PatternSubscription::conflateMillis);

    private final Lane lane;
    private final Names names;
    private final Conflation conflation;
    private final LoopCounters counters;
    private final WildcardIndex<PatternSubscription> index = new WildcardIndex<>();
    private final Map<ByteBuffer, Integer> subscribers = new HashMap<>();
    private final List<Session> delivered = new ArrayList<>();
    private final List<PatternSubscription> conflating = new ArrayList<>();
    private int lastTicket;
    private int size;

    EdgePatterns(Lane lane, Names names, Conflation conflation, LoopCounters counters) {
        this.lane = lane;
        this.names = names;
        this.conflation = conflation;
        this.counters = counters;
    }

    boolean isEmpty() {
        return index.isEmpty();
    }

    /** Subscriptions of all the lane's sessions. */
    int size() {
        return size;
    }

    int count(Session session) {
        return patternsOf(session).size();
    }

    List<byte[]> of(Session session) {
        return patternsOf(session).stream().map(PatternSubscription::pattern).toList();
    }

    void subscribe(Session session, long id, byte[] pattern, int conflateMillis) {
        if (find(session, pattern) != null) {
            counters.refused(Code.ALREADY_SUBSCRIBED);
            lane.repliesOf(session)
                    .error(session, id, Code.ALREADY_SUBSCRIBED, "the session follows this pattern", pattern);
            return;
        }
        PatternSubscription subscription =
                new PatternSubscription(session, pattern, id, ++lastTicket, conflateMillis, lane.lanes(), lane.index());
        session.extrasCreated().addPattern(subscription);
        index.add(pattern, subscription);
        size++;
        counters.increment(Counter.SUBSCRIPTIONS);
        if (subscribers.merge(ByteBuffer.wrap(pattern), 1, Integer::sum) == 1) {
            for (int home = 0; home < lane.lanes(); home++) {
                lane.home(home).joinPattern(lane.index(), pattern);
            }
        }
        readOn(session);
    }

    /** Asks for the next piece of what the session's patterns bring: one pattern, one lane and one piece at a time. */
    void readOn(Session session) {
        if (!session.isReady() || session.isClosed()) {
            return;
        }
        for (PatternSubscription each : patternsOf(session)) {
            if (!each.isConfirmed()) {
                if (!each.isReading()) {
                    each.onAsked();
                    lane.homeLater(each.lane())
                            .readPattern(
                                    lane.index(), session.reference(), each.ticket(), each.pattern(), each.cursor());
                }
                return;
            }
        }
    }

    void onRead(PatternSubscription subscription, long cursor) {
        if (cursor != Retained.END) {
            subscription.onMore(cursor);
            return;
        }
        subscription.onConfirmed();
        if (subscription.isConfirmed()) {
            Session session = subscription.session();
            lane.repliesOf(session)
                    .subscribed(
                            session,
                            subscription.commandId(),
                            subscription.pattern(),
                            null,
                            Recovery.NONE,
                            subscription.conflateMillis());
        }
    }

    /** The subscription with this ticket, if it is there still. */
    @Nullable
    PatternSubscription find(Session session, byte[] pattern, int ticket) {
        PatternSubscription subscription = find(session, pattern);
        return subscription != null && subscription.ticket() == ticket ? subscription : null;
    }

    /** Whether some pattern of the session accepts what this lane delivers of this subject. */
    boolean isConfirmed(Session session, int home, byte[] subject) {
        return patternsOf(session).stream().anyMatch(each -> each.isConfirmedBy(home) && each.matches(subject));
    }

    /** Whether some pattern conflates this subject. */
    boolean conflates(Session session, byte[] subject) {
        return patternsOf(session).stream().anyMatch(each -> each.conflateMillis() > 0 && each.matches(subject));
    }

    /** Whether some pattern brings each message that this lane delivers of this subject. */
    boolean bringsAll(Session session, int home, byte[] subject) {
        return patternsOf(session).stream()
                        .anyMatch(
                                each -> each.conflateMillis() == 0 && each.isConfirmedBy(home) && each.matches(subject))
                && lane.subjects().homeOf(lane.readKey().set(subject)) == home;
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
            // A command with an id is answered, even one that was taken back before its answer came.
            counters.refused(Code.NOT_SUBSCRIBED);
            lane.repliesOf(session)
                    .error(
                            session,
                            subscription.commandId(),
                            Code.NOT_SUBSCRIBED,
                            "unsubscribed before it began",
                            pattern);
        }
        // It may have been the one that the others waited for.
        readOn(session);
        return true;
    }

    void leaveAll(Session session) {
        if (session.extras() != null) {
            List.copyOf(session.extras().patterns()).forEach(this::remove);
        }
    }

    private void remove(PatternSubscription subscription) {
        byte[] pattern = subscription.pattern();
        subscription.session().extrasCreated().removePattern(subscription);
        index.remove(pattern, subscription);
        size--;
        counters.add(Counter.SUBSCRIPTIONS, -1);
        ByteBuffer name = ByteBuffer.wrap(pattern);
        if (subscribers.merge(name, -1, Integer::sum) == 0) {
            subscribers.remove(name);
            for (int home = 0; home < lane.lanes(); home++) {
                lane.home(home).leavePattern(lane.index(), pattern);
            }
        }
    }

    /** Delivers to every session with a matching pattern that has not got the message by the subject's name, once each. */
    void deliver(int home, int subject, SubjectKey key, MessageView message, FanOut fanOut) {
        delivered.clear();
        conflating.clear();
        index.match(key.bytes(), key.length(), subscription -> {
            Session session = subscription.session();
            if (!subscription.isConfirmedBy(home) || hasByName(session, subject)) {
                return;
            }
            if (subscription.conflateMillis() > 0) {
                conflating.add(subscription);
            } else if (isNew(session)) {
                delivered.add(session);
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

    /** Who gets each message by another pattern is not conflated; of several intervals the shortest counts. */
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

    /** Its place there reads this message too, so it must not wait to be delivered a second time. */
    private static boolean isReadingOn(Session session, int subject) {
        CatchUp.Place place = session.isCatchingUp() ? CatchUp.at(session, subject) : null;
        return place != null && !place.isJoining() && !place.isRequested();
    }

    /** From the moment the subject's lane has answered, a subscription by name brings what the patterns did. */
    private boolean hasByName(Session session, int subject) {
        if (!names.has(session, subject)) {
            return false;
        }
        CatchUp.Place place = session.isCatchingUp() ? CatchUp.at(session, subject) : null;
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
