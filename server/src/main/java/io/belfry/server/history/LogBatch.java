package io.belfry.server.history;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What a log has for its disk: ranges to write in order, then full segments to map, then the files of segments that left
 * to delete. Until it is answered the ranges belong to whoever writes them; the log touches nothing in them. Immutable.
 *
 * @param records how many messages are in it
 * @param end the address behind the last range; what is before it is on disk when this is done
 */
public record LogBatch(List<Extent> extents, List<Full> full, List<LeftSegment> left, long end, int records) {
    /** Whole batches within one segment; their checksums are still to be computed ({@link Batches#seal}). */
    public record Extent(long segment, ByteBuffer bytes, int from, int to) {}

    /** A segment that gets no more records. */
    public record Full(long segment, int bytes) {}

    public long bytes() {
        long bytes = 0;
        for (Extent extent : extents) {
            bytes += extent.to - extent.from;
        }
        return bytes;
    }
}
