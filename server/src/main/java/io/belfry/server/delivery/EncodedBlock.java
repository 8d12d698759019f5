package io.belfry.server.delivery;

import io.belfry.protocol.WireFormat;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The messages of one format that sessions have not been sent yet, encoded once, one after the other. Owner: the lane's loop. */
final class EncodedBlock {
    /** A turn that encodes more bytes is flushed in the middle. */
    static final int TURN_BYTES_MAX = 1 << 20;

    private static final int BYTES_INITIAL = 1 << 14;

    final WireFormat format;
    ByteBuf bytes = Unpooled.directBuffer(BYTES_INITIAL);

    /** The latest message in the block, and where its bytes are. */
    long serial;

    int start;
    int end;

    /** The latest message of which a delta is in the block, and where its bytes are. */
    long deltaSerial;

    int deltaStart;
    int deltaEnd;

    EncodedBlock(WireFormat format) {
        this.format = format;
    }

    /** Removes the messages, and frees the memory that only deferred writes need. */
    void clear() {
        bytes.clear();
        if (bytes.capacity() > 2 * TURN_BYTES_MAX) {
            bytes.release();
            bytes = Unpooled.directBuffer(BYTES_INITIAL);
        }
    }
}
