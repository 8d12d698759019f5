package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.Subjects;
import io.belfry.server.broker.Publication;
import io.belfry.server.config.LimitConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.PatternSubscription;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Routing;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.session.Subscriptions;
import io.belfry.server.session.Terms;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.belfry.server.trace.TraceContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a lane that serves its sessions: passes their commands to the subjects' homes, and what homes send to the
 * sessions. Owner: the lane's loop.
 */
final class Edge implements ToEdge, Routing {
    private final Lane lane;
    private final LaneSubjects subjects;
    private final SessionTable sessions;
    private final Subscriptions subscriptions;
    private final LoopCounters counters;
    private LimitConfig limits;
    private final SlowSessions slow;
    private final Rights rights;
    private final SubjectKey key;
    private final SubjectKey leaveKey;
    private final Publication publication = new Publication();
    private final EdgePatterns patterns;
    private final Conflation conflation;
    private final StaleNotices staleNotices;

    Edge(Lane lane, LaneSubjects subjects, SessionTable sessions, LoopCounters counters, LaneSetup setup) {
        this.lane = lane;
        this.subjects = subjects;
        this.sessions = sessions;
        this.counters = counters;
        subscriptions = new Subscriptions(subjects.subscribers(), sessions);
        limits = setup.config().limits();
        slow = new SlowSessions(lane, this, subjects, counters, setup.config().slowConsumer());
        rights = new Rights(lane, this, sessions, counters, setup);
        key = new SubjectKey(setup.seed());
        leaveKey = new SubjectKey(setup.seed());
        conflation = new Conflation(lane, subjects, counters, slow::conflated, conflatedMax());
        patterns = new EdgePatterns(lane, this::follows, conflation, counters);
        staleNotices = new StaleNotices(lane, sessions, session -> held(session) > 0, counters);
    }

    void reconfigure(ServerConfig next, Entitlement nextEntitlement) {
        limits = next.limits();
        slow.reconfigure(next.slowConsumer());
        conflation.reconfigure(conflatedMax());
        rights.reconfigure(nextEntitlement, next.limits().ofAddress());
    }

    private int conflatedMax() {
        return Math.ceilDiv(
                limits.conflatedSubjects(), lane.config().workgroups().ioThreads());
    }

    /** Returns whether the session subscribes to this subject by name. */
    private boolean follows(Session session, int subject) {
        return subscriptions.has(session, subject) || conflation.has(session, subject);
    }

    /** Frees the memory outside the heap. */
    void release() {
        conflation.release();
    }

    Rights rights() {
        return rights;
    }

    Conflation conflation() {
        return conflation;
    }

    StaleNotices staleNotices() {
        return staleNotices;
    }

    SlowSessions slow() {
        return slow;
    }

    void trace(@Nullable TraceContext context) {
        publication.trace(context);
    }

    // ---- commands of sessions ----

    @Override
    public void publish(Session session, SubjectKey subject, PublishRequest request) {
        publication
                .from(lane.index(), session.reference(), request.id(), lane.nowNanos())
                .content(
                        request.buffer(),
                        request.dataOffset(),
                        request.dataLength(),
                        request.msgIdOffset(),
                        request.msgIdLength(),
                        request.retain());
        int home = subjects.homeOf(subject);
        lane.home(home).publish(subject, publication);
        if (lane.isCongested(home)) {
            lane.pause(session);
        }
    }

    @Override
    public void subscribe(Session session, long id, byte[] subject, Terms terms) {
        if (terms.follow() && isFull(session)) {
            refuse(
                    session,
                    id,
                    Code.TOO_MANY_SUBJECTS,
                    "more than Limit.SubjectsPerSession, " + limits.subjectsPerSession(),
                    subject);
            return;
        }
        staleNotices.onSubscribe(session);
        if (Subjects.isPattern(subject)) {
            subscribePattern(session, id, subject, terms.conflateMillis());
        } else {
            join(session, id, subject, terms);
        }
    }

