package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The fragments of one message that have arrived so far, in memory of the heap. Owner: its connection's loop. */
final class FragmentedMessage {
    private final boolean binary;
    private final boolean deflated;
    private final ByteBuf bytes = Unpooled.buffer();

    FragmentedMessage(boolean binary, boolean deflated) {
        this.binary = binary;
        this.deflated = deflated;
    }

    boolean isBinary() {
        return binary;
    }

    boolean isDeflated() {
        return deflated;
    }

    /** Adds a fragment; returns false if the message would exceed this number of bytes. */
    boolean add(ByteBuf in, int offset, int length, int bytesMax) {
        if (length > bytesMax - bytes.readableBytes()) {
            return false;
        }
        bytes.writeBytes(in, offset, length);
        return true;
    }

    ByteBuf bytes() {
        return bytes;
    }
}
