package io.belfry.server.history;

import io.belfry.protocol.HistoryRemoval;
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
    private ByteBuf headers = Unpooled.EMPTY_BUFFER;
    private int headersOffset;
    private int headersLength;

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

    /** Sets the bytes of the message's data, and removes the headers of the previous message. */
    public NewRecord data(ByteBuf buffer, int offset, int length) {
        data = buffer;
        dataOffset = offset;
        dataLength = length;
        headersLength = 0;
        return this;
    }

    /** Sets where the block of headers is, after {@link #data}; the length 0 stands for none. */
    public NewRecord headers(ByteBuf buffer, int offset, int length) {
        headers = buffer;
        headersOffset = offset;
        headersLength = length;
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

    int idLength() {
        return idLength;
    }

    /** Returns the bytes of headers and data together. */
    int contentLength() {
        return headersLength + dataLength;
    }

    /** Returns whether the record stands for the removal of its subject's earlier messages. */
    boolean isRemoval() {
        return HistoryRemoval.is(headers, headersOffset, headersLength);
    }

    /** Returns the flags of {@link RecordLayout} that the content determines. */
    int flags() {
        return (retained ? RecordLayout.FLAG_RETAINED : 0) | (headersLength > 0 ? RecordLayout.FLAG_HEADERS : 0);
    }

    void copyId(ByteBuf to, int at) {
        if (idLength > 0) {
            to.setBytes(at, id, idOffset, idLength);
        }
    }

    /** Copies the headers, if there are some, and the data. */
    void copyContent(ByteBuf to, int at) {
        if (headersLength > 0) {
            to.setBytes(at, headers, headersOffset, headersLength);
        }
        to.setBytes(at + headersLength, data, dataOffset, dataLength);
    }
}