    private void subscribePattern(Session session, long id, byte[] pattern, int conflateMillis) {
        int max = limits.load().patternsPerSession();
        if (max > 0 && patterns.count(session) >= max) {
            refuse(session, id, Code.TOO_MANY_PATTERNS, "more than Limit.PatternsPerSession, " + max, pattern);
        } else if (lane.shares().hasAllPatterns()) {
            refuse(session, id, Code.PATTERNS_FULL, Code.PATTERNS_FULL.sentence(), pattern);
        } else {
            patterns.subscribe(session, id, pattern, conflateMillis);
        }
    }

    /** Returns the number of pattern subscriptions of all the lane's sessions. */
    int patternCount() {
        return patterns.size();
    }

    private boolean isFull(Session session) {
        return limits.subjectsPerSession() > 0 && held(session) >= limits.subjectsPerSession();
    }

    /** Returns the number of the session's subjects and patterns. */
    int held(Session session) {
        return subscriptions.count(session) + conflation.count(session) + patterns.count(session);
    }

    private void join(Session session, long id, byte[] subject, Terms terms) {
        if (terms.follow() && lane.shares().hasAllSubjects() && subjects.find(key.set(subject)) == SubjectTable.NONE) {
            refuse(session, id, Code.SUBJECTS_FULL, Code.SUBJECTS_FULL.sentence(), subject);
            return;
        }
        int known = subjects.findOrAdd(key.set(subject));
        if (follows(session, known)) {
            refuse(session, id, Code.ALREADY_SUBSCRIBED, "the session subscribes to this subject already", subject);
            return;
        }
        if (terms.follow()) {
            follow(session, known, terms.conflateMillis());
        }
        // The session lags in this subject by a pattern: the subscription continues from that place, or messages would
        // be lost.
        CatchUp.Place lagging = patterns.count(session) == 0 ? null : CatchUp.at(session, known);
        Position start = lagging == null || terms.from() != null
                ? terms.from()
                : new Position(lane.broker().epoch(), lagging.afterSeq());
        long after = lagging == null ? 0 : lagging.afterSeq();
        CatchUp.Place place = slow.places()
                .beginAt(session, known, after, start == null ? MessageType.HISTORY : MessageType.RECOVERED);
        place.joining(lagging == null);
        ToHome home = lane.home(subjects.homeOf(key));
        if (slow.readingOn().mayRead(session)) {
            place.reading(true);
            home.join(
                    lane.index(), session.reference(), place.ticket(), id, key, start, terms.history(), terms.follow());
            return;
        }
        // Every answer may contain a block of past messages, so a session with many subscriptions is answered a few at
        // a time.
        if (terms.follow()) {
            home.follow(lane.index(), key);
        }
        place.join(new CatchUp.Join(id, start, terms.history()));
        slow.readingOn().onMore(session, place);
    }

    private void follow(Session session, int subject, int conflateMillis) {
        if (conflateMillis > 0) {
            conflation.subscribe(session, subject, conflateMillis);
        } else {
            subscriptions.add(session, subject);
        }
        counters.increment(Counter.SUBSCRIPTIONS);
    }

    @Override
    public void unsubscribe(Session session, long id, byte[] subject) {
        if (drop(session, subject)) {
            if (id != CommandHandler.NO_ID) {
                repliesOf(session).unsubscribed(session, id, subject);
            }
        } else {
            refuse(session, id, Code.NOT_SUBSCRIBED, "the session does not subscribe to this", subject);
        }
    }

    /** Ends a subscription; returns whether the session had it. */
    boolean drop(Session session, byte[] subject) {
        return Subjects.isPattern(subject) ? unsubscribePattern(session, subject) : unsubscribe(session, subject);
    }

    private boolean unsubscribe(Session session, byte[] subject) {
        int known = subjects.find(key.set(subject));
        if (known == SubjectTable.NONE || !follows(session, known)) {
            return false;
        }
        leave(session, known);
        return true;
    }

    private boolean unsubscribePattern(Session session, byte[] pattern) {
        if (!patterns.unsubscribe(session, pattern)) {
            return false;
        }
        conflation.leaveByPattern(session, subject -> !patterns.conflates(session, subjectName(subject)));
        CatchUp catchUp = CatchUp.of(session);
        if (catchUp != null) {
            for (CatchUp.Place place : catchUp.places()) {
                if (!follows(session, place.subject()) && !isCovered(session, place.subject())) {
                    slow.places().endAt(session, place.subject());
                }
            }
        }
        return true;
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
        return patterns.isConfirmed(session, subjects.homeOf(leaveKey), leaveKey.copy());
    }

