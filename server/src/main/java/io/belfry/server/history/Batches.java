package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * How records are written together: a mark, then records up to the next mark. A pure function of bytes, for whoever writes
 * and whoever reads again.
 *
 * <p>Every record has a checksum of its own. The mark has one over all of these, so a batch is whole or is none; it names
 * its own address, so it is told from what an earlier use of the room left there; and it says where the log ended before
 * it, so that a file that lost its end is found out by the next one.
 *
 * <pre>
 *   40       48      52      56       64            72         76
 *   +--------+-------+-------+--------+-------------+----------+-----
 *   | magic  | bytes |records| floor  | tail segment| checksums| 0
 *   +--------+-------+-------+--------+-------------+----------+-----
 * </pre>
 * The mark's {@code seq} is its own address, its {@code previous} the end of the log before it.
 */
public final class Batches {
    /** What a mark takes. */
    static final int MARK_BYTES = SegmentLog.HEADER + 40;

    /** "BELFRY" and the number of this layout. */
    private static final long MAGIC = 0x42454C4652590001L;

    private static final int BATCH_BYTES = SegmentLog.HEADER + 8;
    private static final int RECORDS = SegmentLog.HEADER + 12;
    private static final int FLOOR = SegmentLog.HEADER + 16;
    private static final int TAIL_SEGMENT = SegmentLog.HEADER + 24;
    private static final int CHECKSUMS = SegmentLog.HEADER + 32;

    private final CRC32C record = new CRC32C();
    private final CRC32C checksums = new CRC32C();
    private final ByteBuffer one = ByteBuffer.allocate(Integer.BYTES);

    /** The address of an offset in a segment. */
    public static long address(long segment, int offset) {
        return (segment << SegmentLog.DISK_SHIFT) + offset;
    }

    /** The segment of an address. */
    public static long segment(long address) {
        return address >>> SegmentLog.DISK_SHIFT;
    }

    /** What a mark says that is not in the checksums. Immutable. */
    public record Mark(long endBefore, long floor, long tailSegment) {}

    /** Fills in the mark at an offset. */
    static void mark(ByteBuf bytes, int at, int batchBytes, int records, Mark mark) {
        bytes.setLong(at + SegmentLog.PREVIOUS, mark.endBefore());
        bytes.setLong(at + SegmentLog.HEADER, MAGIC);
        bytes.setInt(at + BATCH_BYTES, batchBytes);
        bytes.setInt(at + RECORDS, records);
        bytes.setLong(at + FLOOR, mark.floor());
        bytes.setLong(at + TAIL_SEGMENT, mark.tailSegment());
    }

    /** The bytes of the batch whose mark is at this offset. */
    static int batchBytes(ByteBuf bytes, int at) {
        return bytes.getInt(at + BATCH_BYTES);
    }

    /** What the mark at this offset says; it was verified before. */
    public static Mark markAt(ByteBuffer bytes, int at) {
        return new Mark(
                bytes.getLong(at + SegmentLog.PREVIOUS), bytes.getLong(at + FLOOR), bytes.getLong(at + TAIL_SEGMENT));
    }

    /** Computes the checksums of whole batches. The buffer's position and limit change. */
    public void seal(ByteBuffer bytes, int from, int to) {
        for (int mark = from; mark < to; ) {
            int end = mark + bytes.getInt(mark + BATCH_BYTES);
            checksums.reset();
            for (int at = mark + MARK_BYTES; at < end; at += length(bytes, at)) {
                bytes.putInt(at + SegmentLog.CHECKSUM, checksum(bytes, at, length(bytes, at)));
                add(bytes.getInt(at + SegmentLog.CHECKSUM));
            }
            bytes.putInt(mark + CHECKSUMS, (int) checksums.getValue());
            bytes.putInt(mark + SegmentLog.CHECKSUM, checksum(bytes, mark, MARK_BYTES));
            mark = end;
        }
    }

    /**
     * The bytes of the whole and sound batch at an offset, if it is the one that has this address, or 0. Reads below
     * {@code limit} only, whatever the bytes are.
     */
    public int verify(ByteBuffer bytes, int at, int limit, long address) {
        if (!isMark(bytes, at, limit, address)) {
            return 0;
        }
        int batchBytes = bytes.getInt(at + BATCH_BYTES);
        if (batchBytes < MARK_BYTES || batchBytes > limit - at) {
            return 0;
        }
        int end = at + batchBytes;
        int records = 0;
        checksums.reset();
        for (int each = at + MARK_BYTES; each < end; records++) {
            long length = end - each < SegmentLog.HEADER ? 0 : lengthOfAny(bytes, each);
            if (length < SegmentLog.HEADER
                    || length > end - each
                    || checksum(bytes, each, (int) length) != bytes.getInt(each + SegmentLog.CHECKSUM)) {
                return 0;
            }
            add(bytes.getInt(each + SegmentLog.CHECKSUM));
            each += (int) length;
        }
        boolean whole =
                records == bytes.getInt(at + RECORDS) && (int) checksums.getValue() == bytes.getInt(at + CHECKSUMS);
        return whole ? batchBytes : 0;
    }

    private boolean isMark(ByteBuffer bytes, int at, int limit, long address) {
        return limit - at >= MARK_BYTES
                && bytes.getLong(at + SegmentLog.HEADER) == MAGIC
                && bytes.getLong(at + SegmentLog.SEQ) == address
                && checksum(bytes, at, MARK_BYTES) == bytes.getInt(at + SegmentLog.CHECKSUM);
    }

    /** Over the record without its checksum. */
    private int checksum(ByteBuffer bytes, int at, int length) {
        record.reset();
        bytes.limit(at + SegmentLog.CHECKSUM).position(at);
        record.update(bytes);
        bytes.limit(at + length).position(at + SegmentLog.NAME_LENGTH);
        record.update(bytes);
        bytes.clear();
        return (int) record.getValue();
    }

    private void add(int checksum) {
        checksums.update(one.putInt(0, checksum).array());
    }

    private static int length(ByteBuffer bytes, int at) {
        return (int) lengthOfAny(bytes, at);
    }

    /** Of bytes that may be anything, so it may be anything. */
    private static long lengthOfAny(ByteBuffer bytes, int at) {
        long parts = (long) (bytes.get(at + SegmentLog.ID_LENGTH) & 0xFF)
                + (bytes.get(at + SegmentLog.NAME_LENGTH) & 0xFF)
                + bytes.getInt(at + SegmentLog.DATA_LENGTH);
        return (SegmentLog.HEADER + parts + 7) & ~7L;
    }
}
