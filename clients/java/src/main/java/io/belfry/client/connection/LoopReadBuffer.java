package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.nio.ByteBuffer;

/**
 * One read buffer for all connections of a loop: a loop reads one socket at a time and its handler is done with the
 * bytes when it returns. Saves an allocation per read and an estimator per connection. Owner: the loop. A handler
 * releases what it gets, as always, and keeps none of it.
 */
final class LoopReadBuffer implements RecvByteBufAllocator {
    private final ByteBuf buffer;
    private final Handle handle = new Handle();

    LoopReadBuffer(int bytes) {
        this.buffer = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(bytes));
    }

    @Override
    @SuppressWarnings("deprecation") // the interface's own return type
    public RecvByteBufAllocator.Handle newHandle() {
        return handle;
    }

    void release() {
        buffer.release();
    }

    /** State of the read that is going on; set anew by {@link #reset} before each. */
    private final class Handle implements ExtendedHandle {
        private int attempted;
        private int lastRead;

        @Override
        public ByteBuf allocate(ByteBufAllocator ignored) {
            assert buffer.refCnt() == 1 : "a handler kept the loop's read buffer";
            return buffer.clear().retain();
        }

        @Override
        public int guess() {
            return buffer.capacity();
        }

        @Override
        public void reset(ChannelConfig config) {
            lastRead = 0;
        }

        @Override
        public void incMessagesRead(int count) {}

        @Override
        public void lastBytesRead(int bytes) {
            lastRead = bytes;
        }

        @Override
        public int lastBytesRead() {
            return lastRead;
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            attempted = bytes;
        }

        @Override
        public int attemptedBytesRead() {
            return attempted;
        }

        /** Once per wake-up: what is left wakes the loop again, after the others had their turn. */
        @Override
        public boolean continueReading() {
            return false;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return false;
        }

        @Override
        public void readComplete() {}
    }
}