    private byte[] subjectName(int subject) {
        return subjects.table().key(subject);
    }

    private void leave(Session session, int subject) {
        if (conflation.has(session, subject)) {
            leaveConflation(session, subject);
        } else {
            subscriptions.remove(session, subject);
        }
        counters.add(Counter.SUBSCRIPTIONS, -1);
        if (subjects.followers(subject) == 0) {
            leaveKey.set(subjects.table(), subject);
            subjects.pin(subject);
            lane.home(subjects.homeOf(leaveKey)).leave(lane.index(), leaveKey);
            subjects.unpin(subject);
        }
        CatchUp.Place place = CatchUp.at(session, subject);
        if (place == null) {
            return;
        }
        CatchUp.Join join = place.takeJoin();
        if (join != null) {
            refuseTakenBack(session, join.commandId(), subjectName(subject));
        }
        if (place.isJoining() || !isCovered(session, subject)) {
            slow.places().endAt(session, subject);
        }
    }

    /** Answers a command whose subscription was ended before its answer arrived; every command with an id is answered. */
    private void refuseTakenBack(Session session, long id, byte[] subject) {
        if (id != CommandHandler.NO_ID && session.isShared() && !session.isClosed()) {
            refuse(session, id, Code.NOT_SUBSCRIBED, "unsubscribed before the subscription began", subject);
        }
    }

    private void leaveConflation(Session session, int subject) {
        if (!session.isClosed() && isCovered(session, subject)) {
            // The waiting message goes out before those that the pattern delivers from now on.
            conflation.hurry(session, subject);
        }
        conflation.unsubscribe(session, subject);
    }

    @Override
    public void watch(Session session, long id, byte[] subject) {
        List<byte[]> watched = session.extrasCreated().watched();
        if (limits.subjectsPerSession() > 0 && watched.size() >= limits.subjectsPerSession()) {
            refuse(
                    session,
                    id,
                    Code.TOO_MANY_SUBJECTS,
                    "more than Limit.SubjectsPerSession, " + limits.subjectsPerSession(),
                    subject);
            return;
        }
        if (watched.stream().noneMatch(each -> java.util.Arrays.equals(each, subject))) {
            watched.add(subject);
        }
        key.set(subject);
        lane.home(subjects.homeOf(key)).watch(lane.index(), session.reference(), id, key);
    }

    @Override
    public void unwatch(Session session, long id, byte[] subject) {
        session.extrasCreated().watched().removeIf(watched -> java.util.Arrays.equals(watched, subject));
        key.set(subject);
        lane.home(subjects.homeOf(key)).unwatch(lane.index(), session.reference(), key);
        if (id != CommandHandler.NO_ID) {
            repliesOf(session).unwatched(session, id, subject);
        }
    }

    @Override
    public void authenticate(Session session, long id, @Nullable String token, long pingMillis) {
        rights.authenticate(session, id, token, pingMillis);
    }

    /** Returns the session's patterns and subjects; patterns first, because a pattern may deliver what a subject did. */
    List<byte[]> followedBy(Session session) {
        List<byte[]> subjects = new ArrayList<>(patterns.of(session));
        subscriptions.forEach(session, subject -> subjects.add(subjectName(subject)));
        conflation.namesOf(session).forEach(subject -> subjects.add(subjectName(subject)));
        return subjects;
    }

    static List<byte[]> watchedBy(Session session) {
        return session.extras() == null
                ? List.of()
                : List.copyOf(session.extras().watched());
    }

    void refuse(Session session, long id, Code code, String reason, byte @Nullable [] subject) {
        refuse(session, id, code, reason, subject, 0);
    }

    void refuse(Session session, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        counters.refused(code);
        repliesOf(session).error(session, id, code, reason, subject, afterMillis);
    }

    @Override
    public Replies repliesOf(Session session) {
        return lane.repliesOf(session);
    }

    @Override
    public long nowNanos() {
        return lane.nowNanos();
    }

