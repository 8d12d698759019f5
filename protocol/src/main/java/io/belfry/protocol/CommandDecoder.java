package io.belfry.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Decodes the payload of one frame into exactly one call of a handler. Invalid bytes are reported to the handler and
 * never throw; an exception ends the session with {@code internal}. {@link CommandRules} checks the subjects and
 * numbers of a command and calls the handler.
 */
public interface CommandDecoder {
    /** Decodes {@code length} bytes at {@code offset}. */
    void decode(ByteBuf frame, int offset, int length, CommandHandler handler);
}
