package io.belfry.server.history;

import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
 *
 * <p>The log of a history on disk differs in three things. A record, once written, does not change any more: it has no
 * link to the next, and there stand a checksum (four bytes) and the length of the subject's name (one), which follows the
 * data, so that a segment can be read by who knows nothing else. A segment's memory gives way to a mapping of its file
 * when it is full and written. And there are <em>marks</em>, which are no messages: each begins a batch of records that
 * were written together ({@link Batches}).
 */
public final class SegmentLog {
    /** No such record. */
    public static final long NONE = -1;

    static final int DATA_LENGTH = 4;
    static final int META = 8;
    static final int ID_LENGTH = 14;
    static final int FLAGS = 15;
    static final int SEQ = 16;
    static final int PREVIOUS = 24;
    private static final int NEXT = 32;
    static final int CHECKSUM = 32;
    static final int NAME_LENGTH = 36;
    static final int HEADER = 40;
    private static final int TIME_SHIFT = 16;
    private static final int FLAG_RETAINED = 1;
    private static final int FLAG_DEAD = 2;
    private static final int FLAG_COPY = 4;
    private static final int FLAG_MARK = 8;

    /** Fixed on disk, so that an address means the same whatever size of segment is configured. */
    static final int DISK_SHIFT = 30;

    /** Not watched for leaks: a watched segment would note each of its accesses, and {@link #close} gives all back. */
    private static final ByteBufAllocator MEMORY = new UnpooledByteBufAllocator(true, true);

    private static final class Segment {
        final long number;
        ByteBuf bytes;

        /** The file that the bytes are a mapping of, or null: they are memory of our own. */
        @Nullable
        MappedFile file;

        int end;

        Segment(long number, int size) {
            this.number = number;
            bytes = MEMORY.directBuffer(size, size);
            bytes.writerIndex(size);
        }

