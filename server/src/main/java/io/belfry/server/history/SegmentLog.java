package io.belfry.server.history;

import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * A log of records ({@link RecordLayout}) in off-heap segments: written at the head, freed at the tail. Owner: the lane's loop.
 *
 * <p>A record's address is an increasing long of segment number and offset; everything below {@link #tail} is freed. Records
 * are removed one by one in the order of their addresses, and a segment's memory is freed with its last record. The records
 * of one subject are linked both ways by seq. A copy at the head may replace a record in these links, so the order of the
 * links may differ from that of the addresses. There is no heap object per message, so a cache of ten million messages costs
 * the collector nothing.
 *
 * <p>The log of a history on disk differs in three ways. A record does not change after it was written: instead of the
 * link to the next record it has a checksum (four bytes) and the length of the subject's name (one byte), and the name
 * follows the data, so that a segment can be read without other information. The memory of a full and written segment is
 * replaced by a mapping of its file. The log also contains <em>marks</em>, which are not messages: each begins a batch of
 * records that were written together ({@link Batches}).
 */
public final class SegmentLog {
    /** The address that means "no record". */
    public static final long NONE = -1;

    /** Fixed, because addresses on disk must not depend on the configured segment size. */
    static final int DISK_SHIFT = 30;

    private final int segmentBytes;
    private final int shift;
    private final int segmentsMax;
    private final boolean named;
    private final Deque<LogSegment> segments = new ArrayDeque<>();
    private List<LeftSegment> left = new ArrayList<>();
    private LogSegment head;
    private LogSegment[] byNumber;
    private long tail;

    /** The address after the latest message that was removed from its place, by expiry or after it was copied. */
    private long inOrderFrom;

    private long records;
    private long usedBytes;
    private long rearranged;

    /** Creates a log in memory. It may always have two segments, one being written and one being read, whatever the budget is. */
    public SegmentLog(int segmentBytes, long budgetBytes) {
        this.segmentBytes = segmentBytes;
        shift = Integer.SIZE - Integer.numberOfLeadingZeros(segmentBytes - 1);
        segmentsMax = Math.clamp(budgetBytes / segmentBytes, 2, Integer.MAX_VALUE);
        named = false;
        byNumber = new LogSegment[16];
        head = open(0, Math.min(LogSegment.INITIAL_BYTES, segmentBytes));
    }

    /** Creates a log on disk from its stored segments, oldest first and without a gap in the numbers, and an empty segment. */
    SegmentLog(int segmentBytes, List<StoredSegment> stored) {
        this.segmentBytes = segmentBytes;
        shift = DISK_SHIFT;
        segmentsMax = Integer.MAX_VALUE;
        named = true;
        byNumber = new LogSegment[16];
        stored.forEach(each -> put(new LogSegment(each)));
        usedBytes = stored.stream().mapToLong(StoredSegment::end).sum();
        head = open(stored.isEmpty() ? 0 : stored.getLast().number() + 1, segmentBytes);
        tail = address(segments.getFirst(), 0);
        inOrderFrom = tail;
    }

