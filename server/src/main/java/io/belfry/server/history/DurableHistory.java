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
 * A history that is also on disk: appends, hands what is new to the disk in batches, and takes back what could not be
 * written. Owner: the lane's loop.
 *
 * <p>What it promises: a message can be read ({@link #history}) when its record is on disk and {@link #show} has shown it
 * off, never before; and what {@link #rollBack} took back was never read by anybody. A batch is all or nothing.
 *
 * <p>It knows no thread and no file. Whoever drives it calls {@link #hand} when nothing is under way, brings the batch to a
 * {@link LogStore} and tells {@link #onWritten} or {@link #rollBack}; a benchmark does that in a plain loop.
 */
public final class DurableHistory {
    /** Two segments below the budget, so that what a turn adds to a full log does not pass it. */
    private static final int SEGMENTS_SPARE = 2;

    private final SegmentLog log;
    private final LongColumn latest = new LongColumn();
    private final MessageIds ids;
    private final DurableCleaner cleaner;
    private final History history;
    private final boolean eachByItself;
    private final Retained retained;
    private final List<StoredSegment> stored;

    /** The mark of the batch being filled, or none. */
    private long openMark = SegmentLog.NONE;

    private int openRecords;

    /** Records since the last batch was handed over. */
    private int gathered;

    private long unwrittenBytes;

    /** Where the last closed batch ends. */
    private long batchedEnd;

    /** Where the last batch on disk ends. */
    private long durableEnd;

    /** The first segment that is memory of our own still, and not a mapping of its file. */
    private long unmapped;

    /** How big the log is and in what portions it goes to disk. Immutable. */
    public record Sizes(int segmentBytes, long budgetBytes, boolean eachByItself) {}

    public DurableHistory(
            long epoch, History.Bounds bounds, Sizes sizes, Retained retained, List<StoredSegment> stored) {
        log = new SegmentLog(sizes.segmentBytes(), stored);
        ids = new MessageIds(log);
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

    /** Brings back what the stored segments hold; once, before anything else. */
    public void replay(KnownSubjects known, long now) {
        new Replay(log, latest, ids, cleaner, retained, known).run(stored, now);
    }

    public History history() {
        return history;
    }

    /** No seq above this one can be told from the log alone; who is new begins above it. */
    public long floor() {
        return cleaner.floor();
    }

    /** The seq of the subject's latest record, whether it is on disk yet or not, or -1. */
    public long latestSeq(int subject) {
        long address = latest.at(subject) - 1;
        return address == SegmentLog.NONE ? -1 : log.seq(address);
    }

    /** Answers the record's address. */
    public long append(
            int subject,
            SubjectKey name,
            long seq,
            long time,
            boolean retained,
            ByteBuf id,
            int idAt,
            int idLength,
            ByteBuf data,
            int dataAt,
            int dataLength) {
        makeRoom(SegmentLog.recordBytes(idLength, dataLength + name.length()));
        long previous = latest.at(subject) - 1;
        long address = log.appendNamed(
                subject, name, seq, time, retained, previous, id, idAt, idLength, data, dataAt, dataLength);
        latest.set(subject, address + 1);
        if (idLength > 0) {
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

    /** The record of this subject with this message id, or -1. */
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
        return log.dataLength(address);
    }

    /** From here on the record can be read. Fills the view with it. */
    public void show(long address, MessageView view) {
        history.visibleEnd(address + 1);
        history.show(address, view);
    }

    /** Bytes that are not on disk. */
    public long unwrittenBytes() {
        return unwrittenBytes;
    }

    /** Whether there is something for the disk: records, or files to delete. */
    public boolean hasWork() {
        return !isAllDurable() || log.hasLeft();
    }

    private boolean isAllDurable() {
        return log.end() == skipToNext(durableEnd);
    }

    /** What is to be written next. */
    public LogBatch hand() {
        boolean nothingElse = isAllDurable();
        boolean takeLeft = nothingElse || !eachByItself;
        if (openMark == SegmentLog.NONE && (nothingElse || (takeLeft && log.hasLeft()))) {
            // A mark of its own tells the floor before the files go that told the seqs.
            openBatch(0);
        }
        closeBatch();
        int records = gathered;
        gathered = 0;
        long from = skipToNext(durableEnd);
        long to = eachByItself ? from + Batches.batchBytes(log.bytes(from), log.offsetOf(from)) : log.end();
        return new LogBatch(extents(from, to), full(to), takeLeft ? log.takeLeft() : List.of(), to, records);
    }

    /** Where a segment ends and another follows, its first address. */
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

    /** The batch is on disk: its records count. Answers nothing to read yet: see {@link #show}. */
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

    /** All that is on disk can be read. */
    public void showAll() {
        history.visibleEnd(durableEnd);
    }

    private void durable(long end) {
        durableEnd = end;
        cleaner.durableEnd(end);
    }

    /**
     * The batch is not on disk: takes back every record that is not. Whatever comes next goes to a new segment. {@code touched} is told the
     * subject of each, whose latest record is an older one by then or none.
     */
    public void rollBack(LogBatch batch, IntConsumer touched) {
        log.putBack(batch.left());
        List<Integer> subjects = new ArrayList<>();
        for (long at = skipToNext(durableEnd); at < log.end(); at = skipToNext(at + log.length(at))) {
            if (log.isMessage(at)) {
                if (log.previous(at) < durableEnd) {
                    // The first of its subject, so each subject is told of once.
                    subjects.add(log.subject(at));
                }
                takeBack(at);
            }
        }
        log.rollBack(durableEnd);
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

    /** Where the records of a log go that is taken apart. */
    public interface Mover {
        /** Takes the record at this address of this log; the key has its subject. */
        void move(SubjectKey subject, DurableHistory from, long address);
    }

    /** Shows all that was brought back, in order: messages, and copies that still carry a retained message. */
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

    /** Appends a record of another log. */
    public void appendFrom(DurableHistory from, long at, int subject, SubjectKey name, long now) {
        SegmentLog other = from.log;
        ByteBuf bytes = other.bytes(at);
        boolean copy = other.isCopy(at);
        long before = latest.at(subject);
        long address = append(
                subject,
                name,
                other.seq(at),
                other.time(at),
                other.retained(at),
                bytes,
                other.idOffset(at),
                copy ? 0 : other.idLength(at),
                bytes,
                other.dataOffset(at),
                other.dataLength(at));
        if (copy) {
            log.makeCopy(address, now);
            latest.set(subject, before);
        }
    }

    /** Nothing begins at or below this seq that is not in the log. */
    public void raiseFloor(long seq) {
        cleaner.raiseFloor(seq);
    }

    /** While nothing can be written nothing leaves. */
    public void failing(boolean failing) {
        cleaner.suspended(failing);
    }

    public void close() {
        log.close();
    }
}
