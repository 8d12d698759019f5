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
    private ByteBuf headers = Unpooled.EMPTY_BUFFER;
    private int headersOffset;
    private int headersLength;
    private long ttlMillis;
    private byte @Nullable [] publisher;
    private byte @Nullable [] origin;
    private @Nullable TraceContext trace;

    /** Sets the receiver of the answer: lane, session and command. The command id {@code NO_ID} requests no answer. */
    public Publication from(int edge, long session, long commandId, long receivedNanos) {
        this.edge = edge;
        this.session = session;
        this.commandId = commandId;
        this.receivedNanos = receivedNanos;
        return this;
    }

    /** Sets the content of a publish without headers, a time to live, the name of a publisher and its origin. */
    public Publication content(
            ByteBuf buffer, int dataOffset, int dataLength, int idOffset, int idLength, boolean retain) {
        this.buffer = buffer;
        this.dataOffset = dataOffset;
        this.dataLength = dataLength;
        this.idOffset = idOffset;
        this.idLength = idLength;
        this.retain = retain;
        this.headers = buffer;
        this.headersLength = 0;
        this.ttlMillis = 0;
        this.publisher = null;
        this.origin = null;
        return this;
    }

    /** Sets where the block of headers is in the buffer, after {@link #content}; the length 0 stands for none. */
    public Publication headers(int offset, int length) {
        headersOffset = offset;
        headersLength = length;
        return this;
    }

    /** Sets the block of headers, in another buffer than the data. */
    public Publication headers(ByteBuf block, int offset, int length) {
        headers = block;
        return headers(offset, length);
    }

    /** Sets whether the message is retained. */
    public Publication retain(boolean retained) {
        retain = retained;
        return this;
    }

    /**
     * Sets the time to live in milliseconds, 0 for none, the name of the publisher, if the subject may show it, and the tag of the
     * publisher's origin, or null.
     */
    public Publication terms(long ttl, byte @Nullable [] user, byte @Nullable [] tag) {
        ttlMillis = ttl;
        publisher = user;
        origin = tag;
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

    /** Returns the buffer with the block of headers. */
    public ByteBuf headers() {
        return headers;
    }

    public int headersOffset() {
        return headersOffset;
    }

    /** Returns the length of the block of headers; 0 for none. */
    public int headersLength() {
        return headersLength;
    }

    /** Returns the time to live in milliseconds; 0 for none. */
    public long ttlMillis() {
        return ttlMillis;
    }

    /** Returns the name of the user who publishes, or null if the client is anonymous or no subject shows names. */
    public byte @Nullable [] publisher() {
        return publisher;
    }

    /** Returns the tag of the publisher's origin, or null if the client does not request its header. */
    public byte @Nullable [] origin() {
        return origin;
    }

    /** Returns the bytes to retain: of headers and data, or 0 if there is no data, which clears. */
    public int retainedLength() {
        return dataLength == 0 ? 0 : headersLength + dataLength;
    }
}
