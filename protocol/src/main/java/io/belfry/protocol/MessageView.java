package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A view of one message inside buffers. A flyweight: it is set, passed on and set again; it holds no reference count,
 * so the buffers must outlive each use. Owner: one loop.
 */
public final class MessageView {
    /** Value of {@link #prev} for a message whose predecessor has the seq before its own. */
    public static final long NO_PREV = -1;

    private ByteBuf subject = Unpooled.EMPTY_BUFFER;
    private int subjectOffset;
    private int subjectLength;
    private ByteBuf data = Unpooled.EMPTY_BUFFER;
    private int dataOffset;
    private int dataLength;
    private ByteBuf headers = Unpooled.EMPTY_BUFFER;
    private int headersOffset;
    private int headersLength;
    private long epoch;
    private int epochIndex;
    private long seq;
    private long timeMillis;
    private MessageType type = MessageType.LIVE;
    private boolean retained;
    private long prev = NO_PREV;
    private boolean delta;

    /** Sets where the subject is. */
    public MessageView subject(ByteBuf buffer, int offset, int length) {
        this.subject = buffer;
        this.subjectOffset = offset;
        this.subjectLength = length;
        return this;
    }

    /** Sets where the data is, and begins without headers. */
    public MessageView data(ByteBuf buffer, int offset, int length) {
        this.data = buffer;
        this.dataOffset = offset;
        this.dataLength = length;
        this.headersLength = 0;
        return this;
    }

    /** Sets where the block of {@link MessageHeaders} is, after {@link #data}; the length 0 stands for none. */
    public MessageView headers(ByteBuf buffer, int offset, int length) {
        this.headers = buffer;
        this.headersOffset = offset;
        this.headersLength = length;
        return this;
    }

    /**
     * Sets the position; {@code epochIndex} is the index of {@code epoch} in the table declared to a binary connection.
     */
    public MessageView position(long epoch, int epochIndex, long seq) {
        this.epoch = epoch;
        this.epochIndex = epochIndex;
        this.seq = seq;
        return this;
    }

    /** Sets the time of the publish, in milliseconds since 1970. */
    public MessageView time(long timeMillis) {
        this.timeMillis = timeMillis;
        return this;
    }

    /** Sets why the message is delivered. */
    public MessageView type(MessageType type) {
        this.type = type;
        return this;
    }

    /** Sets whether the message was published with {@code retain}. */
    public MessageView retained(boolean retained) {
        this.retained = retained;
        return this;
    }

    /** Sets the seq of the subject's message before this one, or {@link #NO_PREV} if that is seq - 1. */
    public MessageView prev(long prev) {
        this.prev = prev;
        return this;
    }

    /** Sets whether the data is a delta of {@link FossilDelta} from the subject's message before this one. */
    public MessageView delta(boolean delta) {
        this.delta = delta;
        return this;
    }

    /** Returns the buffer that holds the subject. */
    public ByteBuf subject() {
        return subject;
    }

    /** Returns the index of the subject in its buffer. */
    public int subjectOffset() {
        return subjectOffset;
    }

    /** Returns the length of the subject in bytes. */
    public int subjectLength() {
        return subjectLength;
    }

    /** Returns the buffer that holds the data. */
    public ByteBuf data() {
        return data;
    }

    /** Returns the index of the data in its buffer. */
    public int dataOffset() {
        return dataOffset;
    }

    /** Returns the length of the data in bytes. */
    public int dataLength() {
        return dataLength;
    }

    /** Returns the buffer that holds the block of headers, if there is one. */
    public ByteBuf headers() {
        return headers;
    }

    /** Returns the index of the block of headers in its buffer. */
    public int headersOffset() {
        return headersOffset;
    }

    /** Returns the length of the block of headers in bytes; 0 for a message without headers. */
    public int headersLength() {
        return headersLength;
    }

    /** Returns whether the message has a time to live that has ended at this time, in milliseconds since 1970. */
    public boolean hasEnded(long nowMillis) {
        long ttl = headersLength == 0 ? 0 : MessageHeaders.ttlMillis(headers, headersOffset, headersLength);
        return ttl > 0 && timeMillis + ttl <= nowMillis;
    }

    /** Returns the bytes of headers and data together. */
    public int contentLength() {
        return headersLength + dataLength;
    }

    /** Returns the epoch of the position. */
    public long epoch() {
        return epoch;
    }

    /** Returns the index of the epoch in the connection's epoch table. */
    public int epochIndex() {
        return epochIndex;
    }

    /** Returns the seq of the position. */
    public long seq() {
        return seq;
    }

    /** Returns the time of the publish, in milliseconds since 1970. */
    public long timeMillis() {
        return timeMillis;
    }

    /** Returns why the message is delivered. */
    public MessageType type() {
        return type;
    }

    /** Whether the message was published with {@code retain}. */
    public boolean retained() {
        return retained;
    }

    /** Returns the seq of the subject's message before this one, or {@link #NO_PREV}. */
    public long prev() {
        return prev;
    }

    /** Returns the seq of the subject's message before this one, from which a delta was made. */
    public long baseSeq() {
        return prev == NO_PREV ? seq - 1 : prev;
    }

    /** Returns whether the data is a delta of {@link FossilDelta} from the subject's message before this one. */
    public boolean isDelta() {
        return delta;
    }
}
