package io.belfry.server.history;

import io.belfry.protocol.MessageView;
import io.belfry.server.subject.LongColumn;
import io.belfry.server.subject.SubjectKey;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * A history that is also on disk: appends records, passes new ones to the disk in batches, and rolls back those that could
 * not be written. Owner: the lane's loop.
 *
 * <p>Guarantees: a message can be read ({@link #history}) only after its record is on disk and {@link #show} was called for
 * it; a record that {@link #rollBack} removed was never readable. A batch is written completely or not at all.
 *
 * <p>The class uses no thread and no file. Its caller calls {@link #hand} when no batch is being written, passes the batch to
 * a {@link LogStore}, and reports the outcome to {@link #onWritten} or {@link #rollBack}; a benchmark does so in a plain loop.
 */
public final class DurableHistory {
    /** Segments kept free below the budget, so that a turn's records do not exceed the budget of a full log. */
    private static final int SEGMENTS_SPARE = 2;

    private final SegmentLog log;
    private final LongColumn latest = new LongColumn();
    private final MessageIds ids;
    private final DurableCleaner cleaner;
    private final History history;
    private final boolean eachByItself;
    private final Retained retained;
    private final List<StoredSegment> stored;

    /** The mark of the batch being filled, or NONE. */
    private long openMark = SegmentLog.NONE;

    private int openRecords;

    /** Records since the last batch was taken. */
    private int gathered;

    private long unwrittenBytes;

    /** End of the last closed batch. */
    private long batchedEnd;

    /** End of the last batch on disk. */
    private long durableEnd;

    /** The first segment that is still in our own memory instead of a mapping of its file. */
    private long unmapped;

    /** The size of the log and of its batches. Immutable. */
    public record Sizes(int segmentBytes, long budgetBytes, int messageIdsMax, boolean eachByItself) {}

    public DurableHistory(
            long epoch, SubjectBounds bounds, Sizes sizes, Retained retained, List<StoredSegment> stored) {
        log = new SegmentLog(sizes.segmentBytes(), stored);
        ids = new MessageIds(log, sizes.messageIdsMax());
        long spared = sizes.budgetBytes() - (long) SEGMENTS_SPARE * sizes.segmentBytes();
        cleaner = new DurableCleaner(
                log, latest, ids, retained, bounds, Math.max(spared, sizes.segmentBytes()), this::copyRetained);
        history = new History(epoch, bounds, log, latest, ids, cleaner);
        eachByItself = sizes.eachByItself();
        batchedEnd =
                stored.isEmpty() ? SegmentLog.NONE : log.endOf(stored.getLast().number());
        unmapped = log.headNumber();
        durable(stored.isEmpty() ? log.end() : batchedEnd);
        showAll();
        this.stored = stored;
        this.retained = retained;
    }

    /** Restores the content of the stored segments; called once, before anything else. */
    public void replay(KnownSubjects known, long now) {
        new Replay(log, latest, ids, cleaner, retained, history, known).run(stored, now);
    }

    public History history() {
        return history;
    }

    /** Returns the seq above which new subjects begin; the log alone does not tell any seq above it. */
    public long floor() {
        return cleaner.floor();
    }

    /** Returns the seq of the subject's latest record, on disk or not, or -1 if it has none. */
    public long latestSeq(int subject) {
        long address = latest.at(subject) - 1;
        return address == SegmentLog.NONE ? -1 : log.seq(address);
    }

    /** Appends a record of the subject with this name and returns its address. */
    public long append(NewRecord record, SubjectKey name) {
        makeRoom(SegmentLog.recordBytes(record.idLength(), record.contentLength() + name.length()));
        int subject = record.subject();
        long address = log.appendNamed(record, name, latest.at(subject) - 1);
        latest.set(subject, address + 1);
        if (record.idLength() > 0) {
            ids.add(address);
        }
        return address;
    }

    private void copyRetained(long address, long now) {
        makeRoom(log.length(address));
        log.appendRetainedCopy(address, now);
    }

    private void makeRoom(int length) {
        if (openMark == SegmentLog.NONE || eachByItself || !log.hasRoom(length)) {
            closeBatch();
            openBatch(length);
        }
        openRecords++;
        gathered++;
        unwrittenBytes += length;
    }

    private void openBatch(int length) {
        if (!log.hasRoom(Batches.MARK_BYTES + length)) {
            log.openNext();
        }
        openMark = log.appendMark();
        unwrittenBytes += Batches.MARK_BYTES;
    }

    private void closeBatch() {
        if (openMark != SegmentLog.NONE) {
            int bytes = (int) (log.end() - openMark);
            Batches.Mark mark = new Batches.Mark(batchedEnd, cleaner.floor(), log.tailNumber());
            Batches.mark(log.bytes(openMark), log.offsetOf(openMark), bytes, openRecords, mark);
            batchedEnd = log.end();
            openMark = SegmentLog.NONE;
            openRecords = 0;
        }
    }

    /** Returns the record of this subject with this message id, or -1. */
    public long find(int subject, ByteBuf id, int idAt, int idLength, long now) {
        long address = ids.find(subject, id, idAt, idLength);
        return address != SegmentLog.NONE && !cleaner.isExpired(address, now) ? address : SegmentLog.NONE;
    }

    public boolean isDurable(long address) {
        return address < durableEnd;
    }

    public long seq(long address) {
        return log.seq(address);
    }

    public int subject(long address) {
        return log.subject(address);
    }

    public int dataLength(long address) {
        return log.contentLength(address);
    }

    /** Makes the record readable and fills the view with it. */
    public void show(long address, MessageView view) {
        history.visibleEnd(address + 1);
        history.onShown(address);
        history.show(address, view);
    }

    /** Returns the bytes that are not on disk yet. */
    public long unwrittenBytes() {
        return unwrittenBytes;
    }

    /** Returns whether there are records to write or files to delete. */
    public boolean hasWork() {
        return !isAllDurable() || log.hasLeft();
    }

    private boolean isAllDurable() {
        return log.end() == skipToNext(durableEnd);
    }

    /** Returns the next batch to write. */
    public LogBatch hand() {
        boolean nothingElse = isAllDurable();
        boolean takeLeft = nothingElse || !eachByItself;
        if (openMark == SegmentLog.NONE && (nothingElse || (takeLeft && log.hasLeft()))) {
            // A mark of its own stores the floor before the files that contain the seqs are deleted.
            openBatch(0);
        }
        closeBatch();
        int records = gathered;
        gathered = 0;
        long from = skipToNext(durableEnd);
        long to = eachByItself ? from + Batches.batchBytes(log.bytes(from), log.offsetOf(from)) : log.end();
        return new LogBatch(extents(from, to), full(to), takeLeft ? log.takeLeft() : List.of(), to, records);
    }

    /** Returns the first address of the segment after this one. */
    private long skipToNext(long address) {
        long number = log.numberOf(address);
        return number < log.tailNumber() || (number < log.headNumber() && address == log.endOf(number))
                ? log.startOf(Math.max(number + 1, log.tailNumber()))
                : address;
    }

    private List<LogBatch.Extent> extents(long from, long to) {
        List<LogBatch.Extent> extents = new ArrayList<>();
        long at = from;
        while (at < to) {
            long end = Math.min(to, log.endOf(log.numberOf(at)));
            ByteBuf bytes = log.bytes(at);
            int until = log.offsetOf(end);
            extents.add(new LogBatch.Extent(log.numberOf(at), bytes.nioBuffer(0, until), log.offsetOf(at), until));
            at = end < to ? log.startOf(log.numberOf(at) + 1) : to;
        }
        return extents;
    }

    private List<LogBatch.Full> full(long writtenEnd) {
        List<LogBatch.Full> full = new ArrayList<>();
        unmapped = Math.max(unmapped, log.tailNumber());
        for (long number = unmapped; number < log.headNumber() && log.endOf(number) <= writtenEnd; number++) {
            full.add(new LogBatch.Full(number, log.offsetOf(log.endOf(number))));
        }
        return full;
    }

    /** Accepts a batch that is on disk. Its messages become readable with {@link #show}. */
    public void onWritten(LogBatch batch, Map<Long, MappedFile> mapped) {
        mapped.forEach(this::map);
        unwrittenBytes -= batch.bytes();
        durable(batch.end());
    }

    private void map(long number, MappedFile file) {
        if (log.map(number, file)) {
            unmapped = Math.max(unmapped, number + 1);
        } else {
            file.close();
        }
    }

    /** Makes everything that is on disk readable. */
    public void showAll() {
        history.visibleEnd(durableEnd);
    }

    private void durable(long end) {
        durableEnd = end;
        cleaner.durableEnd(end);
    }

    /**
     * Rolls back a batch that is not on disk, with every record after it; the next record goes to a new segment. Passes the
     * subject of each removed record to {@code touched}, once; its latest record is then an older one or none.
     */
    public void rollBack(LogBatch batch, IntConsumer touched) {
        log.putBack(batch.left());
        List<Integer> subjects = new ArrayList<>();
        for (long at = skipToNext(durableEnd); at < log.end(); at = skipToNext(at + log.length(at))) {
            if (log.isMessage(at)) {
                if (log.previous(at) < durableEnd) {
                    // Only the first record of each subject, so that each subject is passed on once.
                    subjects.add(log.subject(at));
                }
                takeBack(at);
            }
        }
        log.rollBack(durableEnd);
        ids.rolledBack(durableEnd);
        openMark = SegmentLog.NONE;
        openRecords = 0;
        gathered = 0;
        unwrittenBytes = 0;
        batchedEnd = durableEnd;
        subjects.forEach(touched::accept);
    }

    private void takeBack(long address) {
        int subject = log.subject(address);
        long previous = log.previous(address);
        if (previous < durableEnd) {
            latest.set(subject, log.holds(previous) ? previous + 1 : 0);
        }
        if (log.idLength(address) > 0) {
            ids.remove(address);
        }
        log.onTakenBack();
    }

    /** Receives the records of a log that is being redistributed. */
    public interface Mover {
        /** Takes the record at this address of this log; the key holds its subject. */
        void move(SubjectKey subject, DurableHistory from, long address);
    }

    /** Passes on all restored records in order: messages, and copies that still hold a retained message. */
    public void moveAll(SubjectKey name, Mover mover) {
        for (StoredSegment segment : stored) {
            long end = log.endOf(segment.number());
            for (long at = log.startOf(segment.number()); at < end; at += log.length(at)) {
                if (log.holds(at) && (log.isMessage(at) || (log.isCopy(at) && cleaner.isRetained(at)))) {
                    mover.move(name.set(log.bytes(at), log.nameOffset(at), log.nameLength(at)), this, at);
                }
            }
        }
    }

    /** Appends a copy of a record of another log. */
    public void appendFrom(DurableHistory from, long at, int subject, SubjectKey name, long now) {
        SegmentLog other = from.log;
        ByteBuf bytes = other.bytes(at);
        boolean copy = other.isCopy(at);
        int headers = RecordLayout.headersLength(bytes, other.offsetOf(at));
        long before = latest.at(subject);
        NewRecord record = new NewRecord()
                .message(subject, other.seq(at), other.time(at), other.retained(at))
                .id(bytes, other.idOffset(at), copy ? 0 : other.idLength(at))
                .data(bytes, other.contentOffset(at) + headers, other.contentLength(at) - headers)
                .headers(bytes, other.contentOffset(at), headers);
        long address = append(record, name);
        history.onShown(address);
        if (copy) {
            log.makeCopy(address, now);
            latest.set(subject, before);
        }
    }

    /** Raises the floor: new subjects begin above this seq. */
    public void raiseFloor(long seq) {
        cleaner.raiseFloor(seq);
    }

    /** Stops the removal of records while writing fails. */
    public void failing(boolean failing) {
        cleaner.suspended(failing);
    }

    public void close() {
        log.close();
    }
}
