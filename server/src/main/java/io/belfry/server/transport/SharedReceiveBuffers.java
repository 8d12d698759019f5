package io.belfry.server.transport;

import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * One reading strategy for all connections of a loop. Netty's default stores an adaptive estimate per connection,
 * about a hundred bytes that ten million idle connections do not need. Reads use pooled buffers of the largest size
 * in the thread's cache and return them at once. Owner: the loop; Netty resets the handle before each connection's
 * reading.
 */
@SuppressWarnings("deprecation") // The interface's only method returns a deprecated type.
final class SharedReceiveBuffers implements RecvByteBufAllocator {
    static final int READ_BYTES = 32 * 1024;

    private final Handle handle = new FixedRecvByteBufAllocator(READ_BYTES).newHandle();

    @Override
    public Handle newHandle() {
        return handle;
    }
}
