package io.belfry.server.edge;

import io.belfry.protocol.PatternPosition;
import io.belfry.server.broker.LogOrder;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.session.PatternSubscription;
import io.belfry.server.session.Session;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The positions that a lane's sessions have reached in their patterns. Owner: the lane's loop.
 *
 * <p>Each home reports from time to time how far it has delivered. After all have reported, a <em>round</em> is complete: the
 * lowest places are a position that all sessions have passed whose patterns were confirmed before the round began.
 * Sessions that received messages by patterns get the position then, the others only after some rounds.
 */
public final class PatternPositions {
    /** Rounds after which sessions without deliveries get the position too: one minute. */
    private static final int ROUNDS_OF_QUIET = 12;

    private final @Nullable PatternPlaces places;
    private final LaneReplies replies;
    private final Map<Integer, long[]> reported = new HashMap<>();
    private final List<PatternSubscription> all = new ArrayList<>();

    /** Subscriptions that received a message since the last position of their session. */
    private List<PatternSubscription> active = new ArrayList<>();

    private final int lanes;
    private int round;
    private @Nullable PatternPosition latest;

    /** Creates the positions; without an order patterns have none. */
    public PatternPositions(@Nullable LogOrder order, long epoch, int lanes, LaneReplies replies) {
        places = order == null ? null : new PatternPlaces(epoch, order.generation(), order.logs());
        this.replies = replies;
        this.lanes = lanes;
    }

    /** Returns the places of a position, or null if it is not one of this history. */
    long @Nullable [] places(PatternPosition position) {
        return places == null ? null : places.decode(position);
    }

    /** Returns the position at which the lanes confirmed the subscription, once; null if it has none. */
    @Nullable
    PatternPosition first(PatternSubscription subscription) {
        long[] reached = subscription.takeReached();
        return places == null || reached == null || subscription.conflateMillis() > 0 ? null : places.encode(reached);
    }

    void add(PatternSubscription subscription) {
        subscription.index(all.size());
        all.add(subscription);
    }

    void remove(PatternSubscription subscription) {
        PatternSubscription last = all.removeLast();
        if (last != subscription) {
            all.set(subscription.index(), last);
            last.index(subscription.index());
        }
    }

    void onConfirmed(PatternSubscription subscription) {
        subscription.confirmedRound(round);
    }

    void onDelivered(PatternSubscription subscription) {
        if (places != null && subscription.onDelivered()) {
            active.add(subscription);
        }
    }

    /** Records the report of a home. */
    void onReport(int home, long[] ends) {
        reported.put(home, ends);
        if (reported.size() < lanes || places == null) {
            return;
        }
        long[] lowest = ends.clone();
        reported.values().forEach(each -> Arrays.setAll(lowest, log -> Math.min(lowest[log], each[log])));
        reported.clear();
        round++;
        PatternPosition position = places.encode(lowest);
        if (position != null) {
            latest = latest == null || !latest.equals(position) ? position : latest;
            send(latest);
        }
    }

    private void send(PatternPosition position) {
        List<PatternSubscription> received = active;
        active = new ArrayList<>();
        for (PatternSubscription each : received) {
            if (!send(each, position)) {
                active.add(each);
            }
        }
        int turn = round % ROUNDS_OF_QUIET;
        for (int i = part(turn); i < part(turn + 1); i++) {
            send(all.get(i), position);
        }
    }

    private int part(int number) {
        return (int) ((long) all.size() * number / ROUNDS_OF_QUIET);
    }

    /** Sends the position to the subscription's session; returns false if the session has not passed it yet. */
    private boolean send(PatternSubscription subscription, PatternPosition position) {
        Session session = subscription.session();
        List<PatternSubscription> patterns =
                session.extras() == null ? List.of() : session.extras().patterns();
        if (session.isClosed() || patterns.isEmpty() || patterns.stream().anyMatch(p -> p.conflateMillis() > 0)) {
            return true;
        }
        if (session.isCatchingUp() || !patterns.stream().allMatch(this::isBeforeRound)) {
            return false;
        }
        patterns.forEach(PatternSubscription::onReported);
        if (patterns.getFirst().onPosition(position)) {
            replies.of(session).position(session, position);
        }
        return true;
    }

    /** Returns whether the reports of the last round were made after all lanes had confirmed the subscription. */
    private boolean isBeforeRound(PatternSubscription subscription) {
        return subscription.isConfirmed() && round >= subscription.confirmedRound() + 2;
    }
}
