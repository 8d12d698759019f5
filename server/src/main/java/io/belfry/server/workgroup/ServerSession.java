package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.session.UnsharedOutbound;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A session of the server itself, without a connection. It accepts every event at once, so it never lags, and shows life whenever
 * it is asked. It ignores each event that a subclass does not override. Owner: the lane's loop.
 */
class ServerSession implements UnsharedOutbound, Replies {
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
        // A session that sends no commands has nothing to pause.
    }

    @Override
    public void resumeReading() {
        // A session that sends no commands has nothing to pause.
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
        // There is no connection.
    }

    // ---- events ----

    @Override
    public void message(Session to, MessageView message) {}

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
