package io.belfry.server.home;

import io.belfry.protocol.MessageHeaders;
import io.belfry.server.broker.Publication;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Writes the headers that the server sets: the time to live of a message, its publisher, and the publisher's origin. They precede
 * those of the publisher, whose names cannot begin with '$'. Owner: the lane's loop.
 */
final class ServerHeaders {
    private static final int BLOCK_KEPT_BYTES = 64 << 10;

    private ByteBuf block = Unpooled.buffer(0);

    /**
     * Gives the publication the headers of the server, until the next call; returns false if they leave no room for those of the
     * publisher. {@code named} is whether the message gets the name of its publisher.
     */
    boolean add(Publication publication, boolean named) {
        byte[] publisher = named ? publication.publisher() : null;
        if (publication.ttlMillis() == 0 && publisher == null && publication.origin() == null) {
            return true;
        }
        block = block.capacity() > BLOCK_KEPT_BYTES ? Unpooled.buffer(0) : block.clear();
        boolean fits = MessageHeaders.writeOfServer(
                block,
                publication.ttlMillis(),
                publisher,
                publication.origin(),
                publication.headers(),
                publication.headersOffset(),
                publication.headersLength());
        publication.headers(block, 0, block.writerIndex());
        return fits;
    }
}
