package io.belfry.server.edge;

import io.belfry.protocol.PatternPosition;
import io.belfry.server.broker.LogOrder;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.session.PatternSubscription;
import io.belfry.server.session.Session;
import io.belfry.server.turn.LongWork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The positions that a lane's sessions have reached in their patterns. Owner: the lane's loop.
 *
 * <p>Each home reports from time to time how far it has delivered. After all have reported, a <em>round</em> is complete: the
 * lowest places are a position that all sessions have passed whose patterns were confirmed before the round began.
 * Sessions that received messages by patterns get the position then, the others only after some rounds. Very many sessions get it in
 * several turns.
 */
public final class PatternPositions {
    /** Rounds after which sessions without deliveries get the position too: one minute. */
    private static final int ROUNDS_OF_QUIET = 12;

    private final @Nullable PatternPlaces places;
    private final LaneReplies replies;
    private final LongWork work;
    private final Map<Integer, long[]> reported = new HashMap<>();
    private final List<PatternSubscription> all = new ArrayList<>();

    /** Subscriptions that received a message since the last position of their session. */
    private List<PatternSubscription> active = new ArrayList<>();

    /** Subscriptions whose sessions get the position of the present round. */
    private List<PatternSubscription> receiving = List.of();

    /** Index of the next of all subscriptions that gets the position in this round, whether it received a message or not. */
    private int next;

    /** Index after the last of them. */
    private int end;

    private boolean sending;

    private final int lanes;
    private int round;
    private @Nullable PatternPosition latest;

    /** Creates the positions; without an order patterns have none. */
    public PatternPositions(@Nullable LogOrder order, long epoch, int lanes, LaneReplies replies, LongWork work) {
        places = order == null ? null : new PatternPlaces(epoch, order.generation(), order.logs());
        this.replies = replies;
        this.work = work;
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

    /** Sends the progress of a subscription that resumes, if it is due. */
    void onProgress(PatternSubscription subscription, long[] read) {
        Session session = subscription.session();
        boolean hasPosition = places != null && subscription.conflateMillis() == 0 && !session.isCatchingUp();
        long[] progress = hasPosition ? subscription.takeProgress(read) : null;
        PatternPosition position =
                progress == null ? null : Objects.requireNonNull(places).encode(progress);
        if (position != null) {
            replies.of(session).progress(session, subscription.pattern(), position);
        }
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
        if (sending) {
            // The position of an earlier round must not follow one of this round. The next round sends a later one.
            return;
        }
        receiving = active;
        active = new ArrayList<>();
        int turn = round % ROUNDS_OF_QUIET;
        next = part(turn);
        end = part(turn + 1);
        int sent = round;
        sending = true;
        work.begin(() -> {
            sending = sendNext(position, sent);
            return sending;
        });
    }

    /** Sends the position of this round to one session; returns whether there are more. */
    private boolean sendNext(PatternPosition position, int sent) {
        if (!receiving.isEmpty()) {
            PatternSubscription each = receiving.removeLast();
            if (!send(each, position, sent)) {
                active.add(each);
            }
        } else if (next < Math.min(end, all.size())) {
            send(all.get(next++), position, sent);
        }
        return !receiving.isEmpty() || next < Math.min(end, all.size());
    }

    private int part(int number) {
        return (int) ((long) all.size() * number / ROUNDS_OF_QUIET);
    }

    /** Sends the position to the subscription's session; returns false if the session has not passed it yet. */
    private boolean send(PatternSubscription subscription, PatternPosition position, int sent) {
        Session session = subscription.session();
        List<PatternSubscription> patterns =
                session.extras() == null ? List.of() : session.extras().patterns();
        if (session.isClosed() || patterns.isEmpty() || patterns.stream().anyMatch(p -> p.conflateMillis() > 0)) {
            return true;
        }
        if (session.isCatchingUp() || !patterns.stream().allMatch(each -> isBefore(sent, each))) {
            return false;
        }
        patterns.forEach(PatternSubscription::onReported);
        if (patterns.getFirst().onPosition(position)) {
            replies.of(session).position(session, position);
        }
        return true;
    }

    /** Returns whether the reports of this round were made after all lanes had confirmed the subscription. */
    private static boolean isBefore(int round, PatternSubscription subscription) {
        return subscription.isConfirmed() && round >= subscription.confirmedRound() + 2;
    }
}
