package io.belfry.server.broker;

import io.belfry.server.trace.TraceContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * One publish on its way to its subject's lane, with its content and the session to answer. A flyweight over a buffer that is
 * valid during the call it is passed to. Owner: one loop.
 */
public final class Publication {
    /** The session of a publish by the server itself, which gets no answer; no session has this reference. */
    public static final long NO_SESSION = -1;

    private int edge;
    private long session;
    private long commandId;
    private long receivedNanos;
    private boolean retain;
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int dataOffset;
    private int dataLength;
    private int idOffset;
    private int idLength;
    private @Nullable TraceContext trace;

    /** Sets the receiver of the answer: lane, session and command. The command id {@code NO_ID} requests no answer. */
    public Publication from(int edge, long session, long commandId, long receivedNanos) {
        this.edge = edge;
        this.session = session;
        this.commandId = commandId;
        this.receivedNanos = receivedNanos;
        return this;
    }

    public Publication content(
            ByteBuf buffer, int dataOffset, int dataLength, int idOffset, int idLength, boolean retain) {
        this.buffer = buffer;
        this.dataOffset = dataOffset;
        this.dataLength = dataLength;
        this.idOffset = idOffset;
        this.idLength = idLength;
        this.retain = retain;
        return this;
    }

    /** Sets the span of the call, for the publishes until it is set to null again; null for calls that are not traced. */
    public Publication trace(@Nullable TraceContext context) {
        trace = context;
        return this;
    }

    public @Nullable TraceContext trace() {
        return trace;
    }

    public int edge() {
        return edge;
    }

    public long session() {
        return session;
    }

    public long commandId() {
        return commandId;
    }

    public long receivedNanos() {
        return receivedNanos;
    }

    public boolean retain() {
        return retain;
    }

    public ByteBuf buffer() {
        return buffer;
    }

    public int dataOffset() {
        return dataOffset;
    }

    public int dataLength() {
        return dataLength;
    }

    public int idOffset() {
        return idOffset;
    }

    public int idLength() {
        return idLength;
    }
}
