package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.broker.Publication;
import io.belfry.server.catchup.SlowSessions;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.Deltas;
import io.belfry.server.delivery.FanOut;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.handoff.CatchUpBounds;
import io.belfry.server.handoff.LocalEdge;
import io.belfry.server.handoff.ToEdge;
import io.belfry.server.handoff.ToHome;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.PatternSubscription;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.session.SessionTable;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import org.jspecify.annotations.Nullable;

/** Passes what homes send to the sessions of a lane: live messages, past messages and answers. Owner: the lane's loop. */
public final class Edge implements ToEdge, LocalEdge {
    private final LaneSubjects subjects;
    private final SessionTable sessions;
    private final SubjectSubscriptions bySubject;
    private final NameSubscriptions names;
    private final EdgePatterns patterns;
    private final Conflation conflation;
    private final FanOut fanOut;
    private final Deltas deltas;
    private final SlowSessions slow;
    private final LaneReplies replies;
    private final LoopCounters counters;
    private final SubjectKey key;

    /** Creates the lane's part; {@code seed} is the seed of the subject hashes. */
    public Edge(
            LaneSubjects subjects,
            SessionTable sessions,
            SubjectSubscriptions bySubject,
            NameSubscriptions names,
            EdgePatterns patterns,
            Conflation conflation,
            FanOut fanOut,
            Deltas deltas,
            SlowSessions slow,
            LaneReplies replies,
            LoopCounters counters,
            long seed) {
        this.subjects = subjects;
        this.sessions = sessions;
        this.bySubject = bySubject;
        this.names = names;
        this.patterns = patterns;
        this.conflation = conflation;
        this.fanOut = fanOut;
        this.deltas = deltas;
        this.slow = slow;
        this.replies = replies;
        this.counters = counters;
        key = new SubjectKey(seed);
    }

    // ---- live messages ----

    @Override
    public void deliver(int home, SubjectKey subject, MessageView message, long receivedNanos) {
        int known = subjects.find(subject);
        if (known != SubjectTable.NONE || !patterns.isEmpty()) {
            deliver(home, known, subject, message, receivedNanos);
        }
    }

    @Override
    public void deliver(int home, int known, SubjectKey subject, MessageView message, long receivedNanos) {
        fanOut.begin(receivedNanos);
        if (!patterns.isEmpty()) {
            deliverWithPatterns(home, subject, message);
        } else if (known != SubjectTable.NONE) {
            deliver(known, message);
            if (!conflation.isEmpty()) {
                conflation.onMessage(known, message);
            }
        }
        fanOut.flushIfFull();
    }

    /** Delivers to the subscribers by name. */
    private void deliver(int subject, MessageView message) {
        if (deltas.isEmpty()) {
            fanOut.deliver(subject, message);
        } else {
            deltas.deliver(subject, message);
        }
    }

    private void deliverWithPatterns(int home, SubjectKey subject, MessageView message) {
        int known = subjects.findOrAdd(subject);
        // A subscriber by name may be closed as slow, and the subject forgotten, before the patterns are served.
        subjects.pin(known);
        try {
            deliver(known, message);
            slow.deliveringByPattern(true);
            patterns.deliver(home, known, subject, message, fanOut);
            conflation.onMessage(known, message);
        } finally {
            slow.deliveringByPattern(false);
            subjects.unpin(known);
        }
    }

    // ---- answers ----

    @Override
    public void published(long reference, long commandId, long epoch, long seq) {
        Session session = sessions.find(reference);
        if (session != null) {
            replies.of(session).published(session, commandId, epoch, seq);
        }
    }

    @Override
    public void refused(long reference, long commandId, Code code, String reason, SubjectKey subject) {
        counters.increment(Counter.PUBLISHES_REFUSED);
        Session session = reference == Publication.NO_SESSION ? null : sessions.find(reference);
        if (session != null) {
            replies.refuse(session, commandId, code, reason, subject.copy());
        } else {
            counters.refused(code);
        }
    }

    @Override
    public void joined(long reference, int ticket, long commandId, SubjectKey subject, Position at, Recovery recovery) {
        Session session = find(reference);
        if (session == null) {
            return;
        }
        CatchUp.Place place = placeOf(session, ticket, subject);
        if (place != null) {
            // A waiting message of a pattern precedes the position that the client receives now.
            conflation.leaveByPattern(session, place.subject());
            place.joining(false);
            if (deltas.has(session, place.subject())) {
                replies.of(session).deltaSubscribed(session, commandId, subject.copy(), at, recovery);
            } else {
                int conflateMillis = conflation.millis(session, place.subject());
                replies.of(session).subscribed(session, commandId, subject.copy(), at, recovery, conflateMillis);
            }
            patterns.readOn(session);
        } else {
            bySubject.refuseTakenBack(session, commandId, subject.copy());
        }
    }

    @Override
    public void gap(long reference, int ticket, SubjectKey subject, @Nullable Position from, Position to, Code reason) {
        Session session = find(reference);
        CatchUp.Place place = session == null ? null : placeOf(session, ticket, subject);
        if (session == null || place == null) {
            return;
        }
        slow.readingOn().onGap(session, place, subject, from, to, reason);
    }

