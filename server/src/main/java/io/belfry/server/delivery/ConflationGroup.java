package io.belfry.server.delivery;

import io.belfry.protocol.MessageView;
import io.belfry.server.session.Session;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a lane that conflate one subject at one interval, and the message that waits for the interval's end.
 * Owner: the lane's loop.
 *
 * <p>A message after an idle interval is sent at once and starts an interval. Later ones replace each other, and the
 * last is sent at the interval's end. A session that joins meanwhile has already received what was published before, so the
 * waiting message is not for it.
 */
public final class ConflationGroup {
    /** One session's membership in the group. */
    static final class Member {
        final Session session;
        final ConflationGroup group;
        final boolean byName;
        private final long joined;
        private long given;
        private int index;

        Member(Session session, ConflationGroup group, boolean byName, int index) {
            this.session = session;
            this.group = group;
            this.byName = byName;
            this.joined = group.held;
            this.index = index;
        }

        /** Returns whether the waiting message is for this session too. */
        boolean awaits() {
            return group.waiting && joined < group.held;
        }

        /** Records that the session received this message in another way, because it caught up with the latest one. */
        void given(long seq) {
            given = seq;
        }
    }

    /** Delivers a message to one of the group's sessions. */
    public interface Delivery {
        void deliver(Session session, int subject, MessageView message);
    }

    private static final int INITIAL = 4;

    private final int subject;
    private final int intervalMillis;
    private final long number;
    private @Nullable Member[] members = new Member[INITIAL];
    private int count;
    private int named;
    private int awaiting;
    private @Nullable HeldMessage message;
    private boolean waiting;
    private boolean resting;
    private long held;
    private long dueNanos;

    /** Creates a group; the number orders groups with equal deadlines. */
    ConflationGroup(int subject, int intervalMillis, long number) {
        this.subject = subject;
        this.intervalMillis = intervalMillis;
        this.number = number;
    }

    int subject() {
        return subject;
    }

    int intervalMillis() {
        return intervalMillis;
    }

    long number() {
        return number;
    }

    long dueNanos() {
        return dueNanos;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Returns whether all members are members by pattern, so that the group ends when its subject has no messages. */
    boolean isByPatternOnly() {
        return named == 0;
    }

    boolean isResting() {
        return resting;
    }

    Member add(Session session, boolean byName) {
        if (count == members.length) {
            members = Arrays.copyOf(members, count * 2);
        }
        Member member = new Member(session, this, byName, count);
        members[count++] = member;
        named += byName ? 1 : 0;
        return member;
    }

    /** Removes a member; the last member takes its place. */
    void remove(Member member) {
        awaiting -= member.awaits() ? 1 : 0;
        named -= member.byName ? 1 : 0;
        Member last = at(--count);
        members[member.index] = last;
        last.index = member.index;
        members[count] = null;
    }

    /** Returns the member at this index; members may leave during an iteration from the end. */
    Member at(int index) {
        return java.util.Objects.requireNonNull(members[index]);
    }

    int count() {
        return count;
    }

    /** Offers a message and returns the number of sessions for which it replaced a waiting one. The first after an idle interval is sent. */
    int offer(MessageView next, long nowNanos, Delivery delivery) {
        if (!resting) {
            beginInterval(nowNanos);
            for (int i = count - 1; i >= 0; i--) {
                delivery.deliver(at(i).session, subject, next);
            }
            return 0;
        }
        int replaced = waiting ? awaiting : 0;
        hold(next);
        return replaced;
    }

    private void hold(MessageView next) {
        if (message == null) {
            message = new HeldMessage(next);
        } else {
            message.set(next);
        }
        waiting = true;
        held++;
        awaiting = count;
    }

    private void beginInterval(long nowNanos) {
        resting = true;
        dueNanos = nowNanos + intervalMillis * 1_000_000L;
    }

    /** Ends the interval: sends the waiting message and starts the next interval, or makes the group idle. */
    void onDue(long nowNanos, Delivery delivery) {
        resting = false;
        if (waiting) {
            beginInterval(nowNanos);
            for (int i = count - 1; i >= 0; i--) {
                hurry(at(i), delivery);
            }
            waiting = false;
        } else {
            release();
        }
    }

    /** Sends the waiting message to this member at once, if it is for it. */
    void hurry(Member member, Delivery delivery) {
        if (member.awaits() && message != null && message.seq() > member.given) {
            delivery.deliver(member.session, subject, message.view());
        }
    }

    void release() {
        waiting = false;
        if (message != null) {
            message.release();
            message = null;
        }
    }
}
