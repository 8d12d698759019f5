package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * A view of one publish command inside a buffer, valid during the callback that receives it. Owner: one loop, through
 * its decoder, which sets the view again for each command.
 */
public final class PublishRequest {
    /** The id of a command without an id: the server then answers errors only. */
    public static final long NO_ID = CommandHandler.NO_ID;

    /** Maximum time to live of a message: 365 days. */
    public static final long TTL_MILLIS_MAX = 365L * 24 * 3600 * 1000;

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
    private int headersOffset;
    private int headersLength;
    private int originOffset;
    private int originLength;
    private long ttlMillis;
    private boolean retain;

    /** Begins a command without a msgId, headers, a time to live and an origin. */
    public PublishRequest start(long id, ByteBuf buffer, boolean retain) {
        this.id = id;
        this.buffer = buffer;
        this.retain = retain;
        this.msgIdOffset = 0;
        this.msgIdLength = 0;
        this.headersOffset = 0;
        this.headersLength = 0;
        this.originOffset = 0;
        this.originLength = 0;
        this.ttlMillis = 0;
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

    /** Sets where the block of {@link MessageHeaders} is. */
    public PublishRequest headers(int offset, int length) {
        this.headersOffset = offset;
        this.headersLength = length;
        return this;
    }

    /** Sets the time to live of the message in milliseconds; 0 for no end. */
    public PublishRequest ttl(long millis) {
        this.ttlMillis = millis;
        return this;
    }

    /** Sets where the key of the publisher's {@link PublishOrigins origin} is. */
    public PublishRequest origin(int offset, int length) {
        this.originOffset = offset;
        this.originLength = length;
        return this;
    }

    /** Returns a command with a copy of the bytes of this one, which stays valid after the call. */
    public PublishRequest copy() {
        int subjectAt = 0;
        int msgIdAt = subjectLength;
        int headersAt = msgIdAt + msgIdLength;
        int originAt = headersAt + headersLength;
        int dataAt = originAt + originLength;
        ByteBuf bytes = Unpooled.buffer(dataAt + dataLength, dataAt + dataLength);
        bytes.writeBytes(buffer, subjectOffset, subjectLength);
        bytes.writeBytes(buffer, msgIdOffset, msgIdLength);
        bytes.writeBytes(buffer, headersOffset, headersLength);
        bytes.writeBytes(buffer, originOffset, originLength);
        bytes.writeBytes(buffer, dataOffset, dataLength);
        return new PublishRequest()
                .start(id, bytes, retain)
                .subject(subjectAt, subjectLength)
                .msgId(msgIdAt, msgIdLength)
                .headers(headersAt, headersLength)
                .origin(originAt, originLength)
                .ttl(ttlMillis)
                .data(dataAt, dataLength);
    }

    /** Sets the id under which the publish is answered, for a caller that numbers its publishes itself. */
    public PublishRequest answerAs(long number) {
        this.id = number;
        return this;
    }

    /** Returns the id of the command, or {@link #NO_ID}. */
    public long id() {
        return id;
    }

    /**
     * Returns the buffer that holds subject, data, msgId, headers and origin. It belongs to the decoder or the transport: to use it
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

    /** Returns the index of the block of headers in the buffer. */
    public int headersOffset() {
        return headersOffset;
    }

    /** Returns the length of the block of headers in bytes; 0 for none. */
    public int headersLength() {
        return headersLength;
    }

    /** Returns the index of the key of the publisher's origin in the buffer. */
    public int originOffset() {
        return originOffset;
    }

    /** Returns the length of the key in bytes; 0 for none. */
    public int originLength() {
        return originLength;
    }

    /** Returns the tag of the publisher's origin, or null if the command has no key. Computes a hash. */
    public byte @Nullable [] originTag() {
        return originLength == 0 ? null : PublishOrigins.tag(buffer, originOffset, originLength);
    }

    /** Returns the bytes of headers and data together. */
    public int contentLength() {
        return headersLength + dataLength;
    }

    /** Returns the time to live of the message in milliseconds; 0 for no end. */
    public long ttlMillis() {
        return ttlMillis;
    }

    /** Whether the message is to be retained. */
    public boolean retain() {
        return retain;
    }
}
