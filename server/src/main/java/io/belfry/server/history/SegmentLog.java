package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * An append-only log of records in off-heap segments. Owner: the lane's loop.
 *
 * <p>A record's address is a long that only grows: {@code segment number * segment bytes + offset}. Segments leave from the
 * old end, whole; an address below {@link #tail} is gone. Nothing in it is a heap object per message, so a cache of ten
 * million messages costs the collector nothing.
 *
 * <pre>
 *   0        4        8        12       16                24                32
 *   +--------+--------+--------+--------+-----------------+-----------------+-----
 *   | length | subject|  data  |id|fl| -|       seq       |      time       | ...
 *   +--------+--------+--------+--------+-----------------+-----------------+-----
 *   32                40
 *   +-----------------+------------------+--------------------+
 *   |  previous + 1   | message id       | data               |  padded to 8
 *   +-----------------+------------------+--------------------+
 * </pre>
 */
public final class SegmentLog {
    /** No such record. */
    public static final long NONE = -1;

    private static final int SUBJECT = 4;
    private static final int DATA_LENGTH = 8;
    private static final int ID_LENGTH = 12;
    private static final int FLAGS = 13;
    private static final int SEQ = 16;
    private static final int TIME = 24;
    private static final int PREVIOUS = 32;
    private static final int HEADER = 40;
    private static final int FLAG_RETAINED = 1;

    /** Told of each record of a segment that leaves, oldest first, while it can still be read. */
    public interface Leaving {
        void onLeaving(long address, int subject);
    }

    private static final class Segment {
        final ByteBuf bytes;
        final long number;
        int end;
        int records;
        long newestTime;

        Segment(long number, int size) {
            this.number = number;
            bytes = Unpooled.directBuffer(size, size);
            bytes.writerIndex(size);
        }
    }

    private final int segmentBytes;
    private final long budgetBytes;
    private final Deque<Segment> segments = new ArrayDeque<>();
    private Segment head;
    private Segment[] byNumber;
    private long records;

    /** The log holds at least two segments, one being written and one being read, whatever the budget says. */
    public SegmentLog(int segmentBytes, long budgetBytes) {
        this.segmentBytes = segmentBytes;
        this.budgetBytes = budgetBytes;
        byNumber = new Segment[16];
        head = open(0);
    }

    /** Room a record of this size takes. */
    public static int recordBytes(int idLength, int dataLength) {
        return (HEADER + idLength + dataLength + 7) & ~7;
    }

    public long records() {
        return records;
    }

    public long bytes() {
        return (long) segments.size() * segmentBytes;
    }

    /** Addresses below are gone. */
    public long tail() {
        return segments.getFirst().number * segmentBytes;
    }

    public long append(
            int subject,
            long seq,
            long time,
            boolean retained,
            long previous,
            ByteBuf id,
            int idAt,
            int idLength,
            ByteBuf data,
            int dataAt,
            int dataLength) {
        int length = recordBytes(idLength, dataLength);
        if (head.end + length > segmentBytes) {
            head = open(head.number + 1);
        }
        ByteBuf bytes = head.bytes;
        int at = head.end;
        bytes.setInt(at, length);
        bytes.setInt(at + SUBJECT, subject);
        bytes.setInt(at + DATA_LENGTH, dataLength);
        bytes.setByte(at + ID_LENGTH, idLength);
        bytes.setByte(at + FLAGS, retained ? FLAG_RETAINED : 0);
        bytes.setLong(at + SEQ, seq);
        bytes.setLong(at + TIME, time);
        bytes.setLong(at + PREVIOUS, previous + 1);
        if (idLength > 0) {
            bytes.setBytes(at + HEADER, id, idAt, idLength);
        }
        bytes.setBytes(at + HEADER + idLength, data, dataAt, dataLength);
        head.end = at + length;
        head.records++;
        head.newestTime = time;
        records++;
        return head.number * segmentBytes + at;
    }

    /** Whether {@link #evict} would drop something for the budget's sake. */
    public boolean isOverBudget() {
        return segments.size() > 2 && bytes() > budgetBytes;
    }

    /** Drops old segments until budget and age hold, telling of each record that leaves. */
    public void evict(long oldestTime, Leaving leaving) {
        while (isOverBudget() || (segments.size() > 1 && segments.getFirst().newestTime < oldestTime)) {
            drop(leaving);
        }
        if (segments.size() == 1 && head.records > 0 && head.newestTime < oldestTime) {
            head = open(head.number + 1);
            drop(leaving);
        }
    }

    private void drop(Leaving leaving) {
        Segment oldest = segments.getFirst();
        for (int at = 0; at < oldest.end; at += oldest.bytes.getInt(at)) {
            leaving.onLeaving(oldest.number * segmentBytes + at, oldest.bytes.getInt(at + SUBJECT));
        }
        segments.removeFirst();
        records -= oldest.records;
        oldest.bytes.release();
    }

    public boolean holds(long address) {
        return address >= tail();
    }

    public long seq(long address) {
        return bytes(address).getLong(offset(address) + SEQ);
    }

    public long time(long address) {
        return bytes(address).getLong(offset(address) + TIME);
    }

    /** The address of the subject's record before this one, which may be gone, or {@link #NONE}. */
    public long previous(long address) {
        return bytes(address).getLong(offset(address) + PREVIOUS) - 1;
    }

    public boolean retained(long address) {
        return (bytes(address).getByte(offset(address) + FLAGS) & FLAG_RETAINED) != 0;
    }

    public int subject(long address) {
        return bytes(address).getInt(offset(address) + SUBJECT);
    }

    public int idLength(long address) {
        return bytes(address).getUnsignedByte(offset(address) + ID_LENGTH);
    }

    public int idOffset(long address) {
        return offset(address) + HEADER;
    }

    public int dataLength(long address) {
        return bytes(address).getInt(offset(address) + DATA_LENGTH);
    }

    public int dataOffset(long address) {
        return offset(address) + HEADER + idLength(address);
    }

    /** The buffer that the offsets of this record are in; valid until the record leaves. */
    public ByteBuf bytes(long address) {
        return byNumber[(int) (address / segmentBytes & (byNumber.length - 1))].bytes;
    }

    public void close() {
        for (Iterator<Segment> each = segments.iterator(); each.hasNext(); each.remove()) {
            each.next().bytes.release();
        }
        records = 0;
    }

    private int offset(long address) {
        return (int) (address % segmentBytes);
    }

    private Segment open(long number) {
        Segment segment = new Segment(number, segmentBytes);
        segments.addLast(segment);
        if (segments.size() > byNumber.length) {
            byNumber = new Segment[byNumber.length * 2];
            segments.forEach(each -> byNumber[(int) (each.number & (byNumber.length - 1))] = each);
        }
        byNumber[(int) (number & (byNumber.length - 1))] = segment;
        return segment;
    }
}