    @Override
    public long nowMillis() {
        return lane.nowMillis();
    }

    // ---- messages from homes ----

    @Override
    public void deliver(int home, SubjectKey subject, MessageView message, long receivedNanos) {
        int known = subjects.find(subject);
        if (known != SubjectTable.NONE || !patterns.isEmpty()) {
            deliver(home, known, subject, message, receivedNanos);
        }
    }

    /** Delivers a message. {@code known} is the subject's id on this lane, or none if nobody here subscribes to it by name. */
    void deliver(int home, int known, SubjectKey subject, MessageView message, long receivedNanos) {
        FanOut fanOut = lane.fanOut();
        fanOut.begin(receivedNanos);
        if (!patterns.isEmpty()) {
            deliverWithPatterns(home, subject, message, fanOut);
        } else if (known != SubjectTable.NONE) {
            fanOut.deliver(known, message);
            if (!conflation.isEmpty()) {
                conflation.onMessage(known, message);
            }
        }
        if (fanOut.isFull()) {
            fanOut.flush();
        }
    }

    private void deliverWithPatterns(int home, SubjectKey subject, MessageView message, FanOut fanOut) {
        int known = subjects.findOrAdd(subject);
        // A subscriber by name may be closed as slow, and the subject forgotten, before the patterns are served.
        subjects.pin(known);
        try {
            fanOut.deliver(known, message);
            slow.deliveringByPattern(true);
            patterns.deliver(home, known, subject, message, fanOut);
            conflation.onMessage(known, message);
        } finally {
            slow.deliveringByPattern(false);
            subjects.unpin(known);
        }
    }

    @Override
    public void published(long reference, long commandId, long epoch, long seq) {
        Session session = sessions.find(reference);
        if (session != null) {
            repliesOf(session).published(session, commandId, epoch, seq);
        }
    }

    @Override
    public void refused(long reference, long commandId, Code code, String reason, SubjectKey subject) {
        counters.increment(Counter.PUBLISHES_REFUSED);
        Session session = reference == Publication.NO_SESSION ? null : sessions.find(reference);
        if (session != null) {
            refuse(session, commandId, code, reason, subject.copy());
        } else {
            counters.refused(code);
        }
    }

    @Override
    public void joined(long reference, int ticket, long commandId, SubjectKey subject, Position at, Recovery recovery) {
        Session session = sessions.find(reference);
        if (session == null) {
            return;
        }
        CatchUp.Place place = placeOf(session, ticket, subject);
        if (place != null) {
            // A waiting message of a pattern precedes the position that the client receives now.
            conflation.leaveByPattern(session, place.subject());
            place.joining(false);
            int conflateMillis = conflation.millis(session, place.subject());
            repliesOf(session).subscribed(session, commandId, subject.copy(), at, recovery, conflateMillis);
        } else {
            refuseTakenBack(session, commandId, subject.copy());
        }
    }

    @Override
    public void gap(long reference, int ticket, SubjectKey subject, @Nullable Position from, Position to, Code reason) {
        Session session = sessions.find(reference);
        CatchUp.Place place = session == null ? null : placeOf(session, ticket, subject);
        if (session == null || place == null) {
            return;
        }
        slow.readingOn().onGap(session, place, subject, from, to, reason);
    }

    @Override
    public void message(long reference, int ticket, SubjectKey subject, MessageView message) {
        Session session = sessions.find(reference);
        CatchUp.Place place = session == null ? null : placeOf(session, ticket, subject);
        if (session != null && place != null) {
            repliesOf(session).message(session, message);
            if (message.type() != MessageType.SNAPSHOT) {
                place.advance(message.seq());
            }
            if (message.type() == MessageType.LIVE) {
                CatchUp.created(session).onRead(place, message.dataLength() + SlowSessions.MESSAGE_BYTES);
            }
        }
    }

    @Override
    public void readDone(long reference, int ticket, SubjectKey subject, long seq, boolean more) {
        Session session = sessions.find(reference);
        CatchUp.Place place = session == null ? null : placeOf(session, ticket, subject);
        if (session == null || place == null) {
            return;
        }
        place.advance(seq);
        place.reading(false);
        if (more) {
            slow.readingOn().onMore(session, place);
            // The messages read go out first. Whether the socket takes them decides whether to continue now or when it
            // is
            // writable.
            lane.fanOut().flush();
        } else {
            slow.places().endAt(session, place.subject());
            conflation.begin(session, place.subject());
            repliesOf(session).caughtUp(session, subject.copy());
        }
        slow.readingOn().readInTurn(session);
    }

