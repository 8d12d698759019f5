package io.belfry.server.delivery;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

/** A copy of one message that remains valid after the call it came with; a newer message replaces it. Owner: the lane's loop. */
public final class HeldMessage {
    private final MessageView view = new MessageView();
    private final ByteBuf bytes;

    public HeldMessage(MessageView message) {
        bytes = PooledByteBufAllocator.DEFAULT.directBuffer(message.subjectLength() + message.contentLength());
        set(message);
    }

    /** Copies another message of the same subject. */
    public void set(MessageView message) {
        bytes.clear();
        bytes.writeBytes(message.subject(), message.subjectOffset(), message.subjectLength());
        if (message.headersLength() > 0) {
            bytes.writeBytes(message.headers(), message.headersOffset(), message.headersLength());
        }
        int dataAt = bytes.writerIndex();
        bytes.writeBytes(message.data(), message.dataOffset(), message.dataLength());
        view.subject(bytes, 0, message.subjectLength())
                .data(bytes, dataAt, message.dataLength())
                .headers(bytes, message.subjectLength(), message.headersLength())
                .position(message.epoch(), message.epochIndex(), message.seq())
                .time(message.timeMillis())
                .type(MessageType.LIVE)
                .retained(message.retained())
                .prev(message.prev());
    }

    /** Returns the seq of the message. */
    public long seq() {
        return view.seq();
    }

    /** Returns the message; valid until the next {@link #set}. */
    public MessageView view() {
        return view;
    }

    /** Frees the memory outside the heap. */
    public void release() {
        bytes.release();
    }
}
