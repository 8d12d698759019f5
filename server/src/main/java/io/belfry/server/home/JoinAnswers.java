package io.belfry.server.home;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.broker.Broker;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.handoff.ToEdge;
import io.belfry.server.history.History;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.Turn;
import org.jspecify.annotations.Nullable;

/** The answers of a home to sessions that begin or resume a subscription. Owner: the lane's loop. */
final class JoinAnswers {
    private final Turn turn;
    private final Broker broker;
    private final Lifetime lifetime;
    private final PastReader reader;
    private final MemberSnapshots members;
    private final LateJoins lateJoins;
    private final LoopCounters counters;
    private final MessageView past = new MessageView();

    JoinAnswers(
            Turn turn,
            Broker broker,
            Lifetime lifetime,
            PastReader reader,
            MemberSnapshots members,
            LateJoins lateJoins,
            LoopCounters counters) {
        this.turn = turn;
        this.broker = broker;
        this.lifetime = lifetime;
        this.reader = reader;
        this.members = members;
        this.lateJoins = lateJoins;
        this.counters = counters;
    }

    /** Answers a join and sends what precedes the live messages: history, or what the client has missed. */
    void answer(
            ToEdge answer,
            long session,
            int ticket,
            long commandId,
            SubjectKey subject,
            int id,
            @Nullable Position from,
            int history) {
        long seq = broker.seq(id);
        if (from == null) {
            Position head = new Position(broker.epoch(), broker.head(id));
            answer.joined(session, ticket, commandId, subject, head, Recovery.NONE);
            begin(answer, session, ticket, subject, id, seq, history);
        } else {
            Position at = new Position(broker.epoch(), seq);
            resume(answer, session, ticket, commandId, subject, id, at, from);
        }
    }

    /** Starts a new subscription: the retained message, then the requested number of past messages. */
    private void begin(ToEdge answer, long session, int ticket, SubjectKey subject, int id, long seq, int history) {
        if (MemberSnapshots.isPresence(subject)) {
            // Past changes have no meaning without the state before them.
            members.show(answer, session, ticket, subject, seq);
            reader.readOn(answer, session, ticket, subject, id, seq, MessageType.HISTORY, true);
            return;
        }
        long after = history == 0 ? seq : broker.history().before(id, history, seq, turn.nowMillis());
        long oldest = history == 0 ? -1 : broker.history().oldestSeq(id, after, turn.nowMillis());
        past.subject(subject.buffer(), 0, subject.length())
                .type(MessageType.SNAPSHOT)
                .prev(MessageView.NO_PREV);
        if (lifetime.show(broker.retained(), id, past) && (oldest < 0 || past.seq() < oldest)) {
            answer.message(session, ticket, subject, past);
        }
        reader.readOn(answer, session, ticket, subject, id, after, MessageType.HISTORY, true);
    }

    /** Resumes a subscription: sends everything after the client's position, or a gap and what is left. */
    private void resume(
            ToEdge answer,
            long session,
            int ticket,
            long commandId,
            SubjectKey subject,
            int id,
            Position at,
            Position from) {
        Code doubt = broker.doubt(id, from, from.seq() <= at.seq() || lateJoins.hasReached());
        boolean comparable = doubt != Code.EPOCH_CHANGED;
        long oldest = broker.history().oldestSeq(id, comparable ? from.seq() : 0, turn.nowMillis());
        boolean complete = doubt == null && broker.history().reachesBack(from.seq(), at.seq(), oldest);
        // Another node may have reported a higher position than that of the subject's latest message here.
        Position now = comparable && from.seq() > at.seq() ? from : at;
        answer.joined(session, ticket, commandId, subject, now, complete ? Recovery.COMPLETE : Recovery.GAP);
        counters.increment(complete ? Counter.RECOVERIES_COMPLETE : Counter.RECOVERIES_WITH_GAP);
        long after = from.seq();
        if (!complete) {
            History history = broker.history();
            boolean ofMembers = MemberSnapshots.isPresence(subject);
            after = oldest < 0 || ofMembers ? Math.max(now.seq(), broker.head(id)) : history.gapEnd(id, oldest);
            Code gone = history.isRemoval(id, oldest) ? Code.HISTORY_REMOVED : Code.HISTORY_GONE;
            Code reason = doubt == null ? gone : doubt;
            answer.gap(session, ticket, subject, from, new Position(at.epoch(), after), reason);
            past.subject(subject.buffer(), 0, subject.length())
                    .type(MessageType.SNAPSHOT)
                    .prev(MessageView.NO_PREV);
            if (ofMembers) {
                members.show(answer, session, ticket, subject, after);
            } else if (lifetime.show(broker.retained(), id, past) && past.seq() <= after) {
                answer.message(session, ticket, subject, past);
            }
        }
        reader.readOn(answer, session, ticket, subject, id, after, MessageType.RECOVERED, false);
    }
}