    @Nullable
    Session find(long reference) {
        return sessions.find(reference);
    }

    private CatchUp.@Nullable Place placeOf(Session session, int ticket, SubjectKey subject) {
        int known = subjects.find(subject);
        CatchUp.Place place = known == SubjectTable.NONE ? null : CatchUp.at(session, known);
        return place != null && place.ticket() == ticket ? place : null;
    }

    @Override
    public void patternSnapshot(int home, long reference, int ticket, byte[] pattern, MessageView message) {
        Session session = sessions.find(reference);
        PatternSubscription subscription = session == null ? null : patterns.find(session, pattern, ticket);
        if (session != null && subscription != null && !hasAlready(session, home, message)) {
            subscription.onSnapshot(message.subjectLength() + message.dataLength());
            repliesOf(session).message(session, message);
        }
    }

    /** Returns whether the session has the subject's retained message, or a newer one, by another subscription. */
    private boolean hasAlready(Session session, int home, MessageView message) {
        key.set(message.subject(), message.subjectOffset(), message.subjectLength());
        int known = subjects.find(key);
        return (known != SubjectTable.NONE && follows(session, known))
                || patterns.isConfirmed(session, home, key.copy());
    }

    @Override
    public void patternRead(int home, long reference, int ticket, byte[] pattern, long cursor) {
        Session session = sessions.find(reference);
        PatternSubscription subscription = session == null ? null : patterns.find(session, pattern, ticket);
        if (session == null || subscription == null) {
            return;
        }
        patterns.onRead(subscription, cursor);
        if (subscription.isConfirmedBy(home) && !conflation.isEmpty()) {
            // The pattern delivers each message from now on, so the waiting message goes out before.
            conflation.leaveByPattern(session, subject -> patterns.bringsAll(session, home, subjectName(subject)));
        }
        // As with history: the messages read go out first, and whether the socket takes them decides when to continue.
        if (subscription.pieceBytes() >= Home.READ_BYTES / 2) {
            subscription.onWritten();
            lane.fanOut().flush();
        }
        patterns.readOn(session);
    }

    /** Called when the session's socket is writable again. */
    void onReady(Session session) {
        patterns.readOn(session);
    }

    @Override
    public void interest(long reference, long commandId, SubjectKey subject, boolean subscribers) {
        Session session = sessions.find(reference);
        if (session == null) {
            return;
        }
        if (commandId != CommandHandler.NO_ID) {
            repliesOf(session).watched(session, commandId, subject.copy(), subscribers);
        } else {
            repliesOf(session).interest(session, subject.copy(), subscribers);
        }
    }

    // ---- end of a session ----

    @Override
    public void close(Session session, Code code, String reason) {
        if (!session.isClosed()) {
            if (code != Code.INTERNAL) {
                lane.fanOut().stagePending(session);
            }
            session.outbound().close(code, reason);
            end(session, code);
        }
    }

    /** Removes everything about a session; the caller closes its connection. */
    void end(Session session, Code code) {
        if (session.isClosed()) {
            return;
        }
        session.onClosed();
        counters.closed(code);
        counters.increment(Counter.SESSIONS_CLOSED);
        lane.fanOut().forget(session);
        subscriptions.forEach(session, subject -> leave(session, subject));
        conflation.namesOf(session).forEach(subject -> leave(session, subject));
        conflation.forget(session);
        patterns.leaveAll(session);
        CatchUp catchUp = CatchUp.of(session);
        if (catchUp != null) {
            catchUp.places().forEach(place -> slow.places().endAt(session, place.subject()));
        }
        slow.onEnded(session);
        rights.forget(session);
        lane.keepAlive().forget(session);
        staleNotices.forget(session);
        watchedBy(session).forEach(subject -> unwatch(session, CommandHandler.NO_ID, subject));
        sessions.remove(session);
    }
}
