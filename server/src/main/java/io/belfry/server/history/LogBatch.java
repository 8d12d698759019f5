package io.belfry.server.history;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Work of a log for its disk: ranges to write in order, then full segments to map, then files of freed segments to
 * delete. Until the outcome is reported the ranges belong to the writer, and the log does not change them. Immutable.
 *
 * @param records number of messages in the batch
 * @param end the address after the last range; everything before it is on disk when the batch is written
 */
public record LogBatch(List<Extent> extents, List<Full> full, List<LeftSegment> left, long end, int records) {
    /** Complete batches within one segment; {@link Batches#seal} computes their checksums. */
    public record Extent(long segment, ByteBuffer bytes, int from, int to) {}

    /** A segment that receives no more records. */
    public record Full(long segment, int bytes) {}

    public long bytes() {
        long bytes = 0;
        for (Extent extent : extents) {
            bytes += extent.to - extent.from;
        }
        return bytes;
    }
}
