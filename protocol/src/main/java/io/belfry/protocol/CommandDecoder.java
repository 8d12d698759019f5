package io.belfry.protocol;

import io.netty.buffer.ByteBuf;

/** Turns the payload of one whole frame into one call of the handler, whatever the bytes are; never throws for them. */
public interface CommandDecoder {
    void decode(ByteBuf frame, int offset, int length, CommandHandler handler);
}