    /** Returns the bytes that a record with these lengths takes. */
    public static int recordBytes(int idLength, int dataLength) {
        return (RecordLayout.HEADER + idLength + dataLength + 7) & ~7;
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

    /** Returns the number of segments beyond the budget. */
    public int segmentsOver() {
        return Math.max(0, segments.size() - segmentsMax);
    }

    public boolean isEmpty() {
        return records == 0;
    }

    /** Returns the address of the oldest record, which is the next to be removed. */
    public long tail() {
        return tail;
    }

    /** Returns the end of the records in the segment of the tail. */
    long tailSegmentEnd() {
        LogSegment oldest = segments.getFirst();
        return address(oldest, oldest.end);
    }

    /** Returns the address from which on all messages are at the place that their publish gave them. */
    long inOrderFrom() {
        return inOrderFrom;
    }

    public boolean holds(long address) {
        return address >= tail;
    }

    /** Returns the bytes of records and marks. */
    long usedBytes() {
        return usedBytes;
    }

    /** Returns the address of the next record, or a lower one if that record does not fit into the current segment. */
    long end() {
        return address(head, head.end);
    }

    boolean hasRoom(int length) {
        return head.end + length <= segmentBytes;
    }

    /** Appends a record and links it to the subject's previous record, which may be {@link #NONE}. Returns its address. */
    public long append(NewRecord record, long previous) {
        int at = makeRoom(recordBytes(record.idLength(), record.contentLength()));
        put(at, record, previous);
        head.bytes.setLong(at + RecordLayout.NEXT, NONE + 1);
        records++;
        long address = address(head, at);
        if (holds(previous)) {
            setLink(previous, RecordLayout.NEXT, address);
        }
        return address;
    }

    private void put(int at, NewRecord record, long previous) {
        ByteBuf bytes = head.bytes;
        int idLength = record.idLength();
        bytes.setInt(at, record.subject());
        bytes.setInt(at + RecordLayout.DATA_LENGTH, record.contentLength());
        bytes.setLong(
                at + RecordLayout.META,
                (record.timeMillis() << RecordLayout.TIME_SHIFT) | ((long) idLength << Byte.SIZE) | record.flags());
        bytes.setLong(at + RecordLayout.SEQ, record.seq());
        bytes.setLong(at + RecordLayout.PREVIOUS, previous + 1);
        record.copyId(bytes, at + RecordLayout.HEADER);
        record.copyContent(bytes, at + RecordLayout.HEADER + idLength);
    }

    /** Appends a record of a log on disk, as {@link #append} does; only its checksum is missing. */
    long appendNamed(NewRecord record, SubjectKey name, long previous) {
        int content = record.idLength() + record.contentLength();
        int length = recordBytes(0, content + name.length());
        int at = makeRoom(length);
        ByteBuf bytes = head.bytes;
        // The padding is written to disk too, so it must not contain earlier content of this memory.
        bytes.setLong(at + length - Long.BYTES, 0);
        put(at, record, previous);
        bytes.setLong(at + RecordLayout.CHECKSUM, 0);
        bytes.setByte(at + RecordLayout.NAME_LENGTH, name.length());
        bytes.setBytes(at + RecordLayout.HEADER + content, name.buffer(), 0, name.length());
        records++;
        return address(head, at);
    }

    /** Appends a copy that is not part of the history and only holds the retained message. */
    long appendRetainedCopy(long address, long now) {
        int length = length(address);
        int at = makeRoom(length);
        head.bytes.setBytes(at, bytes(address), offset(address), length);
        head.bytes.setInt(at + RecordLayout.CHECKSUM, 0);
        records++;
        makeCopy(address(head, at), now);
        return address(head, at);
    }

    /** Turns the record just appended into a copy that only holds a retained message. */
    void makeCopy(long address, long now) {
        int flags = (flags(address) & RecordLayout.FLAG_HEADERS) | RecordLayout.FLAG_RETAINED | RecordLayout.FLAG_COPY;
        head.bytes.setByte(offset(address) + RecordLayout.FLAGS, flags);
        head.bytes.setLong(offset(address) + RecordLayout.PREVIOUS, now);
        records--;
    }

    /** Returns the time at which this copy was made. */
    long copiedAt(long address) {
        return bytes(address).getLong(offset(address) + RecordLayout.PREVIOUS);
    }

    /** Counts a stored record as a message. */
    void onReplayed() {
        records++;
    }

    /** Uncounts a message that is about to be rolled back. */
    void onTakenBack() {
        records--;
    }

    /** Appends a mark whose content is still zero. */
    long appendMark() {
        int at = makeRoom(Batches.MARK_BYTES);
        head.bytes.setZero(at, Batches.MARK_BYTES);
        head.bytes.setInt(at, SubjectTable.NONE);
        head.bytes.setInt(at + RecordLayout.DATA_LENGTH, Batches.MARK_BYTES - RecordLayout.HEADER);
        head.bytes.setByte(at + RecordLayout.FLAGS, RecordLayout.FLAG_DEAD | RecordLayout.FLAG_MARK);
        head.bytes.setLong(at + RecordLayout.SEQ, address(head, at));
        return address(head, at);
    }

    /** Appends a copy of a record and replaces the record by it in the links of its subject. */
    long appendCopy(long address) {
        int length = length(address);
        int at = makeRoom(length);
        head.bytes.setBytes(at, bytes(address), offset(address), length);
        head.bytes.setByte(at + RecordLayout.FLAGS, flags(address) | RecordLayout.FLAG_MOVED);
        long copy = address(head, at);
        long previous = previous(address);
        if (holds(previous)) {
            setLink(previous, RecordLayout.NEXT, copy);
        }
        long next = link(address, RecordLayout.NEXT);
        if (next != NONE) {
            setLink(next, RecordLayout.PREVIOUS, copy);
        }
        records++;
        rearranged++;
        return copy;
    }

    private int makeRoom(int length) {
        if (!hasRoom(length)) {
            openNext();
        }
        usedBytes += length;
        return head.take(length);
    }

    void openNext() {
        head = open(head.number + 1, segmentBytes);
        giveBack();
    }

    /** Removes the oldest record. */
    void leave() {
        records -= isMessage(tail) ? 1 : 0;
        int length = length(tail);
        inOrderFrom = isInOrder(tail) ? tail + length : inOrderFrom;
        tail += length;
        giveBack();
    }

    private void giveBack() {
        while (segments.size() > 1 && tail == tailSegmentEnd()) {
            LogSegment oldest = segments.removeFirst();
            usedBytes -= oldest.end;
            oldest.releaseOwn();
            if (named) {
                left.add(new LeftSegment(oldest.number, oldest.file));
            }
            tail = address(segments.getFirst(), 0);
        }
    }

    /** Returns whether there are freed segments whose files still exist. */
    boolean hasLeft() {
        return !left.isEmpty();
    }

    /** Returns the segments freed since the last call; the caller deletes their files. */
    List<LeftSegment> takeLeft() {
        List<LeftSegment> taken = left;
        left = new ArrayList<>();
        return taken;
    }

    /** Removes everything from this address on, and starts a new segment. The caller restores the links. */
    void rollBack(long address) {
        while (segments.size() > 1 && address(segments.getLast(), 0) >= address) {
            usedBytes -= segments.getLast().end;
            segments.removeLast().releaseOwn();
        }
        head = segments.getLast();
        // The segment of the address may have been freed; then everything after it is removed.
        int end = numberOf(address) == head.number ? offset(address) : 0;
        usedBytes -= head.end - end;
        head.end = end;
        openNext();
    }

    /** Returns segments to the list of freed ones, because their files could not be deleted. */
    void putBack(List<LeftSegment> segments) {
        left.addAll(segments);
    }

    /** Replaces the segment's memory by its file. Returns false if the segment was freed. */
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

    /** Returns the current end of the segment with this number. */
    long endOf(long number) {
        LogSegment segment = byNumber[(int) number & (byNumber.length - 1)];
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

    /** Returns the address after this record, or the first one of the next segment if this is the last record of its segment. */
    long after(long address) {
        long next = address + length(address);
        long number = numberOf(address);
        return next == endOf(number) && number < head.number ? (number + 1) << shift : next;
    }

    /** Returns the address, or the first one of the next segment with records if it is the end of its segment. */
    long recordFrom(long address) {
        long from = address;
        while (numberOf(from) < head.number && from == endOf(numberOf(from))) {
            from = startOf(numberOf(from) + 1);
        }
        return from;
    }

    public long seq(long address) {
        return bytes(address).getLong(offset(address) + RecordLayout.SEQ);
    }

    public long time(long address) {
        return bytes(address).getLong(offset(address) + RecordLayout.META) >> RecordLayout.TIME_SHIFT;
    }

    /** Returns the address of the subject's previous record, which may be freed, or {@link #NONE}. */
    public long previous(long address) {
        return link(address, RecordLayout.PREVIOUS);
    }

    boolean isMark(long address) {
        return (flags(address) & RecordLayout.FLAG_MARK) != 0;
    }

    /** Returns whether the record only holds a retained message. */
    boolean isCopy(long address) {
        return (flags(address) & RecordLayout.FLAG_COPY) != 0;
    }

    boolean isMessage(long address) {
        return (flags(address) & (RecordLayout.FLAG_MARK | RecordLayout.FLAG_COPY)) == 0;
    }

    /** Returns whether the record is a message at the place in the log that its publish gave it. */
    boolean isInOrder(long address) {
        int others = RecordLayout.FLAG_MARK | RecordLayout.FLAG_COPY | RecordLayout.FLAG_MOVED | RecordLayout.FLAG_DEAD;
        return (flags(address) & others) == 0;
    }

    public boolean retained(long address) {
        return (flags(address) & RecordLayout.FLAG_RETAINED) != 0;
    }

    /** Returns whether a later record of its subject was removed before this one, so that it must not be read any more. */
    public boolean isDead(long address) {
        return (flags(address) & RecordLayout.FLAG_DEAD) != 0;
    }

    /** Returns a number that grows when a record is replaced by a copy or marked as dead; earlier walks are then invalid. */
    long rearranged() {
        return rearranged;
    }

    void kill(long address) {
        rearranged++;
        bytes(address).setByte(offset(address) + RecordLayout.FLAGS, flags(address) | RecordLayout.FLAG_DEAD);
    }

    public int subject(long address) {
        return bytes(address).getInt(offset(address));
    }

    public int idLength(long address) {
        return bytes(address).getUnsignedByte(offset(address) + RecordLayout.ID_LENGTH);
    }

    public int idOffset(long address) {
        return offset(address) + RecordLayout.HEADER;
    }

    /** Returns the bytes of headers and data together. */
    public int contentLength(long address) {
        return bytes(address).getInt(offset(address) + RecordLayout.DATA_LENGTH);
    }

    /** Returns the index of the block of headers, or of the data if there is none. */
    public int contentOffset(long address) {
        return offset(address) + RecordLayout.HEADER + idLength(address);
    }

    int nameLength(long address) {
        return named ? bytes(address).getUnsignedByte(offset(address) + RecordLayout.NAME_LENGTH) : 0;
    }

    int nameOffset(long address) {
        return contentOffset(address) + contentLength(address);
    }

    int length(long address) {
        return recordBytes(idLength(address), contentLength(address) + nameLength(address));
    }

    /** Returns the buffer to which the record's offsets refer; valid until the record is removed. */
    public ByteBuf bytes(long address) {
        return byNumber[(int) (address >>> shift) & (byNumber.length - 1)].bytes;
    }

    public void close() {
        for (Iterator<LogSegment> each = segments.iterator(); each.hasNext(); each.remove()) {
            LogSegment segment = each.next();
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
        return bytes(address).getByte(offset(address) + RecordLayout.FLAGS);
    }

    private long link(long address, int which) {
        return bytes(address).getLong(offset(address) + which) - 1;
    }

    private void setLink(long address, int which, long to) {
        bytes(address).setLong(offset(address) + which, to + 1);
    }

    private long address(LogSegment segment, int offset) {
        return (segment.number << shift) + offset;
    }

    private int offset(long address) {
        return (int) (address & ((1L << shift) - 1));
    }

    private LogSegment open(long number, int initialBytes) {
        LogSegment segment = new LogSegment(number, initialBytes, segmentBytes);
        put(segment);
        return segment;
    }

    private void put(LogSegment segment) {
        segments.addLast(segment);
        if (segments.size() > byNumber.length) {
            byNumber = new LogSegment[byNumber.length * 2];
            segments.forEach(each -> byNumber[(int) each.number & (byNumber.length - 1)] = each);
        }
        byNumber[(int) segment.number & (byNumber.length - 1)] = segment;
    }
}
