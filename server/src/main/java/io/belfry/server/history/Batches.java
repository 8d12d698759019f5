package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of records that are written together: a mark, then the records up to the next mark. Pure functions on bytes,
 * used by the writer and by the reader.
 *
 *
 * <p>Every record has a checksum. The mark has one over all of these, so a batch is either complete or invalid. The mark holds
 * its own address, which distinguishes it from remains of an earlier use of the file. It also holds the end of the log before
 * it, so that the next file reveals a file that was truncated.
 *
 * <pre>
 *   40       48      52      56       64            72         76
 *   +--------+-------+-------+--------+-------------+----------+-----
 *   | magic  | bytes |records| floor  | tail segment| checksums| 0
 *   +--------+-------+-------+--------+-------------+----------+-----
 * </pre>
 * The mark's {@code seq} is its own address, its {@code previous} is the end of the log before it.
 */
public final class Batches {
    /** Bytes of a mark. */
    static final int MARK_BYTES = RecordLayout.HEADER + 40;

    /** "BELFRY" and the number of this layout. */
    private static final long MAGIC = 0x42454C4652590001L;

    private static final int BATCH_BYTES = RecordLayout.HEADER + 8;
    private static final int RECORDS = RecordLayout.HEADER + 12;
    private static final int FLOOR = RecordLayout.HEADER + 16;
    private static final int TAIL_SEGMENT = RecordLayout.HEADER + 24;
    private static final int CHECKSUMS = RecordLayout.HEADER + 32;

    private final CRC32C record = new CRC32C();
    private final CRC32C checksums = new CRC32C();
    private final ByteBuffer one = ByteBuffer.allocate(Integer.BYTES);

    /** Returns the address of an offset in a segment. */
    public static long address(long segment, int offset) {
        return (segment << SegmentLog.DISK_SHIFT) + offset;
    }

    /** Returns the segment of an address. */
    public static long segment(long address) {
        return address >>> SegmentLog.DISK_SHIFT;
    }

    /** The content of a mark except for the checksums. Immutable. */
    public record Mark(long endBefore, long floor, long tailSegment) {}

    /** Writes the mark at an offset. */
    static void mark(ByteBuf bytes, int at, int batchBytes, int records, Mark mark) {
        bytes.setLong(at + RecordLayout.PREVIOUS, mark.endBefore());
        bytes.setLong(at + RecordLayout.HEADER, MAGIC);
        bytes.setInt(at + BATCH_BYTES, batchBytes);
        bytes.setInt(at + RECORDS, records);
        bytes.setLong(at + FLOOR, mark.floor());
        bytes.setLong(at + TAIL_SEGMENT, mark.tailSegment());
    }

    /** Returns the bytes of the batch whose mark is at this offset. */
    static int batchBytes(ByteBuf bytes, int at) {
        return bytes.getInt(at + BATCH_BYTES);
    }

    /** Returns the content of the mark at this offset, which must be verified. */
    public static Mark markAt(ByteBuffer bytes, int at) {
        return new Mark(
                bytes.getLong(at + RecordLayout.PREVIOUS), bytes.getLong(at + FLOOR), bytes.getLong(at + TAIL_SEGMENT));
    }

    /** Computes the checksums of whole batches. The buffer's position and limit change. */
    public void seal(ByteBuffer bytes, int from, int to) {
        for (int mark = from; mark < to; ) {
            int end = mark + bytes.getInt(mark + BATCH_BYTES);
            checksums.reset();
            for (int at = mark + MARK_BYTES; at < end; at += length(bytes, at)) {
                bytes.putInt(at + RecordLayout.CHECKSUM, checksum(bytes, at, length(bytes, at)));
                add(bytes.getInt(at + RecordLayout.CHECKSUM));
            }
            bytes.putInt(mark + CHECKSUMS, (int) checksums.getValue());
            bytes.putInt(mark + RecordLayout.CHECKSUM, checksum(bytes, mark, MARK_BYTES));
            mark = end;
        }
    }

    /**
     * Returns the bytes of the complete and valid batch at an offset, or 0 if there is none or it has another address. Reads only
     * below {@code limit}, whatever the bytes contain.
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
            long length = end - each < RecordLayout.HEADER ? 0 : lengthOfAny(bytes, each);
            if (length < RecordLayout.HEADER
                    || length > end - each
                    || checksum(bytes, each, (int) length) != bytes.getInt(each + RecordLayout.CHECKSUM)) {
                return 0;
            }
            add(bytes.getInt(each + RecordLayout.CHECKSUM));
            each += (int) length;
        }
        boolean whole =
                records == bytes.getInt(at + RECORDS) && (int) checksums.getValue() == bytes.getInt(at + CHECKSUMS);
        return whole ? batchBytes : 0;
    }

    private boolean isMark(ByteBuffer bytes, int at, int limit, long address) {
        return limit - at >= MARK_BYTES
                && bytes.getLong(at + RecordLayout.HEADER) == MAGIC
                && bytes.getLong(at + RecordLayout.SEQ) == address
                && checksum(bytes, at, MARK_BYTES) == bytes.getInt(at + RecordLayout.CHECKSUM);
    }

    /** Returns the checksum of a record, computed without its checksum field. */
    private int checksum(ByteBuffer bytes, int at, int length) {
        record.reset();
        bytes.limit(at + RecordLayout.CHECKSUM).position(at);
        record.update(bytes);
        bytes.limit(at + length).position(at + RecordLayout.NAME_LENGTH);
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

    /** Returns the length field of unverified bytes, so any value is possible. */
    private static long lengthOfAny(ByteBuffer bytes, int at) {
        long parts = (long) (bytes.get(at + RecordLayout.ID_LENGTH) & 0xFF)
                + (bytes.get(at + RecordLayout.NAME_LENGTH) & 0xFF)
                + bytes.getInt(at + RecordLayout.DATA_LENGTH);
        return (RecordLayout.HEADER + parts + 7) & ~7L;
    }
}
