package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Session;
import io.belfry.server.subject.IntColumn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of a lane's sessions that want of a subject at most one message in so many milliseconds, the latest.
 * Owner: the lane's loop.
 *
 * <p>They do not stand in the subject's list of subscribers but in a group for each subject and interval. So a message
 * costs as much as its subject has groups, however many sessions are in them, and an interval's end one fan-out. A pattern's
 * sessions join a group when a matching message comes, and leave it with the first interval in which none does.
 */
final class Conflation {
    /** Moments that lie closer together are woken for once. */
    private static final long GRANULARITY_NANOS = 1_000_000;

    private static final long NEVER = Long.MAX_VALUE;

    /** What a session conflates: by name its wish, and where it takes part, its stay in a group. While the subscription by
     * name is on its way that may be by a pattern still. */
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

    private final Lane lane;
    private final LaneSubjects subjects;
    private final LoopCounters counters;
    private final ConflationGroup.Delivery delivery;
    private final Map<Session, Map<Integer, Share>> shares = new HashMap<>();
    private final Map<Integer, List<ConflationGroup>> groups = new HashMap<>();

    /** How many groups a subject has, so that most messages need no look into the map. */
    private final IntColumn groupsAt = new IntColumn();

    private final TreeSet<ConflationGroup> resting = new TreeSet<>(
            Comparator.comparingLong(ConflationGroup::dueNanos).thenComparingLong(ConflationGroup::number));
    private final Runnable wake = this::onWake;
    private long wakeNanos = NEVER;
    private long lastNumber;
    private int groupsByPattern;
    private int groupsByPatternMax;

    Conflation(Lane lane, LaneSubjects subjects, LoopCounters counters, ConflationGroup.Delivery delivery, int most) {
        this.lane = lane;
        this.subjects = subjects;
        this.counters = counters;
        this.delivery = delivery;
        groupsByPatternMax = most;
    }

    void reconfigure(int most) {
        groupsByPatternMax = most;
    }

    // ---- by name ----

    boolean has(Session session, int subject) {
        Share share = share(session, subject);
        return share != null && share.isByName();
    }

    int count(Session session) {
        Map<Integer, Share> own = shares.get(session);
        return own == null
                ? 0
                : (int) own.values().stream().filter(Share::isByName).count();
    }

    /** The interval of the session's subscription to this subject's name, or 0. */
    int millis(Session session, int subject) {
        Share share = share(session, subject);
        return share == null ? 0 : share.wishMillis;
    }

    /** From now on the session follows the subject; it takes part from {@link #begin} on. */
    void subscribe(Session session, int subject, int millis) {
        Share before = share(session, subject);
        Share share = new Share(millis);
        share.member = before == null ? null : before.member;
        shares.computeIfAbsent(session, s -> new HashMap<>(4)).put(subject, share);
        subjects.addConflating(subject, 1);
    }

    /** The session has the subject's past, and conflates what comes. */
    void begin(Session session, int subject) {
        Share share = share(session, subject);
        if (share != null && share.isByName() && share.member == null) {
            share.member = enter(groupOf(subject, share.wishMillis), session, true);
        }
    }

    void unsubscribe(Session session, int subject) {
        remove(session, subject);
        subjects.addConflating(subject, -1);
    }

    List<Integer> namesOf(Session session) {
        Map<Integer, Share> own = shares.get(session);
        return own == null
                ? List.of()
                : own.keySet().stream().filter(subject -> has(session, subject)).toList();
    }

    // ---- by pattern ----

    /** The session wants this subject by a pattern only; answers false where it must take each message as it comes. */
    boolean joinByPattern(Session session, int subject, int millis) {
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

    /** What a pattern brought of these subjects comes in another way from now on, or not at all. */
    void leaveByPattern(Session session, IntPredicate which) {
        Map<Integer, Share> own = shares.get(session);
        if (own != null) {
            own.keySet().stream().filter(which::test).toList().forEach(subject -> leaveByPattern(session, subject));
        }
    }

    /** What waits goes out first, so that it is not behind what comes in another way. */
    void leaveByPattern(Session session, int subject) {
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

    /** No session takes part in any group. */
    boolean isEmpty() {
        return groups.isEmpty();
    }

    void onMessage(int subject, MessageView message) {
        if (groupsAt.at(subject) == 0) {
            return;
        }
        for (ConflationGroup group : List.copyOf(groups.getOrDefault(subject, List.of()))) {
            if (group.isEmpty()) {
                continue;
            }
            boolean began = !group.isResting();
            int replaced = group.offer(message, lane.nowNanos(), delivery);
            if (replaced > 0) {
                counters.conflated(Code.CONFLATE_REQUESTED, replaced);
            }
            if (began && !group.isEmpty()) {
                resting.add(group);
                wakeInTime();
            }
        }
    }

    /** The session gets what waits for it of this subject now. */
    void hurry(Session session, int subject) {
        Share share = share(session, subject);
        if (share != null && share.member != null) {
            lane.fanOut().begin(lane.nowNanos());
            share.member.group.hurry(share.member, delivery);
        }
    }

    /** The session was given the latest that was kept of this subject, which may be what waits here for it. */
    void given(Session session, int subject, long seq) {
        Share share = share(session, subject);
        if (share != null && share.member != null) {
            share.member.given(seq);
        }
    }

    private void onWake() {
        wakeNanos = NEVER;
        while (!resting.isEmpty() && resting.first().dueNanos() <= lane.nowNanos()) {
            ConflationGroup group = java.util.Objects.requireNonNull(resting.pollFirst());
            lane.fanOut().begin(lane.nowNanos());
            group.onDue(lane.nowNanos(), delivery);
            if (lane.fanOut().isFull()) {
                lane.fanOut().flush();
            }
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
            lane.after(Math.max(GRANULARITY_NANOS, wakeNanos - lane.nowNanos()), wake);
        }
    }

    /** An interval without a message: who is here by a pattern joins again with the next. */
    private void onQuiet(ConflationGroup group) {
        for (int i = group.count() - 1; i >= 0; i--) {
            endByPattern(group.at(i).session, group.subject());
        }
    }

    // ---- groups ----

    /** The session is no more. */
    void forget(Session session) {
        Map<Integer, Share> own = shares.get(session);
        if (own != null) {
            List.copyOf(own.keySet()).forEach(subject -> remove(session, subject));
        }
    }

    /** Gives back what lies off the heap. */
    void release() {
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
