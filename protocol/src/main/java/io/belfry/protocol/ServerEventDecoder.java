package io.belfry.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Turns the payload of one whole frame from a server into at most one call of the handler, whatever the bytes are. An
 * event with an op that is not known here is passed over, as docs/protocol.md asks of every client.
 */
public interface ServerEventDecoder {
    void decode(ByteBuf frame, int offset, int length, ServerEventHandler handler);
}
