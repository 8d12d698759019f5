package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.server.session.Outbound;
import io.netty.buffer.ByteBuf;

/**
 * The outbound of sessions without a connection: it accepts nothing, and the session is never ready. Events that are not
 * messages are lost; the session's client learns the present state when it continues. Immutable; all such sessions of a
 * process share it.
 */
final class DetachedOutbound implements Outbound {
    static final DetachedOutbound INSTANCE = new DetachedOutbound();

    /** More than any bound of waiting bytes, so that no message is accepted for the session. */
    private static final int QUEUED_BYTES = Integer.MAX_VALUE / 2;

    private DetachedOutbound() {}

    @Override
    public boolean write(ByteBuf bytes, int offset, int length) {
        return false;
    }

    @Override
    public void stage(ByteBuf bytes, int offset, int length) {}

    @Override
    public boolean flushStaged() {
        return true;
    }

    @Override
    public int queuedBytes() {
        return QUEUED_BYTES;
    }

    @Override
    public void pauseReading() {}

    @Override
    public void resumeReading() {}

    @Override
    public boolean ping() {
        return false;
    }

    @Override
    public boolean isLoopback() {
        return false;
    }

    @Override
    public void close(Code code, String reason) {}
}
