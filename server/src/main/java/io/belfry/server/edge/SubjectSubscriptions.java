package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import io.belfry.server.broker.Broker;
import io.belfry.server.catchup.SlowSessions;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.Deltas;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.LaneLimits;
import io.belfry.server.handoff.ToHome;
import io.belfry.server.presence.Memberships;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.session.Terms;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Begins and ends subscriptions by name: the session's place in the subject, the request to the subject's home, and the lane's
 * interest. Owner: the lane's loop.
 */
public final class SubjectSubscriptions {
    private final LaneCalls calls;
    private final LaneSubjects subjects;
    private final LaneLimits limits;
    private final Broker broker;
    private final NameSubscriptions names;
    private final EdgePatterns patterns;
    private final Conflation conflation;
    private final Deltas deltas;
    private final SlowSessions slow;
    private final LaneReplies replies;
    private final Memberships memberships;
    private final SubjectKey key;
    private final SubjectKey leaveKey;

    /** Creates the lane's part; {@code seed} is the seed of the subject hashes. */
    public SubjectSubscriptions(
            LaneCalls calls,
            LaneSubjects subjects,
            LaneLimits limits,
            Broker broker,
            NameSubscriptions names,
            EdgePatterns patterns,
            Conflation conflation,
            Deltas deltas,
            SlowSessions slow,
            LaneReplies replies,
            Memberships memberships,
            long seed) {
        this.calls = calls;
        this.subjects = subjects;
        this.limits = limits;
        this.broker = broker;
        this.names = names;
        this.patterns = patterns;
        this.conflation = conflation;
        this.deltas = deltas;
        this.slow = slow;
        this.replies = replies;
        this.memberships = memberships;
        key = new SubjectKey(seed);
        leaveKey = new SubjectKey(seed);
    }

    void join(Session session, long id, byte[] subject, Terms terms) {
        if (!replies.complete(session)) {
            return;
        }
        if (terms.follow() && limits.hasAllSubjects() && subjects.find(key.set(subject)) == SubjectTable.NONE) {
            replies.refuse(session, id, Code.SUBJECTS_FULL, Code.SUBJECTS_FULL.sentence(), subject);
            return;
        }
        if (terms.conflateMillis() > 0 && Subjects.isPresence(subject)) {
            replies.refuse(session, id, Code.BAD_REQUEST, "conflate would lose members of a presence subject", subject);
            return;
        }
        key.set(subject);
        if (terms.follow()) {
            calls.becomeHome(key);
        }
        int known = subjects.findOrAdd(key);
        if (names.has(session, known)) {
            replies.refuse(
                    session, id, Code.ALREADY_SUBSCRIBED, "the session subscribes to this subject already", subject);
            return;
        }
        if (terms.follow()) {
            names.add(session, known, terms.conflateMillis());
            if (terms.delta() && terms.conflateMillis() == 0 && hasDeltas(session)) {
                deltas.subscribe(session, known);
            }
            memberships.onSubscribed(session, known);
        }
        // The session lags in this subject by a pattern: the subscription continues from that place, or messages would
        // be lost.
        CatchUp.Place lagging = patterns.count(session) == 0 ? null : SessionPlaces.at(session, known);
        Position start = lagging == null || terms.from() != null
                ? terms.from()
                : new Position(broker.epoch(), lagging.afterSeq());
        long after = lagging == null ? 0 : lagging.afterSeq();
        CatchUp.Place place = slow.places()
                .beginAt(session, known, after, start == null ? MessageType.HISTORY : MessageType.RECOVERED);
        place.joining(lagging == null);
        request(session, id, place, start, terms);
    }

    private boolean hasDeltas(Session session) {
        return session.isShared() && replies.format(session).hasDeltas();
    }

    /** Requests the join of the subject in the key from its home, now or when other places of the session have been read. */
    private void request(Session session, long id, CatchUp.Place place, @Nullable Position start, Terms terms) {
        ToHome home = calls.home(key);
        if (slow.readingOn().mayRead(session)) {
            place.reading(true);
            home.join(
                    calls.index(),
                    session.reference(),
                    place.ticket(),
                    id,
                    key,
                    start,
                    terms.history(),
                    terms.follow());
            return;
        }
        // Every answer may contain a block of past messages, so a session with many subscriptions is answered a few at
        // a time.
        if (terms.follow()) {
            home.follow(calls.index(), key);
        }
        place.join(new CatchUp.Join(id, start, terms.history()));
        slow.readingOn().onMore(session, place);
    }

