package io.belfry.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Decodes the payload of one frame into exactly one call of a handler; invalid bytes are reported to the handler and
 * never throw.
 */
public interface CommandDecoder {
    /** Decodes {@code length} bytes at {@code offset}. */
    void decode(ByteBuf frame, int offset, int length, CommandHandler handler);
}