    @Override
    public void message(long reference, int ticket, SubjectKey subject, MessageView message) {
        Session session = find(reference);
        CatchUp.Place place = session == null ? null : placeOf(session, ticket, subject);
        if (session != null && place != null) {
            replies.of(session).message(session, message);
            if (message.type() != MessageType.SNAPSHOT) {
                place.advance(message.seq());
            }
            if (message.type() == MessageType.LIVE) {
                SessionPlaces.created(session).onRead(place, message.contentLength() + CatchUpBounds.MESSAGE_BYTES);
            }
        }
    }

    @Override
    public void readDone(long reference, int ticket, SubjectKey subject, long seq, boolean more) {
        Session session = find(reference);
        CatchUp.Place place = session == null ? null : placeOf(session, ticket, subject);
        if (session == null || place == null) {
            return;
        }
        place.advance(seq);
        place.reading(false);
        if (more) {
            slow.readingOn().onMore(session, place);
            // The messages read go out first. Whether the socket takes them decides whether to continue now or when it
            // is writable.
            fanOut.flush(session);
        } else {
            slow.places().endAt(session, place.subject());
            conflation.begin(session, place.subject());
            replies.of(session).caughtUp(session, subject.copy());
        }
        slow.readingOn().readInTurn(session);
    }

    /** Returns the session of a reference, which has got all messages delivered before, or null if it is closed. */
    private @Nullable Session find(long reference) {
        Session session = sessions.find(reference);
        return session != null && fanOut.complete(session) ? session : null;
    }

    private CatchUp.@Nullable Place placeOf(Session session, int ticket, SubjectKey subject) {
        int known = subjects.find(subject);
        CatchUp.Place place = known == SubjectTable.NONE ? null : SessionPlaces.at(session, known);
        return place != null && place.ticket() == ticket ? place : null;
    }

    @Override
    public void patternSnapshot(int home, long reference, int ticket, byte[] pattern, MessageView message) {
        Session session = find(reference);
        PatternSubscription subscription = session == null ? null : patterns.find(session, pattern, ticket);
        if (session != null && subscription != null && !hasAlready(session, home, message)) {
            subscription.onSnapshot(message.subjectLength() + message.contentLength());
            replies.of(session).message(session, message);
        }
    }

    @Override
    public void patternMessage(
            int home, long reference, int ticket, byte[] pattern, int log, long place, MessageView message) {
        Session session = find(reference);
        PatternSubscription subscription = session == null ? null : patterns.find(session, pattern, ticket);
        if (session == null || subscription == null) {
            return;
        }
        key.set(message.subject(), message.subjectOffset(), message.subjectLength());
        int known = subjects.find(key);
        boolean byName = known != SubjectTable.NONE && names.has(session, known);
        if (!byName && !patterns.hasDelivered(subscription, home, key.copy(), log, place)) {
            subscription.onSnapshot(message.subjectLength() + message.contentLength());
            replies.of(session).message(session, message);
        }
    }

    @Override
    public void patternGap(long reference, int ticket, byte[] pattern, Code reason) {
        Session session = find(reference);
        PatternSubscription subscription = session == null ? null : patterns.find(session, pattern, ticket);
        if (subscription != null) {
            patterns.onGap(subscription, reason);
        }
    }

    @Override
    public void delivered(int home, long[] ends) {
        patterns.onReport(home, ends);
    }

    /** Returns whether the session has the subject's retained message, or a newer one, by another subscription. */
    private boolean hasAlready(Session session, int home, MessageView message) {
        key.set(message.subject(), message.subjectOffset(), message.subjectLength());
        int known = subjects.find(key);
        return (known != SubjectTable.NONE && names.has(session, known))
                || patterns.isConfirmed(session, home, key.copy());
    }

    @Override
    public void patternRead(int home, long reference, int ticket, byte[] pattern, long cursor, long[] ends) {
        Session session = find(reference);
        PatternSubscription subscription = session == null ? null : patterns.find(session, pattern, ticket);
        if (session == null || subscription == null) {
            return;
        }
        patterns.onRead(subscription, cursor, ends);
        if (subscription.isConfirmedBy(home) && !conflation.isEmpty()) {
            // The pattern delivers each message from now on, so the waiting message goes out before.
            conflation.leaveByPattern(
                    session,
                    subject ->
                            patterns.bringsAll(session, home, subjects.table().key(subject)));
        }
        // As with history: the messages read go out first, and whether the socket takes them decides when to continue.
        if (subscription.pieceBytes() >= ToHome.READ_BYTES / 2) {
            subscription.onWritten();
            fanOut.flush(session);
        }
        patterns.readOn(session);
    }

    @Override
    public void interest(long reference, long commandId, SubjectKey subject, boolean subscribers) {
        Session session = sessions.find(reference);
        if (session == null) {
            return;
        }
        if (commandId != CommandHandler.NO_ID) {
            replies.of(session).watched(session, commandId, subject.copy(), subscribers);
        } else {
            replies.of(session).interest(session, subject.copy(), subscribers);
        }
    }
}