    /** Ends a subscription; returns whether the session had it. */
    boolean drop(Session session, byte[] subject) {
        int known = replies.complete(session) ? subjects.find(key.set(subject)) : SubjectTable.NONE;
        if (known == SubjectTable.NONE || !names.has(session, known)) {
            return false;
        }
        leave(session, known);
        // The patterns may have waited for the answer.
        patterns.readOn(session);
        return true;
    }

    /** Ends all subscriptions of a closed session. */
    public void forget(Session session) {
        names.forEach(session, subject -> leave(session, subject));
    }

    /** Reports the session's subscriptions to presence again, because its user or the options of subjects have changed. */
    void renewMemberships(Session session) {
        if (memberships.forget(session) || memberships.isEnabled()) {
            names.forEach(session, subject -> memberships.onSubscribed(session, subject));
        }
    }

    private void leave(Session session, int subject) {
        memberships.onUnsubscribed(session, subject);
        boolean conflating = names.isConflating(session, subject);
        deltas.unsubscribe(session, subject);
        if (conflating && !session.isClosed() && isCovered(session, subject)) {
            // The waiting message goes out before those that the pattern delivers from now on.
            conflation.hurry(session, subject);
        }
        names.remove(session, subject, conflating);
        if (subjects.followers(subject) == 0) {
            leaveKey.set(subjects.table(), subject);
            subjects.pin(subject);
            calls.home(leaveKey).leave(calls.index(), leaveKey);
            subjects.unpin(subject);
        }
        CatchUp.Place place = SessionPlaces.at(session, subject);
        if (place == null) {
            return;
        }
        CatchUp.Join join = place.takeJoin();
        if (join != null) {
            refuseTakenBack(session, join.commandId(), name(subject));
        }
        if (place.isJoining() || !isCovered(session, subject)) {
            slow.places().endAt(session, subject);
        }
    }

    /** Ends the places of subjects that no subscription of the session delivers any more. */
    void endUncovered(Session session) {
        CatchUp catchUp = SessionPlaces.of(session);
        if (catchUp == null) {
            return;
        }
        for (CatchUp.Place place : catchUp.places()) {
            if (!names.has(session, place.subject()) && !isCovered(session, place.subject())) {
                slow.places().endAt(session, place.subject());
            }
        }
    }

    /**
     * Returns whether one of the session's patterns delivers this subject. A pattern whose snapshots are not complete does not:
     * they could be older than the messages at the session's place in the subject.
     */
    private boolean isCovered(Session session, int subject) {
        if (patterns.count(session) == 0) {
            return false;
        }
        leaveKey.set(subjects.table(), subject);
        return patterns.isConfirmed(session, calls.homeOf(leaveKey), leaveKey.copy());
    }

    /** Answers a command whose subscription was ended before its answer arrived; every command with an id is answered. */
    void refuseTakenBack(Session session, long id, byte[] subject) {
        if (isOfClient(id) && session.isShared() && !session.isClosed()) {
            replies.refuse(session, id, Code.NOT_SUBSCRIBED, "unsubscribed before the subscription began", subject);
        }
    }

    /** Returns whether a client waits for an answer with this id. */
    static boolean isOfClient(long id) {
        return id != CommandHandler.NO_ID && id != CommandHandler.SERVER_ID;
    }

    /** Returns why the session cannot subscribe to a subject, or null. */
    @Nullable
    Code refusal(Session session, byte[] subject) {
        int known = subjects.find(key.set(subject));
        if (known == SubjectTable.NONE) {
            return limits.hasAllSubjects() ? Code.SUBJECTS_FULL : null;
        }
        return names.has(session, known) ? Code.ALREADY_SUBSCRIBED : null;
    }

    private byte[] name(int subject) {
        return subjects.table().key(subject);
    }

    /** Adds the names of the session's subjects. */
    void addNames(Session session, List<byte[]> to) {
        names.forEach(session, subject -> to.add(name(subject)));
    }
}
