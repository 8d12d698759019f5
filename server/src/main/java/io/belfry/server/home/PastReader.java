package io.belfry.server.home;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.server.broker.Broker;
import io.belfry.server.handoff.ToEdge;
import io.belfry.server.handoff.ToHome;
import io.belfry.server.history.History;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.Turn;

/** Reads past messages of a subject for a session, a block at a time. Owner: the lane's loop. */
final class PastReader {
    private final Turn turn;
    private final Broker broker;
    private final Lifetime lifetime;
    private final MessageView past = new MessageView();

    PastReader(Turn turn, Broker broker, Lifetime lifetime) {
        this.turn = turn;
        this.broker = broker;
        this.lifetime = lifetime;
    }

    /** Reads on; {@code fresh} is whether the session has no earlier message of the subject, so that it misses none. */
    void readOn(
            ToEdge answer,
            long session,
            int ticket,
            SubjectKey subject,
            int id,
            long after,
            MessageType type,
            boolean fresh) {
        past.subject(subject.buffer(), 0, subject.length()).type(type).prev(MessageView.NO_PREV);
        Block block = new Block(answer, session, ticket, subject, after, fresh);
        if (after < broker.seq(id)) {
            broker.history().read(id, after, Integer.MAX_VALUE, past, turn.nowMillis(), block);
            block.announceEnded();
        }
        answer.readDone(session, ticket, subject, block.seq, block.seq < broker.seq(id) && block.bytes > 0);
    }

    /** Returns whether one more message fits, so that a stalled session holds at most one message of nearly a block. */
    private static boolean hasRoom(int bytes, int size) {
        return bytes + size <= ToHome.READ_BYTES;
    }

    /** Forwards the messages read until a block is full. */
    private final class Block implements History.Reader {
        private final ToEdge answer;
        private final long session;
        private final int ticket;
        private final SubjectKey subject;
        private long seq;
        private int bytes;

        /** The seq of the last message whose time to live has ended. */
        private long ended;

        private boolean fresh;

        Block(ToEdge answer, long session, int ticket, SubjectKey subject, long after, boolean fresh) {
            this.answer = answer;
            this.session = session;
            this.ticket = ticket;
            this.subject = subject;
            this.seq = after;
            this.fresh = fresh;
        }

        @Override
        public boolean onMessage(MessageView message) {
            if (lifetime.hasEnded(message)) {
                ended = message.seq();
                return hasRoom(++bytes, 1);
            }
            announceEnded();
            fresh = false;
            answer.message(session, ticket, subject, message);
            seq = message.seq();
            int size = message.contentLength() + 1;
            bytes += size;
            return hasRoom(bytes, size);
        }

        /** Announces the messages that ended since the last one that was sent. */
        void announceEnded() {
            if (ended > seq) {
                if (!fresh) {
                    Position from = new Position(broker.epoch(), seq);
                    answer.gap(
                            session, ticket, subject, from, new Position(broker.epoch(), ended), Code.MESSAGE_EXPIRED);
                }
                seq = ended;
            }
        }
    }
}
