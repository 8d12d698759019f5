package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A view of the content of a record that is to be appended. A flyweight: it is set, passed on and set again, and the buffers
 * must outlive each use. Owner: one loop.
 */
public final class NewRecord {
    private int subject;
    private long seq;
    private long timeMillis;
    private boolean retained;
    private ByteBuf id = Unpooled.EMPTY_BUFFER;
    private int idOffset;
    private int idLength;
    private ByteBuf data = Unpooled.EMPTY_BUFFER;
    private int dataOffset;
    private int dataLength;

    /** Sets everything but the content, and begins without a message id. */
    public NewRecord message(int subject, long seq, long timeMillis, boolean retained) {
        this.subject = subject;
        this.seq = seq;
        this.timeMillis = timeMillis;
        this.retained = retained;
        return id(Unpooled.EMPTY_BUFFER, 0, 0);
    }

    /** Sets where the message id is. */
    public NewRecord id(ByteBuf buffer, int offset, int length) {
        id = buffer;
        idOffset = offset;
        idLength = length;
        return this;
    }

    /** Sets where the data is. */
    public NewRecord data(ByteBuf buffer, int offset, int length) {
        data = buffer;
        dataOffset = offset;
        dataLength = length;
        return this;
    }

    int subject() {
        return subject;
    }

    long seq() {
        return seq;
    }

    long timeMillis() {
        return timeMillis;
    }

    boolean retained() {
        return retained;
    }

    int idLength() {
        return idLength;
    }

    int dataLength() {
        return dataLength;
    }

    void copyId(ByteBuf to, int at) {
        if (idLength > 0) {
            to.setBytes(at, id, idOffset, idLength);
        }
    }

    void copyData(ByteBuf to, int at) {
        to.setBytes(at, data, dataOffset, dataLength);
    }
}
