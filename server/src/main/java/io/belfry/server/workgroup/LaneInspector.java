package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Broker;
import io.belfry.server.catchup.Places;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.edge.EdgeSubscriptions;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.session.SessionTable;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.belfry.server.turn.Turn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shows a lane's sessions and subjects to the console. Owner: the lane's loop, except for {@link #run} and {@link
 * #nextTurn}. A caller looks at few of them in each turn, so that clients do not wait.
 */
public final class LaneInspector {
    private final Turn turn;
    private final int lane;
    private final SessionTable sessions;
    private final EdgeSubscriptions subscriptions;
    private final SessionCloser closer;
    private final LaneSubjects subjects;
    private final Broker broker;
    private final NodeFacts facts;
    private final LaneReplies replies;
    private final SubjectKey key;

    LaneInspector(LaneParts parts, NodeFacts facts, long seed) {
        turn = parts.turn;
        lane = parts.calls.index();
        sessions = parts.sessions;
        subscriptions = parts.subscriptions;
        closer = parts.ending;
        subjects = parts.subjects;
        broker = parts.broker;
        replies = parts.replies;
        this.facts = facts;
        key = new SubjectKey(seed);
    }

    /** A session as the console lists it; the user is null for an anonymous client. Immutable. */
    public record SessionRow(
            String session,
            @Nullable String user,
            String address,
            int lane,
            String format,
            String state,
            int subscriptions,
            int queuedBytes,
            long behindMessages,
            long behindBytes) {}

    /**
     * A subscription of a session. Immutable.
     *
     * @param position position up to which a lagging session has read; null where it has everything, and for patterns
     */
    public record SubscriptionRow(
            String subject, boolean pattern, @Nullable String position, long behind) {}

    /**
     * A subject as this lane sees it. Immutable.
     *
     * @param home whether this lane orders its messages; otherwise only the subscribers are known
     * @param latestBytes size of the latest stored message
     */
    public record SubjectRow(String subject, boolean home, long seq, int latestBytes, int subscribers) {}

    /** The stored messages of a subject. Immutable; without messages {@code oldestMillis} is 0. */
    public record HistoryRow(long messages, long bytes, long oldestMillis) {}

    public int lane() {
        return lane;
    }

    /** Runs the task on the loop. Any thread. */
    public void run(Runnable task) {
        turn.later(task);
    }

    /** Runs the task in a later turn, after the input of clients. Any thread. */
    public void nextTurn(Runnable task) {
        turn.next(task);
    }

    /** Returns the upper bound of all slots. */
    public int slots() {
        return sessions.bound();
    }

    public @Nullable Session session(int slot) {
        return slot < sessions.bound() ? sessions.at(slot) : null;
    }

    /** Returns the session with this name, or null. */
    public @Nullable Session named(String name) {
        String[] parts = name.split("-", -1);
        try {
            int slot = Integer.parseInt(parts[Math.max(0, parts.length - 2)], 16);
            Session found = slot < 0 ? null : session(slot);
            return found != null && nameOf(found).equals(name) ? found : null;
        } catch (NumberFormatException notAName) {
            return null;
        }
    }

    public String nameOf(Session session) {
        return facts.sessionName(lane, session);
    }

    public String addressOf(Session session) {
        return session.outbound().address().text();
    }

    /** Returns the name of the session's user, or null for an anonymous client. */
    public @Nullable String userOf(Session session) {
        return session.principal().user();
    }

    /** Returns the bytes that the session has not received. */
    public long behindBytes(Session session) {
        return Places.behindBytes(session);
    }

    public int subscriptions(Session session) {
        return subscriptions.held(session);
    }

    public SessionRow row(Session session) {
        CatchUp catchUp = SessionPlaces.of(session);
        boolean slow = !session.isReady() || (catchUp != null && catchUp.behindMessages() > 0);
        String state = "ready";
        if (session.isDetached()) {
            state = "detached";
        } else if (slow) {
            state = text(Places.state(session, catchUp));
        }
        return new SessionRow(
                nameOf(session),
                userOf(session),
                addressOf(session),
                lane,
                session.isShared() ? replies.format(session).text() : "http",
                state,
                subscriptions(session),
                session.queuedBytes(),
                catchUp == null ? 0 : catchUp.behindMessages(),
                catchUp == null ? 0 : catchUp.behindBytes());
    }

    private static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the session's patterns and subjects, at most this many. */
    public List<SubscriptionRow> subscriptionsOf(Session session, int most) {
        List<SubscriptionRow> rows = new ArrayList<>();
        for (byte[] subject : subscriptions.followedBy(session)) {
            if (rows.size() == most) {
                break;
            }
            String name = new String(subject, StandardCharsets.UTF_8);
            boolean pattern = name.indexOf('*') >= 0;
            CatchUp.Place place = pattern || !session.isCatchingUp()
                    ? null
                    : SessionPlaces.at(session, subjects.find(key.set(subject)));
            rows.add(new SubscriptionRow(
                    name,
                    pattern,
                    place == null ? null : broker.epoch() + ":" + place.afterSeq(),
                    place == null ? 0 : Math.max(0, place.missedSeq() - place.afterSeq())));
        }
        return rows;
    }

    public void disconnect(Session session) {
        turn.begin();
        closer.close(session, Code.DRAIN, "disconnected by an operator");
    }

    /** Returns the upper bound of all ids of subjects. */
    public int subjectIds() {
        return subjects.table().idBound();
    }

    /** Returns the subject with this id, if there is one. */
    public Optional<SubjectRow> subject(int id, MessageView view) {
        SubjectTable table = subjects.table();
        if (!table.has(id)) {
            return Optional.empty();
        }
        boolean home = subjects.homeOf(key.set(table, id)) == lane;
        long seq = home ? broker.seq(id) : 0;
        int[] bytes = new int[1];
        if (home && !broker.history().isEmpty(id)) {
            broker.history().read(id, seq - 1, 1, view, turn.nowMillis(), message -> {
                bytes[0] = message.contentLength();
                return false;
            });
        }
        return Optional.of(new SubjectRow(
                new String(table.key(id), StandardCharsets.UTF_8), home, seq, bytes[0], subjects.followers(id)));
    }

    /** Returns what is stored of a subject; empty where this lane is not its home. */
    public Optional<HistoryRow> history(String subject, MessageView view) {
        byte[] name = subject.getBytes(StandardCharsets.UTF_8);
        int id = subjects.find(key.set(name));
        if (id == SubjectTable.NONE || subjects.homeOf(key.set(name)) != lane) {
            return Optional.empty();
        }
        long[] sums = new long[3];
        broker.history().read(id, 0, Integer.MAX_VALUE, view, turn.nowMillis(), message -> {
            sums[0]++;
            sums[1] += message.contentLength();
            sums[2] = sums[0] == 1 ? message.timeMillis() : sums[2];
            return true;
        });
        return Optional.of(new HistoryRow(sums[0], sums[1], sums[2]));
    }
}
