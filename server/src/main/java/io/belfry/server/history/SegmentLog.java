package io.belfry.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * A log of records in off-heap segments: written at the head, left at the tail. Owner: the lane's loop.
 *
 * <p>A record's address is a long that only grows, segment number and offset; below {@link #tail} everything is gone. Records
 * leave one by one in the order of their addresses, and a segment's memory is given back when its last one left. Those of
 * one subject are linked both ways by seq. A copy at the head may take a record's place in these links, so they need not
 * go along with the addresses. Nothing in it is a heap object per message, so a cache of ten million messages costs the
 * collector nothing.
 *
 * <pre>
 *   0        4        8            14  15  16                24                32                40
 *   +--------+--------+------------+---+---+-----------------+-----------------+-----------------+-----
 *   | subject|  data  |    time    |id |fl.|       seq       |  previous + 1   |    next + 1     | ...
 *   +--------+--------+------------+---+---+-----------------+-----------------+-----------------+-----
 *   40
 *   +------------------+--------------------+
 *   | message id       | data               |  padded to 8
 *   +------------------+--------------------+
 * </pre>
 */
public final class SegmentLog {
    /** No such record. */
    public static final long NONE = -1;

    private static final int DATA_LENGTH = 4;
    private static final int META = 8;
    private static final int ID_LENGTH = 14;
    private static final int FLAGS = 15;
    private static final int SEQ = 16;
    private static final int PREVIOUS = 24;
    private static final int NEXT = 32;
    private static final int HEADER = 40;
    private static final int TIME_SHIFT = 16;
    private static final int FLAG_RETAINED = 1;
    private static final int FLAG_DEAD = 2;

    private static final class Segment {
        final ByteBuf bytes;
        final long number;
        int end;

        Segment(long number, int size) {
            this.number = number;
            bytes = Unpooled.directBuffer(size, size);
            bytes.writerIndex(size);
        }
    }

    private final int segmentBytes;
    private final int shift;
    private final int segmentsMax;
    private final Deque<Segment> segments = new ArrayDeque<>();
    private Segment head;
    private Segment[] byNumber;
    private long tail;
    private long records;

    /** The log may have two segments, one being written and one being read, whatever the budget says. */
    public SegmentLog(int segmentBytes, long budgetBytes) {
        this.segmentBytes = segmentBytes;
        shift = Integer.SIZE - Integer.numberOfLeadingZeros(segmentBytes - 1);
        segmentsMax = Math.clamp(budgetBytes / segmentBytes, 2, Integer.MAX_VALUE);
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

    int segmentBytes() {
        return segmentBytes;
    }

    int segmentsMax() {
        return segmentsMax;
    }

    /** How many segments there are more than the budget has room for. */
    public int segmentsOver() {
        return Math.max(0, segments.size() - segmentsMax);
    }

    public boolean isEmpty() {
        return records == 0;
    }

    /** The oldest address still held; the record there is the next to leave. */
    public long tail() {
        return tail;
    }

    /** Where the records of the segment that the tail is in end. */
    long tailSegmentEnd() {
        Segment oldest = segments.getFirst();
        return address(oldest, oldest.end);
    }

    public boolean holds(long address) {
        return address >= tail;
    }

    /** Puts a record behind all others, and behind the subject's record before it, which may be {@link #NONE}. */
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
        int at = makeRoom(recordBytes(idLength, dataLength));
        ByteBuf bytes = head.bytes;
        bytes.setInt(at, subject);
        bytes.setInt(at + DATA_LENGTH, dataLength);
        bytes.setLong(
                at + META, (time << TIME_SHIFT) | ((long) idLength << Byte.SIZE) | (retained ? FLAG_RETAINED : 0));
        bytes.setLong(at + SEQ, seq);
        bytes.setLong(at + PREVIOUS, previous + 1);
        bytes.setLong(at + NEXT, NONE + 1);
        if (idLength > 0) {
            bytes.setBytes(at + HEADER, id, idAt, idLength);
        }
        bytes.setBytes(at + HEADER + idLength, data, dataAt, dataLength);
        long address = address(head, at);
        if (holds(previous)) {
            setLink(previous, NEXT, address);
        }
        return address;
    }

    /** Puts a copy of a record behind all others, and in its place among those of its subject. */
    long appendCopy(long address) {
        int length = length(address);
        int at = makeRoom(length);
        head.bytes.setBytes(at, bytes(address), offset(address), length);
        long copy = address(head, at);
        long previous = previous(address);
        if (holds(previous)) {
            setLink(previous, NEXT, copy);
        }
        long next = link(address, NEXT);
        if (next != NONE) {
            setLink(next, PREVIOUS, copy);
        }
        return copy;
    }

    private int makeRoom(int length) {
        if (head.end + length > segmentBytes) {
            head = open(head.number + 1);
            giveBack();
        }
        int at = head.end;
        head.end = at + length;
        records++;
        return at;
    }

    /** The oldest record leaves. */
    void leave() {
        tail += length(tail);
        records--;
        giveBack();
    }

    private void giveBack() {
        while (segments.size() > 1 && tail == tailSegmentEnd()) {
            segments.removeFirst().bytes.release();
            tail = address(segments.getFirst(), 0);
        }
    }

    public long seq(long address) {
        return bytes(address).getLong(offset(address) + SEQ);
    }

    public long time(long address) {
        return bytes(address).getLong(offset(address) + META) >> TIME_SHIFT;
    }

    /** The address of the subject's record before this one, which may be gone, or {@link #NONE}. */
    public long previous(long address) {
        return link(address, PREVIOUS);
    }

    public boolean retained(long address) {
        return (flags(address) & FLAG_RETAINED) != 0;
    }

    /** Whether a later record of its subject left before this one, so that it must not be given any more. */
    public boolean isDead(long address) {
        return (flags(address) & FLAG_DEAD) != 0;
    }

    void kill(long address) {
        bytes(address).setByte(offset(address) + FLAGS, flags(address) | FLAG_DEAD);
    }

    public int subject(long address) {
        return bytes(address).getInt(offset(address));
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

    int length(long address) {
        return recordBytes(idLength(address), dataLength(address));
    }

    /** The buffer that the offsets of this record are in; valid until the record leaves. */
    public ByteBuf bytes(long address) {
        return byNumber[(int) (address >>> shift) & (byNumber.length - 1)].bytes;
    }

    public void close() {
        for (Iterator<Segment> each = segments.iterator(); each.hasNext(); each.remove()) {
            each.next().bytes.release();
        }
        records = 0;
    }

    private byte flags(long address) {
        return bytes(address).getByte(offset(address) + FLAGS);
    }

    private long link(long address, int which) {
        return bytes(address).getLong(offset(address) + which) - 1;
    }

    private void setLink(long address, int which, long to) {
        bytes(address).setLong(offset(address) + which, to + 1);
    }

    private long address(Segment segment, int offset) {
        return (segment.number << shift) + offset;
    }

    private int offset(long address) {
        return (int) (address & ((1L << shift) - 1));
    }

    private Segment open(long number) {
        Segment segment = new Segment(number, segmentBytes);
        segments.addLast(segment);
        if (segments.size() > byNumber.length) {
            byNumber = new Segment[byNumber.length * 2];
            segments.forEach(each -> byNumber[(int) each.number & (byNumber.length - 1)] = each);
        }
        byNumber[(int) number & (byNumber.length - 1)] = segment;
        return segment;
    }
}
