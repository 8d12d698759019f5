package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** A segment of a log: memory of the log, or a mapping of the segment's file. Owner: the lane's loop. */
final class LogSegment {
    /** Not watched for leaks: a watched segment would record each access, and {@code SegmentLog.close} frees all segments. */
    private static final ByteBufAllocator MEMORY = new UnpooledByteBufAllocator(true, true);

    /** Initial size of the first segment of a log in memory; the lanes of a server without messages need no more. */
    static final int INITIAL_BYTES = 64 * 1024;

    final long number;
    ByteBuf bytes;

    /** The file that the bytes are a mapping of, or null if they are the log's own memory. */
    @Nullable
    MappedFile file;

    int end;

    /** Creates a segment in memory of at most {@code size} bytes, which has {@code initial} bytes until more are taken. */
    LogSegment(long number, int initial, int size) {
        this.number = number;
        bytes = MEMORY.directBuffer(initial, size);
        bytes.writerIndex(initial);
    }

    LogSegment(StoredSegment stored) {
        number = stored.number();
        file = stored.file();
        bytes = stored.file().bytes();
        end = stored.end();
    }

    /**
     * Takes bytes at the end, for which the caller has checked that there is room, and returns their offset. Java clears
     * direct memory, so every byte that exists is resident: a segment that begins small doubles as it fills.
     */
    int take(int length) {
        int at = end;
        end = at + length;
        if (end > bytes.capacity()) {
            bytes.capacity(Math.clamp(2L * bytes.capacity(), end, bytes.maxCapacity()));
            bytes.writerIndex(bytes.capacity());
        }
        return at;
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
