package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.session.Terms;
import io.belfry.server.session.UnsharedOutbound;
import io.netty.buffer.ByteBuf;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A session without a connection, by which the server follows one subject. It accepts every message at once, so it never
 * lags, and shows life whenever it is asked. Owner: the lane's loop.
 */
final class ServerFollower implements UnsharedOutbound, Replies {
    /** The permissions of the session. Its only command is the subscription, which is not checked. */
    private static final Principal SERVER = new Principal() {
        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return Decision.ALLOWED;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return new Decision.Denied(Code.PUBLISH_DENIED, "the session only follows");
        }
    };

    private final Lane lane;
    private final byte[] subject;
    private final ObjLongConsumer<byte[]> receiver;
    private @Nullable Session session;

    ServerFollower(Lane lane, byte[] subject, ObjLongConsumer<byte[]> receiver) {
        this.lane = lane;
        this.subject = subject;
        this.receiver = receiver;
    }

    void begin() {
        Session opened = lane.open(this, null, SERVER);
        session = opened;
        lane.routing().subscribe(opened, CommandHandler.NO_ID, subject, new Terms(null, 0, 0, true));
    }

    void end() {
        if (session != null) {
            lane.close(session, Code.CLIENT_CLOSED, "");
        }
    }

    @Override
    public void message(Session to, MessageView message) {
        byte[] data = new byte[message.dataLength()];
        message.data().getBytes(message.dataOffset(), data);
        // A live message has just arrived; a retained one may be older than this start of the server.
        receiver.accept(
                data, message.type() == MessageType.LIVE ? lane.parts().turn.nowMillis() : message.timeMillis());
    }

    // ---- a connection that accepts everything ----

    @Override
    public Replies replies() {
        return this;
    }

    @Override
    public boolean write(ByteBuf bytes, int offset, int length) {
        return true;
    }

    @Override
    public void stage(ByteBuf bytes, int offset, int length) {
        // Messages arrive unencoded.
    }

    @Override
    public boolean flushStaged() {
        return true;
    }

    @Override
    public int queuedBytes() {
        return 0;
    }

    @Override
    public void pauseReading() {
        // It sends no commands.
    }

    @Override
    public void resumeReading() {
        // It sends no commands.
    }

    @Override
    public boolean ping() {
        return false;
    }

    @Override
    public int acknowledgedMillis(int silentMillis, int limitMillis) {
        return 0;
    }

    @Override
    public boolean isLoopback() {
        return true;
    }

    @Override
    public void close(Code code, String reason) {
        session = null;
    }

    // ---- events that need no answer ----

    @Override
    public void connected(Session to, long id, int pingMillis) {}

    @Override
    public void subscribed(
            Session to, long id, byte[] name, @Nullable Position at, Recovery recovery, int conflateMillis) {}

    @Override
    public void unsubscribed(Session to, long id, byte[] name) {}

    @Override
    public void published(Session to, long id, long epoch, long seq) {}

    @Override
    public void gap(Session to, byte[] name, @Nullable Position from, Position until, Code reason) {}

    @Override
    public void pong(Session to, long id) {}

    @Override
    public void error(Session to, long id, Code code, String reason, byte @Nullable [] name, long afterMillis) {}

    @Override
    public void ended(Session to, byte[] name, Code reason) {}

    @Override
    public void watchEnded(Session to, byte[] name, Code reason) {}

    @Override
    public void tokenToExpire(Session to, long afterMillis) {}

    @Override
    public void stale(Session to, boolean stale) {}

    @Override
    public void reconnect(Session to, long afterMillis, Code reason) {}

    @Override
    public void watched(Session to, long id, byte[] name, boolean subscribers) {}

    @Override
    public void unwatched(Session to, long id, byte[] name) {}

    @Override
    public void interest(Session to, byte[] name, boolean subscribers) {}
}
