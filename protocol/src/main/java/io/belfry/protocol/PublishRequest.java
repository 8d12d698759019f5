package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A view of one publish command inside a buffer, valid during the callback that receives it. Owner: one loop, through
 * its decoder, which sets the view again for each command.
 */
public final class PublishRequest {
    /** The id of a command without an id: the server then answers errors only. */
    public static final long NO_ID = CommandHandler.NO_ID;

    /** Maximum length of a {@code msgId}, in bytes. */
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

    /** Begins a command without a msgId. */
    public PublishRequest start(long id, ByteBuf buffer, boolean retain) {
        this.id = id;
        this.buffer = buffer;
        this.retain = retain;
        this.msgIdOffset = 0;
        this.msgIdLength = 0;
        return this;
    }

    /** Sets where the subject is. */
    public PublishRequest subject(int offset, int length) {
        this.subjectOffset = offset;
        this.subjectLength = length;
        return this;
    }

    /** Sets where the data is. */
    public PublishRequest data(int offset, int length) {
        this.dataOffset = offset;
        this.dataLength = length;
        return this;
    }

    /** Sets where the msgId is. */
    public PublishRequest msgId(int offset, int length) {
        this.msgIdOffset = offset;
        this.msgIdLength = length;
        return this;
    }

    /** Returns the id of the command, or {@link #NO_ID}. */
    public long id() {
        return id;
    }

    /**
     * Returns the buffer that holds subject, data and msgId. It belongs to the decoder or the transport: to use it
     * after the callback, retain or copy it.
     */
    public ByteBuf buffer() {
        return buffer;
    }

    /** Returns the index of the subject in the buffer. */
    public int subjectOffset() {
        return subjectOffset;
    }

    /** Returns the length of the subject in bytes. */
    public int subjectLength() {
        return subjectLength;
    }

    /** Returns the index of the data in the buffer. */
    public int dataOffset() {
        return dataOffset;
    }

    /** Returns the length of the data in bytes. */
    public int dataLength() {
        return dataLength;
    }

    /** Returns the index of the msgId in the buffer. */
    public int msgIdOffset() {
        return msgIdOffset;
    }

    /** Returns the length of the msgId in bytes; 0 for none. */
    public int msgIdLength() {
        return msgIdLength;
    }

    /** Whether the message is to be retained. */
    public boolean retain() {
        return retain;
    }
}
