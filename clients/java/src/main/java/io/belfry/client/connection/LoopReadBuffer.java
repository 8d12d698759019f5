package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.nio.ByteBuffer;

/**
 * One read buffer for all connections of a loop. A loop reads one socket at a time, and the handler is done with the
 * bytes when it returns. This saves an allocation per read and an estimator per connection. Handlers release the buffer
 * as usual and must not keep it. Owner: the loop.
 */
final class LoopReadBuffer implements RecvByteBufAllocator {
    private final ByteBuf buffer;
    private final Handle handle = new Handle();

    LoopReadBuffer(int bytes) {
        this.buffer = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(bytes));
    }

    @Override
    @SuppressWarnings("deprecation") // The return type of the interface is deprecated.
    public RecvByteBufAllocator.Handle newHandle() {
        return handle;
    }

    void release() {
        buffer.release();
    }

    /** The state of the current read; {@link #reset} clears it before each read. */
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

        /** Reads once per wake-up: remaining data wakes the loop again, after the other connections. */
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
