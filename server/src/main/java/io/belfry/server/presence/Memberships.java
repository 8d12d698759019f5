package io.belfry.server.presence;

import io.belfry.protocol.Subjects;
import io.belfry.server.broker.MemberReports;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.handoff.Peers;
import io.belfry.server.session.Session;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The subjects in which the sessions of a lane are members: subscriptions by name, of sessions with a user, to subjects with the
 * option {@code presence}. Reports them to the lanes of the presence subjects, in a cluster to those of all nodes. Owner: the
 * lane's loop.
 */
public final class Memberships {
    /** The initial capacity of a set: most sessions are members of one subject, and the default takes 56 bytes more. */
    private static final int SUBJECTS_EXPECTED = 2;

    /** The user and the info under which a session was reported, and the ids of its subjects. The subjects stay in the lane's table meanwhile. */
    private record Membership(String user, @Nullable String info, Set<Integer> subjects) {}

    private final LaneCalls calls;
    private final LaneSubjects subjects;
    private final LaneOptions options;
    private final SubjectKey key;
    private final Map<Session, Membership> memberships = new HashMap<>();
    private final @Nullable MemberReports reports;
    private Peers<PresenceRooms> peers = (lane, task) -> {};

    /** Creates the lane's part; {@code reports} gets the members in a cluster, null on a single node. */
    public Memberships(
            LaneCalls calls,
            LaneSubjects subjects,
            LaneOptions options,
            SubjectKey key,
            @Nullable MemberReports reports) {
        this.calls = calls;
        this.subjects = subjects;
        this.options = options;
        this.key = key;
        this.reports = reports;
    }

    /** Connects the lanes with each other, before the first session. The tasks run after the present call, also on this lane. */
    public void connect(Peers<PresenceRooms> all) {
        peers = all;
    }

    /** Called when a session has subscribed to a subject by name. */
    public void onSubscribed(Session session, int subject) {
        if (options.showsMembers()
                && !session.isDetached()
                && options.of(subject).presence()) {
            enter(session, subject);
        }
    }

    private void enter(Session session, int subject) {
        String user = session.principal().user();
        byte[] presence = user == null ? null : presenceOf(subject);
        if (user == null || presence == null) {
            return;
        }
        Membership membership = memberships.computeIfAbsent(
                session, added -> new Membership(user, added.principal().info(), new HashSet<>(SUBJECTS_EXPECTED)));
        if (membership.subjects().add(subject)) {
            String name = membership.user();
            String info = membership.info();
            if (reports != null) {
                reports.enter(presence, name, info);
            } else {
                peers.run(homeOf(presence), rooms -> rooms.enter(presence, name, info));
            }
        }
    }

    /** Called before a subscription by name ends. */
    public void onUnsubscribed(Session session, int subject) {
        Membership membership = memberships.isEmpty() ? null : memberships.get(session);
        if (membership != null && membership.subjects().remove(subject)) {
            leave(membership, subject);
            if (membership.subjects().isEmpty()) {
                memberships.remove(session);
            }
        }
    }

    /** Returns whether any subject has presence, or a session is still a member of one. */
    public boolean isEnabled() {
        return options.showsMembers() || !memberships.isEmpty();
    }

    /** Ends the memberships of a session that lost its connection; returns whether it had any. */
    public boolean forget(Session session) {
        Membership membership = memberships.isEmpty() ? null : memberships.remove(session);
        if (membership != null) {
            membership.subjects().forEach(subject -> leave(membership, subject));
        }
        return membership != null;
    }

    private void leave(Membership membership, int subject) {
        byte[] presence = presenceOf(subject);
        if (presence != null) {
            String user = membership.user();
            if (reports != null) {
                reports.leave(presence, user);
            } else {
                peers.run(homeOf(presence), rooms -> rooms.leave(presence, user));
            }
        }
    }

    /** Returns the presence subject of a subject, or null if it has none. */
    private byte @Nullable [] presenceOf(int subject) {
        return Subjects.presenceOf(subjects.table().key(subject));
    }

    private int homeOf(byte[] presence) {
        return calls.homeOf(key.set(presence));
    }
}
