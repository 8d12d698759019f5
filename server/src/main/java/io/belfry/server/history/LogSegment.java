package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** A segment of a log: memory of the log, or a mapping of the segment's file. Owner: the lane's loop. */
final class LogSegment {
    /** Not watched for leaks: a watched segment would record each access, and {@code SegmentLog.close} frees all segments. */
    private static final ByteBufAllocator MEMORY = new UnpooledByteBufAllocator(true, true);

    final long number;
    ByteBuf bytes;

    /** The file that the bytes are a mapping of, or null if they are the log's own memory. */
    @Nullable
    MappedFile file;

    int end;

    LogSegment(long number, int size) {
        this.number = number;
        bytes = MEMORY.directBuffer(size, size);
        bytes.writerIndex(size);
    }

    LogSegment(StoredSegment stored) {
        number = stored.number();
        file = stored.file();
        bytes = stored.file().bytes();
        end = stored.end();
    }

    void map(MappedFile mapping) {
        bytes.release();
        file = mapping;
        bytes = mapping.bytes();
    }

    void releaseOwn() {
        if (file == null) {
            bytes.release();
        }
    }
}
