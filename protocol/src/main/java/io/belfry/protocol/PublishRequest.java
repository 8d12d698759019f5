package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * One publish command, seen where its bytes lie; valid during the callback that passes it. Owner: one loop, through its
 * decoder, which sets it anew for each command.
 */
public final class PublishRequest {
    /** The command carried no id: only an error is answered. */
    public static final long NO_ID = CommandHandler.NO_ID;

    /** The longest {@code msgId}, in bytes. */
    public static final int MSG_ID_MAX_BYTES = 64;

    private long id = NO_ID;
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int subjectOffset;
    private int subjectLength;
    private int dataOffset;
    private int dataLength;
    private int msgIdOffset;
    private int msgIdLength;
    private boolean retain;

    public PublishRequest start(long id, ByteBuf buffer, boolean retain) {
        this.id = id;
        this.buffer = buffer;
        this.retain = retain;
        this.msgIdOffset = 0;
        this.msgIdLength = 0;
        return this;
    }

    public PublishRequest subject(int offset, int length) {
        this.subjectOffset = offset;
        this.subjectLength = length;
        return this;
    }

    public PublishRequest data(int offset, int length) {
        this.dataOffset = offset;
        this.dataLength = length;
        return this;
    }

    public PublishRequest msgId(int offset, int length) {
        this.msgIdOffset = offset;
        this.msgIdLength = length;
        return this;
    }

    public long id() {
        return id;
    }

    /** Holds subject, data and msgId; the decoder's or the transport's, so retain or copy what outlives the callback. */
    public ByteBuf buffer() {
        return buffer;
    }

    public int subjectOffset() {
        return subjectOffset;
    }

    public int subjectLength() {
        return subjectLength;
    }

    public int dataOffset() {
        return dataOffset;
    }

    public int dataLength() {
        return dataLength;
    }

    public int msgIdOffset() {
        return msgIdOffset;
    }

    /** 0 = none. */
    public int msgIdLength() {
        return msgIdLength;
    }

    public boolean retain() {
        return retain;
    }
}