        Segment(StoredSegment stored) {
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

    private final int segmentBytes;
    private final int shift;
    private final int segmentsMax;
    private final boolean named;
    private final Deque<Segment> segments = new ArrayDeque<>();
    private List<LeftSegment> left = new ArrayList<>();
    private Segment head;
    private Segment[] byNumber;
    private long tail;
    private long records;
    private long usedBytes;
    private long rearranged;

    /** The log may have two segments, one being written and one being read, whatever the budget says. */
    public SegmentLog(int segmentBytes, long budgetBytes) {
        this.segmentBytes = segmentBytes;
        shift = Integer.SIZE - Integer.numberOfLeadingZeros(segmentBytes - 1);
        segmentsMax = Math.clamp(budgetBytes / segmentBytes, 2, Integer.MAX_VALUE);
        named = false;
        byNumber = new Segment[16];
        head = open(0);
    }

    /** A log on disk: what is stored of it, oldest first and without a gap in the numbers, and behind that an empty segment. */
    SegmentLog(int segmentBytes, List<StoredSegment> stored) {
        this.segmentBytes = segmentBytes;
        shift = DISK_SHIFT;
        segmentsMax = Integer.MAX_VALUE;
        named = true;
        byNumber = new Segment[16];
        stored.forEach(each -> put(new Segment(each)));
        usedBytes = stored.stream().mapToLong(StoredSegment::end).sum();
        head = open(stored.isEmpty() ? 0 : stored.getLast().number() + 1);
        tail = address(segments.getFirst(), 0);
    }

    /** Room a record of this size takes. */
    public static int recordBytes(int idLength, int dataLength) {
        return (HEADER + idLength + dataLength + 7) & ~7;
    }

    public long records() {
        return records;
    }

    public long bytes() {
        return named ? usedBytes : (long) segments.size() * segmentBytes;
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

    /** Bytes that records and marks take. */
    long usedBytes() {
        return usedBytes;
    }

    /** The address that the next record gets, or a lower one where it does not fit into the segment any more. */
    long end() {
        return address(head, head.end);
    }

    boolean hasRoom(int length) {
        return head.end + length <= segmentBytes;
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
        put(
                at,
                subject,
                seq,
                time,
                retained ? FLAG_RETAINED : 0,
                previous,
                id,
                idAt,
                idLength,
                data,
                dataAt,
                dataLength);
        head.bytes.setLong(at + NEXT, NONE + 1);
        records++;
        long address = address(head, at);
        if (holds(previous)) {
            setLink(previous, NEXT, address);
        }
        return address;
    }

    private void put(
            int at,
            int subject,
            long seq,
            long time,
            int flags,
            long previous,
            ByteBuf id,
            int idAt,
            int idLength,
            ByteBuf data,
            int dataAt,
            int dataLength) {
        ByteBuf bytes = head.bytes;
        bytes.setInt(at, subject);
        bytes.setInt(at + DATA_LENGTH, dataLength);
        bytes.setLong(at + META, (time << TIME_SHIFT) | ((long) idLength << Byte.SIZE) | flags);
        bytes.setLong(at + SEQ, seq);
        bytes.setLong(at + PREVIOUS, previous + 1);
        if (idLength > 0) {
            bytes.setBytes(at + HEADER, id, idAt, idLength);
        }
        bytes.setBytes(at + HEADER + idLength, data, dataAt, dataLength);
    }

    /** As {@link #append}, for a log on disk; the record is complete but for its checksum. */
    long appendNamed(
            int subject,
            SubjectKey name,
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
        int length = recordBytes(idLength, dataLength + name.length());
        int at = makeRoom(length);
        ByteBuf bytes = head.bytes;
        // What pads the record goes to disk too, and is not to be what lay in this memory before.
        bytes.setLong(at + length - Long.BYTES, 0);
        put(
                at,
                subject,
                seq,
                time,
                retained ? FLAG_RETAINED : 0,
                previous,
                id,
                idAt,
                idLength,
                data,
                dataAt,
                dataLength);
        bytes.setLong(at + CHECKSUM, 0);
        bytes.setByte(at + NAME_LENGTH, name.length());
        bytes.setBytes(at + HEADER + idLength + dataLength, name.buffer(), 0, name.length());
        records++;
        return address(head, at);
    }

    /** Puts a copy behind all others that is no message of the history: it only carries the retained message on. */
    long appendRetainedCopy(long address, long now) {
        int length = length(address);
        int at = makeRoom(length);
        head.bytes.setBytes(at, bytes(address), offset(address), length);
        head.bytes.setInt(at + CHECKSUM, 0);
        records++;
        makeCopy(address(head, at), now);
        return address(head, at);
    }

    /** Makes of a record just appended what carries a retained message on and is no message of the history. */
    void makeCopy(long address, long now) {
        head.bytes.setByte(offset(address) + FLAGS, FLAG_RETAINED | FLAG_COPY);
        head.bytes.setLong(offset(address) + PREVIOUS, now);
        records--;
    }

    /** When this copy was made. */
    long copiedAt(long address) {
        return bytes(address).getLong(offset(address) + PREVIOUS);
    }

    /** A stored record was found to be a message. */
    void onReplayed() {
        records++;
    }

    /** A message is about to be rolled back. */
    void onTakenBack() {
        records--;
    }

    /** Puts a mark behind all others, its content still zeros. */
    long appendMark() {
        int at = makeRoom(Batches.MARK_BYTES);
        head.bytes.setZero(at, Batches.MARK_BYTES);
        head.bytes.setInt(at, SubjectTable.NONE);
        head.bytes.setInt(at + DATA_LENGTH, Batches.MARK_BYTES - HEADER);
        head.bytes.setByte(at + FLAGS, FLAG_DEAD | FLAG_MARK);
        head.bytes.setLong(at + SEQ, address(head, at));
        return address(head, at);
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
        records++;
        rearranged++;
        return copy;
    }

    private int makeRoom(int length) {
        if (!hasRoom(length)) {
            openNext();
        }
        int at = head.end;
        head.end = at + length;
        usedBytes += length;
        return at;
    }

    void openNext() {
        head = open(head.number + 1);
        giveBack();
    }

    /** The oldest record leaves. */
    void leave() {
        records -= isMessage(tail) ? 1 : 0;
        tail += length(tail);
        giveBack();
    }

    private void giveBack() {
        while (segments.size() > 1 && tail == tailSegmentEnd()) {
            Segment oldest = segments.removeFirst();
            usedBytes -= oldest.end;
            oldest.releaseOwn();
            if (named) {
                left.add(new LeftSegment(oldest.number, oldest.file));
            }
            tail = address(segments.getFirst(), 0);
        }
    }

    /** Whether segments left whose files are still there. */
    boolean hasLeft() {
        return !left.isEmpty();
    }

    /** The segments that left since it was asked last; the caller sees to their files. */
    List<LeftSegment> takeLeft() {
        List<LeftSegment> taken = left;
        left = new ArrayList<>();
        return taken;
    }

    /** Takes back all from this address on, and what follows goes to a new segment. The links are the caller's. */
    void rollBack(long address) {
        while (segments.size() > 1 && address(segments.getLast(), 0) >= address) {
            usedBytes -= segments.getLast().end;
            segments.removeLast().releaseOwn();
        }
        head = segments.getLast();
        // The segment that the address is in may have left, and all that followed is to be taken back.
        int end = numberOf(address) == head.number ? offset(address) : 0;
        usedBytes -= head.end - end;
        head.end = end;
        openNext();
    }

    /** Their files could not be deleted after all. */
    void putBack(List<LeftSegment> segments) {
        left.addAll(segments);
    }

    /** The file takes the place of the segment's memory. Answers false where the segment is gone. */
    boolean map(long number, MappedFile file) {
        if (number < segments.getFirst().number) {
            return false;
        }
        byNumber[(int) number & (byNumber.length - 1)].map(file);
        return true;
    }

    long headNumber() {
        return head.number;
    }

    long tailNumber() {
        return segments.getFirst().number;
    }

    /** Where the segment with this number ends by now. */
    long endOf(long number) {
        Segment segment = byNumber[(int) number & (byNumber.length - 1)];
        return address(segment, segment.end);
    }

    long numberOf(long address) {
        return address >>> shift;
    }

    long startOf(long number) {
        return number << shift;
    }

    int offsetOf(long address) {
        return offset(address);
    }

    /** The address behind this record's, or the first of the next segment where this was the last of its own. */
    long after(long address) {
        long next = address + length(address);
        long number = numberOf(address);
        return next == endOf(number) && number < head.number ? (number + 1) << shift : next;
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

    boolean isMark(long address) {
        return (flags(address) & FLAG_MARK) != 0;
    }

    /** Whether it only carries a retained message on. */
    boolean isCopy(long address) {
        return (flags(address) & FLAG_COPY) != 0;
    }

    boolean isMessage(long address) {
        return (flags(address) & (FLAG_MARK | FLAG_COPY)) == 0;
    }

    public boolean retained(long address) {
        return (flags(address) & FLAG_RETAINED) != 0;
    }

    /** Whether a later record of its subject left before this one, so that it must not be given any more. */
    public boolean isDead(long address) {
        return (flags(address) & FLAG_DEAD) != 0;
    }

    /** Grows when a record gave its place to a copy or was marked as dead: what a walk found before may not hold then. */
    long rearranged() {
        return rearranged;
    }

    void kill(long address) {
        rearranged++;
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

    int nameLength(long address) {
        return named ? bytes(address).getUnsignedByte(offset(address) + NAME_LENGTH) : 0;
    }

    int nameOffset(long address) {
        return dataOffset(address) + dataLength(address);
    }

    int length(long address) {
        return recordBytes(idLength(address), dataLength(address) + nameLength(address));
    }

    /** The buffer that the offsets of this record are in; valid until the record leaves. */
    public ByteBuf bytes(long address) {
        return byNumber[(int) (address >>> shift) & (byNumber.length - 1)].bytes;
    }

    public void close() {
        for (Iterator<Segment> each = segments.iterator(); each.hasNext(); each.remove()) {
            Segment segment = each.next();
            segment.releaseOwn();
            if (segment.file != null) {
                segment.file.close();
            }
        }
        left.forEach(LeftSegment::close);
        left.clear();
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
        put(segment);
        return segment;
    }

    private void put(Segment segment) {
        segments.addLast(segment);
        if (segments.size() > byNumber.length) {
            byNumber = new Segment[byNumber.length * 2];
            segments.forEach(each -> byNumber[(int) each.number & (byNumber.length - 1)] = each);
        }
        byNumber[(int) segment.number & (byNumber.length - 1)] = segment;
    }
}
