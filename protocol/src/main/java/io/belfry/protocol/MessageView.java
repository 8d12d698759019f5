package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * One message, seen where its bytes lie. A flyweight: set it, pass it, set it again; it keeps no reference count, so
 * the buffers must outlive its use. Owner: one loop.
 */
public final class MessageView {
    /** The value of {@link #prev} when the message before it is the one numbered one less. */
    public static final long NO_PREV = -1;

    private ByteBuf subject = Unpooled.EMPTY_BUFFER;
    private int subjectOffset;
    private int subjectLength;
    private ByteBuf data = Unpooled.EMPTY_BUFFER;
    private int dataOffset;
    private int dataLength;
    private long epoch;
    private int epochIndex;
    private long seq;
    private long timeMillis;
    private MessageType type = MessageType.LIVE;
    private boolean retained;
    private long prev = NO_PREV;

    public MessageView subject(ByteBuf buffer, int offset, int length) {
        this.subject = buffer;
        this.subjectOffset = offset;
        this.subjectLength = length;
        return this;
    }

    public MessageView data(ByteBuf buffer, int offset, int length) {
        this.data = buffer;
        this.dataOffset = offset;
        this.dataLength = length;
        return this;
    }

    /** {@code epochIndex} is the place of {@code epoch} in the table that a binary connection was told of. */
    public MessageView position(long epoch, int epochIndex, long seq) {
        this.epoch = epoch;
        this.epochIndex = epochIndex;
        this.seq = seq;
        return this;
    }

    public MessageView time(long timeMillis) {
        this.timeMillis = timeMillis;
        return this;
    }

    public MessageView type(MessageType type) {
        this.type = type;
        return this;
    }

    public MessageView retained(boolean retained) {
        this.retained = retained;
        return this;
    }

    /** The seq of the subject's message before this one, or {@link #NO_PREV} when that is seq - 1. */
    public MessageView prev(long prev) {
        this.prev = prev;
        return this;
    }

    public ByteBuf subject() {
        return subject;
    }

    public int subjectOffset() {
        return subjectOffset;
    }

    public int subjectLength() {
        return subjectLength;
    }

    public ByteBuf data() {
        return data;
    }

    public int dataOffset() {
        return dataOffset;
    }

    public int dataLength() {
        return dataLength;
    }

    public long epoch() {
        return epoch;
    }

    public int epochIndex() {
        return epochIndex;
    }

    public long seq() {
        return seq;
    }

    public long timeMillis() {
        return timeMillis;
    }

    public MessageType type() {
        return type;
    }

    public boolean retained() {
        return retained;
    }

    public long prev() {
        return prev;
    }
}
