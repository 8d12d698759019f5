package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Broker;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.edge.EdgeCommands;
import io.belfry.server.edge.EdgeSubscriptions;
import io.belfry.server.edge.UserSessions;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.presence.PresenceList;
import io.belfry.server.presence.PresenceRooms;
import io.belfry.server.session.Commands;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.session.Terms;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.belfry.server.turn.Turn;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Acts on a lane's sessions and subjects for the server API. Owner: the lane's loop. A caller looks at few of them in each turn, so
 * that clients do not wait.
 */
public final class LaneOperator {
    private final Turn turn;
    private final int lane;
    private final SessionTable sessions;
    private final EdgeSubscriptions subscriptions;
    private final UserSessions users;
    private final EdgeCommands commands;
    private final Commands rights;
    private final SessionCloser closer;
    private final LaneReplies replies;
    private final LaneSubjects subjects;
    private final Broker broker;
    private final PresenceRooms rooms;
    private final SubjectKey key;

    LaneOperator(LaneParts parts, long seed) {
        turn = parts.turn;
        lane = parts.calls.index();
        sessions = parts.sessions;
        subscriptions = parts.subscriptions;
        users = parts.users;
        commands = parts.edgeCommands;
        rights = parts.commands;
        closer = parts.ending;
        replies = parts.replies;
        subjects = parts.subjects;
        broker = parts.broker;
        rooms = parts.rooms;
        key = new SubjectKey(seed);
    }

    /** A session: its lane, and its reference there. Immutable. */
    public record Located(int lane, long session) {}

    /** Receives stored messages. */
    public interface MessageReader {
        /** Called for a message; the view is valid during the call only. Returns whether to continue. */
        boolean onMessage(MessageView message);
    }

    /** Returns whether a session belongs to the server itself and has no client. */
    public static boolean isOfServer(Session session) {
        return session.outbound() instanceof ServerSession;
    }

    /** Returns the present time of the clock, to bound work within a turn. */
    public long clockNanos() {
        return turn.clockNanos();
    }

    /** Returns the lane whose part of the directory has this user. */
    public int laneOf(String user) {
        return users.laneOf(user);
    }

    /** Returns the sessions of a user on all lanes; called on the lane of the user. */
    public List<Located> sessionsOf(String user) {
        return users.sessionsOf(user).stream()
                .map(each -> new Located(each.lane(), each.session()))
                .toList();
    }

    /** Returns the session of a reference if it still belongs to the user, else null. */
    public @Nullable Session ofUser(long reference, String user) {
        Session session = sessions.find(reference);
        return session != null && user.equals(session.principal().user()) ? session : null;
    }

    /** Closes a session for a reason that its client receives. */
    public void disconnect(Session session, Code code, String reason) {
        closer.close(session, code, reason);
    }

    /** Closes a session whose token was revoked, or whose permissions were withdrawn otherwise; returns whether it did. */
    public boolean closeWithdrawn(Session session) {
        boolean withdrawn = session.principal().isWithdrawn();
        if (withdrawn) {
            Decision.Denied why = session.principal().withdrawal();
            closer.close(session, why.code(), why.reason());
        }
        return withdrawn;
    }

    /** Returns whether the session subscribes to exactly this subject or pattern. */
    public boolean subscribes(Session session, byte[] subject) {
        return subscriptions.followedBy(session).stream().anyMatch(each -> Arrays.equals(each, subject));
    }

    /**
     * Begins a subscription of a WebSocket session within the permissions of its client, and confirms it to the client, without an id.
     * Returns why the session cannot have the subscription, or null.
     */
    public @Nullable Code subscribe(Session session, byte[] subject) {
        if (session.isDetached()) {
            return Code.CONNECTION_LOST;
        }
        if (!session.isShared() || replies.format(session).isStream()) {
            return Code.UNSUPPORTED;
        }
        if (rights.mayRead(session.principal(), subject) instanceof Decision.Denied denied) {
            return denied.code();
        }
        Code refusal = subscriptions.refusal(session, subject);
        if (refusal == null) {
            commands.subscribe(session, CommandHandler.SERVER_ID, subject, new Terms(null, 0, 0, true));
        }
        return refusal;
    }

    /** Ends a subscription and reports that to the client; returns false if there is none. */
    public boolean unsubscribe(Session session, byte[] subject) {
        boolean had = subscriptions.drop(session, subject);
        if (had) {
            replies.of(session).ended(session, subject, Code.DISCONNECTED);
        }
        return had;
    }

    /** Returns the members of a subject; called on the home of its presence subject. */
    public PresenceList members(byte[] presence) {
        return rooms.list(presence);
    }

    /** Returns the lane that is the home of a subject. */
    public int homeOf(byte[] subject) {
        return subjects.homeOf(key.set(subject));
    }

    /** Returns the id of a subject that this lane knows, or -1. */
    public int find(byte[] subject) {
        int id = subjects.find(key.set(subject));
        return id == SubjectTable.NONE ? -1 : id;
    }

    /** Returns the upper bound of all ids of subjects. */
    public int subjectIds() {
        return subjects.table().idBound();
    }

    /** Returns the subject with this id if this lane is its home, else null. */
    public byte @Nullable [] homed(int id) {
        SubjectTable table = subjects.table();
        return table.has(id) && subjects.homeOf(key.set(table, id)) == lane ? table.key(id) : null;
    }

    /** Returns the number of this lane's sessions that subscribe to a subject by name. */
    public int subscribers(int id) {
        return subjects.followers(id);
    }

    public long epoch() {
        return broker.epoch();
    }

    /** Returns the seq of the latest message of a subject, of which this lane is the home. */
    public long seq(int id) {
        return broker.seq(id);
    }

    /** Returns the seq of the retained message, or -1. */
    public long retainedSeq(int id) {
        return broker.retained().seq(id);
    }

    /** Passes the stored messages of a subject after a seq, oldest first, until the reader stops; those that have ended are omitted. */
    public void history(int id, long afterSeq, int most, MessageReader reader) {
        long now = turn.nowMillis();
        broker.history()
                .read(
                        id,
                        afterSeq,
                        most,
                        new MessageView(),
                        now,
                        message -> message.hasEnded(now) || reader.onMessage(message));
    }
}
