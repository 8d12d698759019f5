package io.belfry.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Decodes the payload of one frame from a server into at most one call of a handler; never throws. Events with an
 * unknown op are ignored, as docs/protocol.md requires of every client.
 */
public interface ServerEventDecoder {
    /** Decodes {@code length} bytes at {@code offset}. */
    void decode(ByteBuf frame, int offset, int length, ServerEventHandler handler);
}
