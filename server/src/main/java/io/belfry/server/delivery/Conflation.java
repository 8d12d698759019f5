package io.belfry.server.delivery;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Session;
import io.belfry.server.subject.IntColumn;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.turn.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of a lane's sessions that conflate: they receive at most one message of a subject per interval, the
 * latest. Owner: the lane's loop.
 *
 * <p>Such subscriptions are not in the subject's list of subscribers but in a group per subject and interval. A message
 * therefore costs one step per group, however many sessions are in it, and the end of an interval costs one fan-out. Sessions
 * of a pattern join a group with the first matching message, and leave it with the first interval without one.
 */
public final class Conflation {
    /** Deadlines within this time share one wake-up. */
    private static final long GRANULARITY_NANOS = 1_000_000;

    private static final long NEVER = Long.MAX_VALUE;

    /**
     * The subjects that one session conflates: the interval of a subscription by name, and its membership in a group. While
     * the subscription by name is pending, the membership may still be that of a pattern.
     */
    private static final class Share {
        final int wishMillis;
        ConflationGroup.@Nullable Member member;

        Share(int wishMillis) {
            this.wishMillis = wishMillis;
        }

        boolean isByName() {
            return wishMillis > 0;
        }
    }

    private final Turn turn;
    private final FanOut fanOut;
    private final LaneSubjects subjects;
    private final LoopCounters counters;
    private final ConflationGroup.Delivery delivery;
    private final Map<Session, Map<Integer, Share>> shares = new HashMap<>();
    private final Map<Integer, List<ConflationGroup>> groups = new HashMap<>();

    /** Number of groups per subject, so that most messages need no lookup in the map. */
    private final IntColumn groupsAt = new IntColumn();

    private final TreeSet<ConflationGroup> resting = new TreeSet<>(
            Comparator.comparingLong(ConflationGroup::dueNanos).thenComparingLong(ConflationGroup::number));
    private final Runnable wake = this::onWake;
    private long wakeNanos = NEVER;
    private long lastNumber;
    private int groupsByPattern;
    private int groupsByPatternMax;

    /** Creates the lane's conflation; {@code most} is the maximum number of groups of sessions by pattern only. */
    public Conflation(
            Turn turn,
            FanOut fanOut,
            LaneSubjects subjects,
            LoopCounters counters,
            ConflationGroup.Delivery delivery,
            int most) {
        this.turn = turn;
        this.fanOut = fanOut;
        this.subjects = subjects;
        this.counters = counters;
        this.delivery = delivery;
        groupsByPatternMax = most;
    }

    public void reconfigure(int most) {
        groupsByPatternMax = most;
    }

    // ---- by name ----

    /** Returns whether the session has a conflating subscription to this subject by name. */
    public boolean has(Session session, int subject) {
        Share share = share(session, subject);
        return share != null && share.isByName();
    }

    /** Returns the number of the session's conflating subscriptions by name. */
    public int count(Session session) {
        Map<Integer, Share> own = shares.get(session);
        return own == null
                ? 0
                : (int) own.values().stream().filter(Share::isByName).count();
    }

    /** Returns the interval of the session's subscription to this subject by name, or 0. */
    public int millis(Session session, int subject) {
        Share share = share(session, subject);
        return share == null ? 0 : share.wishMillis;
    }

    /** Starts the session's subscription; it becomes a member with {@link #begin}. */
    public void subscribe(Session session, int subject, int millis) {
        Share before = share(session, subject);
        Share share = new Share(millis);
        share.member = before == null ? null : before.member;
        shares.computeIfAbsent(session, s -> new HashMap<>(4)).put(subject, share);
        subjects.addConflating(subject, 1);
    }

    /** Makes the session a member, because it has received the subject's past. */
    public void begin(Session session, int subject) {
        Share share = share(session, subject);
        if (share != null && share.isByName() && share.member == null) {
            share.member = enter(groupOf(subject, share.wishMillis), session, true);
        }
    }

    /** Ends the session's subscription by name. */
    public void unsubscribe(Session session, int subject) {
        remove(session, subject);
        subjects.addConflating(subject, -1);
    }

    /** Returns the subjects that the session conflates by name. */
    public List<Integer> namesOf(Session session) {
        Map<Integer, Share> own = shares.get(session);
        return own == null
                ? List.of()
                : own.keySet().stream().filter(subject -> has(session, subject)).toList();
    }

    // ---- by pattern ----

    /** Makes the session a member by a pattern; returns false if it must receive every message instead. */
    public boolean joinByPattern(Session session, int subject, int millis) {
        Share known = share(session, subject);
        if (known != null && known.member != null) {
            return true;
        }
        if (groupsByPattern >= groupsByPatternMax && find(subject, millis) == null) {
            counters.increment(Counter.CONFLATE_OVERFLOWS);
            return false;
        }
        Share share = known == null ? new Share(0) : known;
        share.member = enter(groupOf(subject, millis), session, false);
        shares.computeIfAbsent(session, s -> new HashMap<>(4)).put(subject, share);
        return true;
    }

    /** Ends memberships by pattern, because these subjects are now delivered in another way or no more. */
    public void leaveByPattern(Session session, IntPredicate which) {
        Map<Integer, Share> own = shares.get(session);
        if (own != null) {
            own.keySet().stream().filter(which::test).toList().forEach(subject -> leaveByPattern(session, subject));
        }
    }

