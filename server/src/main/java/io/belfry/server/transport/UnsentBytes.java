package io.belfry.server.transport;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;

/** The bytes that a socket did not accept, in their order. Exists only while there are some. Owner: the loop. */
final class UnsentBytes {
    private final Deque<ByteBuf> buffers = new ArrayDeque<>(2);
    private int bytes;

    /** Takes over the buffer. */
    void add(ByteBuf buffer) {
        if (buffer.isReadable()) {
            buffers.add(buffer);
            bytes += buffer.readableBytes();
        } else {
            buffer.release();
        }
    }

    /** Returns the buffer to send next. */
    ByteBuf first() {
        return buffers.element();
    }

    /** Removes bytes that the socket accepted from the first buffer, and releases it when it is empty. */
    void onSent(int count) {
        bytes -= count;
        ByteBuf first = buffers.element().skipBytes(count);
        if (!first.isReadable()) {
            buffers.remove().release();
        }
    }

    int bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return buffers.isEmpty();
    }

    /** Releases everything. */
    void release() {
        buffers.forEach(ByteBuf::release);
        buffers.clear();
        bytes = 0;
    }
}
