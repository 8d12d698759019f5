package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;

/** Buffers for tests, from an allocator that counts the unreleased bytes. */
final class Bytes {
    private final UnpooledByteBufAllocator allocator;

    private Bytes(boolean direct) {
        // The allocator counts by itself. A leak detector would record a stack at every access of a buffer.
        allocator = new UnpooledByteBufAllocator(direct, true);
    }

    static Bytes heap() {
        return new Bytes(false);
    }

    static Bytes direct() {
        return new Bytes(true);
    }

    ByteBuf of(byte... bytes) {
        return allocator.buffer(Math.max(bytes.length, 1)).writeBytes(bytes);
    }

    ByteBuf of(byte[] bytes, int from, int to) {
        return allocator.buffer(Math.max(to - from, 1)).writeBytes(bytes, from, to - from);
    }

    long unreleased() {
        return allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
    }

    /** Returns an unpooled buffer with the Latin-1 bytes of this text; it need not be released. */
    static ByteBuf latin1(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static String latin1(ByteBuf buf) {
        return buf.toString(StandardCharsets.ISO_8859_1);
    }
}
