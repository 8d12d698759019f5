package io.belfry.server.home;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Subjects;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.MemberEvents;
import io.belfry.server.broker.Publication;
import io.belfry.server.handoff.ToEdge;
import io.belfry.server.presence.PresenceRooms;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.Turn;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** Sends the members of subjects to those who follow a presence subject. Owner: the lane's loop. */
final class MemberSnapshots {
    private final Turn turn;
    private final Broker broker;
    private final MessageView view = new MessageView();
    private @Nullable PresenceRooms rooms;
    private @Nullable MemberEvents shared;

    MemberSnapshots(Turn turn, Broker broker) {
        this.turn = turn;
        this.broker = broker;
    }

    void connect(PresenceRooms members, @Nullable MemberEvents ofCluster) {
        rooms = members;
        shared = ofCluster;
    }

    /** Returns the receiver of the members that all nodes report, or null on a single node. */
    @Nullable
    MemberEvents shared() {
        return shared;
    }

    static boolean isPresence(SubjectKey subject) {
        return Subjects.isPresence(subject.bytes(), subject.length());
    }

    /**
     * Sends the members of a subject, if it has any, as a snapshot at this position. With a history on disk they may include changes
     * whose messages follow the snapshot; these messages have absolute values, so applying them again is correct.
     */
    void show(ToEdge answer, long session, int ticket, SubjectKey subject, long seq) {
        byte[] state = rooms == null ? null : rooms.state(subject);
        if (state != null) {
            ByteBuf data = Unpooled.wrappedBuffer(state);
            view.subject(subject.buffer(), 0, subject.length())
                    .type(MessageType.SNAPSHOT)
                    .prev(MessageView.NO_PREV)
                    .data(data, 0, state.length)
                    .headers(data, 0, 0)
                    .position(broker.epoch(), 0, seq)
                    .time(turn.nowMillis())
                    .retained(true);
            answer.message(session, ticket, subject, view);
        }
    }

    /** Called when a publish was refused: the members follow later if it was one of theirs. */
    void onRefused(SubjectKey subject, Publication publication) {
        if (rooms != null && publication.session() == Publication.NO_SESSION && isPresence(subject)) {
            rooms.onRefused(subject.copy());
        }
    }
}
