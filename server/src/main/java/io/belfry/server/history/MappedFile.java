package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/** A segment's file as read-only memory. Closed by the last user of the bytes, on any thread. */
public record MappedFile(ByteBuf bytes, Arena arena) implements AutoCloseable {
    public static MappedFile of(ByteBuffer mapping, Arena arena) {
        return new MappedFile(Unpooled.wrappedBuffer(mapping), arena);
    }

    @Override
    public void close() {
        arena.close();
    }
}