    /** Ends a membership by pattern and delivers the waiting message first, so that it precedes later ones. */
    public void leaveByPattern(Session session, int subject) {
        Share share = share(session, subject);
        if (share != null && share.member != null && !share.member.byName) {
            hurry(session, subject);
            endByPattern(session, subject);
        }
    }

    private void endByPattern(Session session, int subject) {
        Share share = share(session, subject);
        if (share != null && share.member != null && !share.member.byName) {
            if (share.isByName()) {
                leave(share.member);
                share.member = null;
            } else {
                remove(session, subject);
            }
        }
    }

    // ---- messages ----

    /** Returns whether no session is in any group. */
    public boolean isEmpty() {
        return groups.isEmpty();
    }

    /** Passes a live message to the groups of its subject. */
    public void onMessage(int subject, MessageView message) {
        if (groupsAt.at(subject) == 0) {
            return;
        }
        for (ConflationGroup group : List.copyOf(groups.getOrDefault(subject, List.of()))) {
            if (group.isEmpty()) {
                continue;
            }
            boolean began = !group.isResting();
            int replaced = group.offer(message, turn.nowNanos(), delivery);
            if (replaced > 0) {
                counters.conflated(Code.CONFLATE_REQUESTED, replaced);
            }
            if (began && !group.isEmpty()) {
                resting.add(group);
                wakeInTime();
            }
        }
    }

    /** Delivers the session's waiting message of this subject at once. */
    public void hurry(Session session, int subject) {
        Share share = share(session, subject);
        if (share != null && share.member != null) {
            fanOut.begin(turn.nowNanos());
            share.member.group.hurry(share.member, delivery);
        }
    }

    /** Records that the session received the latest message of this subject in another way, perhaps the waiting one. */
    public void given(Session session, int subject, long seq) {
        Share share = share(session, subject);
        if (share != null && share.member != null) {
            share.member.given(seq);
        }
    }

    private void onWake() {
        wakeNanos = NEVER;
        while (!resting.isEmpty() && resting.first().dueNanos() <= turn.nowNanos()) {
            ConflationGroup group = java.util.Objects.requireNonNull(resting.pollFirst());
            fanOut.begin(turn.nowNanos());
            group.onDue(turn.nowNanos(), delivery);
            fanOut.flushIfFull();
            if (group.isResting() && !group.isEmpty()) {
                resting.add(group);
            } else {
                onQuiet(group);
            }
        }
        wakeInTime();
    }

    private void wakeInTime() {
        if (!resting.isEmpty() && resting.first().dueNanos() < wakeNanos) {
            wakeNanos = resting.first().dueNanos();
            turn.after(Math.max(GRANULARITY_NANOS, wakeNanos - turn.nowNanos()), wake);
        }
    }

    /** Handles an interval without a message: members by pattern leave, and join again with the next message. */
    private void onQuiet(ConflationGroup group) {
        for (int i = group.count() - 1; i >= 0; i--) {
            endByPattern(group.at(i).session, group.subject());
        }
    }

    // ---- groups ----

    /** Removes a closed session. */
    public void forget(Session session) {
        Map<Integer, Share> own = shares.get(session);
        if (own != null) {
            List.copyOf(own.keySet()).forEach(subject -> remove(session, subject));
        }
    }

    /** Frees the memory outside the heap. */
    public void release() {
        groups.values().forEach(all -> all.forEach(ConflationGroup::release));
    }

    private @Nullable Share share(Session session, int subject) {
        Map<Integer, Share> own = shares.isEmpty() ? null : shares.get(session);
        return own == null ? null : own.get(subject);
    }

    private void remove(Session session, int subject) {
        Map<Integer, Share> own = shares.get(session);
        Share share = own == null ? null : own.remove(subject);
        if (own != null && own.isEmpty()) {
            shares.remove(session);
        }
        if (share != null && share.member != null) {
            leave(share.member);
        }
    }

    private ConflationGroup.Member enter(ConflationGroup group, Session session, boolean byName) {
        int before = byPatternOnly(group);
        ConflationGroup.Member member = group.add(session, byName);
        groupsByPattern += byPatternOnly(group) - before;
        return member;
    }

    private void leave(ConflationGroup.Member member) {
        ConflationGroup group = member.group;
        int before = byPatternOnly(group);
        group.remove(member);
        groupsByPattern += byPatternOnly(group) - before;
        if (group.isEmpty()) {
            drop(group);
        }
    }

    private static int byPatternOnly(ConflationGroup group) {
        return !group.isEmpty() && group.isByPatternOnly() ? 1 : 0;
    }

    private ConflationGroup groupOf(int subject, int millis) {
        ConflationGroup known = find(subject, millis);
        if (known != null) {
            return known;
        }
        ConflationGroup group = new ConflationGroup(subject, millis, ++lastNumber);
        List<ConflationGroup> all = groups.computeIfAbsent(subject, s -> new ArrayList<>(1));
        all.add(group);
        groupsAt.set(subject, all.size());
        subjects.pin(subject);
        return group;
    }

    private void drop(ConflationGroup group) {
        resting.remove(group);
        group.release();
        int subject = group.subject();
        List<ConflationGroup> all = groups.getOrDefault(subject, List.of());
        all.remove(group);
        if (all.isEmpty()) {
            groups.remove(subject);
        }
        groupsAt.set(subject, all.size());
        subjects.unpin(subject);
    }

    private @Nullable ConflationGroup find(int subject, int millis) {
        for (ConflationGroup group : groups.getOrDefault(subject, List.of())) {
            if (group.intervalMillis() == millis) {
                return group;
            }
        }
        return null;
    }
}
