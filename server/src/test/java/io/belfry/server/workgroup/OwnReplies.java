package io.belfry.server.workgroup;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEncoding;
import io.belfry.protocol.WireFormat;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Replies of a session that shares no encoding with others. Owner: the lane's loop. */
final class OwnReplies implements Replies {
    private static final WireFormat FORMAT = BelfryFormat.WEBSOCKET_JSON;

    private final Lane lane;

    OwnReplies(Lane lane) {
        this.lane = lane;
    }

    private void send(Session session, int messages, Consumer<ByteBuf> write) {
        ByteBuf out = Unpooled.buffer();
        write.accept(out);
        lane.stage(session, out, messages);
    }

    @Override
    public void connected(Session session, long id, int pingMillis) {
        send(session, 0, out -> FORMAT.connected(out, id, new ConnectedEvent("own", "node", pingMillis, 1)));
    }

    @Override
    public void subscribed(
            Session session, long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        send(session, 0, out -> FORMAT.subscribed(out, id, subject, at, 0, recovery, conflateMillis));
    }

    @Override
    public void unsubscribed(Session session, long id, byte[] subject) {
        send(session, 0, out -> FORMAT.unsubscribed(out, id, subject));
    }

    @Override
    public void published(Session session, long id, long epoch, long seq) {
        send(session, 0, out -> FORMAT.published(out, id, epoch, seq));
    }

    @Override
    public void message(Session session, MessageView message) {
        send(session, 1, out -> FORMAT.message(out, message));
    }

    @Override
    public void gap(Session session, byte[] subject, @Nullable Position from, Position to, Code reason) {
        send(session, 0, out -> FORMAT.gap(out, subject, from, to, reason));
    }

    @Override
    public void pong(Session session, long id) {
        send(session, 0, out -> FORMAT.pong(out, id, ServerEncoding.NO_CLOCK));
    }

    @Override
    public void error(Session session, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        send(session, 0, out -> FORMAT.error(out, id, code, reason, subject, afterMillis));
    }

    @Override
    public void ended(Session session, byte[] subject, Code reason) {
        send(session, 0, out -> FORMAT.unsubscribed(out, CommandHandler.NO_ID, subject, reason));
    }

    @Override
    public void watchEnded(Session session, byte[] subject, Code reason) {
        send(session, 0, out -> FORMAT.unwatched(out, CommandHandler.NO_ID, subject, reason));
    }

    @Override
    public void tokenToExpire(Session session, long afterMillis) {
        send(session, 0, out -> FORMAT.tokenToExpire(out, afterMillis));
    }

    @Override
    public void stale(Session session, boolean stale) {
        send(session, 0, out -> FORMAT.stale(out, stale));
    }

    @Override
    public void reconnect(Session session, long afterMillis, Code reason) {
        send(session, 0, out -> FORMAT.reconnect(out, afterMillis, reason));
    }

    @Override
    public void watched(Session session, long id, byte[] subject, boolean subscribers) {
        send(session, 0, out -> FORMAT.watched(out, id, subject, subscribers));
    }

    @Override
    public void unwatched(Session session, long id, byte[] subject) {
        send(session, 0, out -> FORMAT.unwatched(out, id, subject));
    }

    @Override
    public void interest(Session session, byte[] subject, boolean subscribers) {
        send(session, 0, out -> FORMAT.interest(out, subject, subscribers));
    }
}
