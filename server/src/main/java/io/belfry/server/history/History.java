package io.belfry.server.history;

import io.belfry.protocol.HistoryRemoval;
import io.belfry.protocol.MessageView;
import io.belfry.server.subject.LongColumn;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a lane's subjects that can still be read. Owner: the lane's loop.
 *
 * <p>Guarantee: {@link #read} passes every kept message of a subject after a position, oldest first, without a hole
 * between the first one it passes and the subject's latest. A message is kept while it is among its subject's last
 * {@code CacheSize}, younger than {@code CacheExpireTime}, and within {@code CacheMemory}; the first bound that is exceeded
 * removes it. For {@code CacheMemory}, messages beyond {@code CacheSize} are removed before others ({@link Cleaner}). With a
 * size of zero nothing is kept.
 *
 * <p>The first two bounds may differ between subjects ({@link SubjectBounds}), and a subject may have a bound in bytes. A message
 * beyond the bounds of its subject cannot be read any more; its memory is freed when the messages before it in the log are
 * removed.
 *
 * <p>A removal is a record too ({@code HistoryRemoval}). The records before it are not passed from then on. Their bytes stay until the
 * bounds remove them.
 */
public final class History {
    /** Receives messages of the history one by one. */
    public interface Reader {
        /** Called for a message; the view and its buffers are valid during the call only. Returns whether to continue. */
        boolean onMessage(MessageView message);
    }

    /** Receives the places of messages of all subjects. */
    public interface Scanner {
        /** Called for a message of this subject at this address. Returns whether to continue. */
        boolean onMessage(int subject, long address);
    }

    /** Called when the last message of a subject was removed. */
    public interface Forgetting {
        void onHistoryGone(int subject);
    }

    private final long epoch;
    private final SegmentLog log;
    private final SubjectBounds bounds;
    private final LongColumn latest;

    /** The seq of each subject's last removal; 0 without one. */
    private final LongColumn removed;

    private final MessageIds ids;
    private final Leaving cleaner;
    private final Walk walk;

    /** The predecessors of messages where seqs have holes, or null if each message's predecessor has the seq minus one. */
    private final @Nullable Holes holes;

    /** Records from this address on are not readable yet, because they may still be rolled back. */
    private long visibleEnd = Long.MAX_VALUE;

    public History(long epoch, int sizePerSubject, long expireMillis, int segmentBytes, long budgetBytes) {
        this(epoch, new Bounds(sizePerSubject, expireMillis), segmentBytes, budgetBytes, null);
    }

    /** Creates a history in memory; {@code holes} is given where seqs may grow by more than one. */
    public History(long epoch, SubjectBounds bounds, int segmentBytes, long budgetBytes, @Nullable Holes holes) {
        this.epoch = epoch;
        this.holes = holes;
        this.bounds = bounds;
        log = new SegmentLog(bounds.keeps() ? segmentBytes : 64, budgetBytes);
        latest = new LongColumn();
        removed = new LongColumn();
        ids = new MessageIds(log);
        cleaner = new Cleaner(log, latest, removed, ids, bounds, holes);
        walk = new Walk(log, holes);
    }

    /** Creates the readable view of a history whose records are appended and removed by another class. */
    History(long epoch, SubjectBounds bounds, SegmentLog log, LongColumn latest, MessageIds ids, Leaving cleaner) {
        this.epoch = epoch;
        this.bounds = bounds;
        this.log = log;
        this.latest = latest;
        removed = new LongColumn();
        this.ids = ids;
        this.cleaner = cleaner;
        holes = null;
        walk = new Walk(log, null);
    }

    /** Bounds that are the same for all subjects: how many messages are kept of each, and for how long. Immutable. */
    public record Bounds(int sizePerSubject, long expireMillis) implements SubjectBounds {
        @Override
        public boolean keeps() {
            return sizePerSubject > 0;
        }

        @Override
        public int size(int subject) {
            return sizePerSubject;
        }

        @Override
        public long expireMillis(int subject) {
            return expireMillis;
        }

        @Override
        public long bytes(int subject) {
            return Long.MAX_VALUE;
        }
    }

    /** Sets the address from which on records are not readable yet. */
    void visibleEnd(long address) {
        visibleEnd = address;
    }

    public boolean keeps() {
        return bounds.keeps();
    }

    public boolean isEmpty(int subject) {
        return latest.at(subject) == 0;
    }

    public long messages() {
        return log.records();
    }

    public long bytes() {
        return keeps() ? log.bytes() : 0;
    }

    /** Returns the number of messages copied so that the remains of busy subjects around them could be removed. */
    public long copied() {
        return cleaner.copied();
    }

    /** Returns the number of messages removed for {@code CacheMemory} before their number and age required it. */
    public long early() {
        return cleaner.early();
    }

    /** Returns the number of message ids forgotten for {@code Limit.MessageIds} before their messages were removed. */
    public long idsForgotten() {
        return ids.forgotten();
    }

    /** Appends a message, unless nothing is kept. */
    public void append(NewRecord record) {
        if (!keeps()) {
            return;
        }
        int subject = record.subject();
        long address = log.append(record, latest.at(subject) - 1);
        latest.set(subject, address + 1);
        if (holes != null) {
            holes.onAppended(subject);
        }
        if (record.idLength() > 0) {
            ids.add(address);
        }
        if (record.isRemoval()) {
            removed.set(subject, record.seq());
        }
    }

    /** Hides the messages before this record if it is a removal. */
    void onShown(long address) {
        ByteBuf bytes = log.bytes(address);
        int headers = RecordLayout.headersLength(bytes, log.offsetOf(address));
        if (headers > 0 && HistoryRemoval.is(bytes, log.contentOffset(address), headers)) {
            removed.set(log.subject(address), log.seq(address));
        }
    }

    /** Called when the subject is removed, so that its id can stand for another one. */
    public void onForgotten(int subject) {
        removed.set(subject, 0);
    }

    /** Returns whether the message with this seq is the subject's last removal. */
    public boolean isRemoval(int subject, long seq) {
        return seq > 0 && removed.at(subject) == seq;
    }

    /**
     * Returns the seq up to which messages are missing for a reader for whom {@code oldest} is the oldest readable one. A removal is
     * itself part of the gap that it causes.
     */
    public long gapEnd(int subject, long oldest) {
        return isRemoval(subject, oldest) ? oldest : oldest - 1;
    }

    /** Returns the seq of the subject's kept message with this message id, or -1. */
    public long seqOf(int subject, ByteBuf id, int idAt, int idLength, long now) {
        long address = keeps() ? ids.find(subject, id, idAt, idLength) : SegmentLog.NONE;
        return address != SegmentLog.NONE && log.time(address) >= now - bounds.expireMillis(subject)
                ? log.seq(address)
                : -1;
    }

    /** Returns the oldest readable seq above {@code afterSeq}, or -1 if there is none. */
    public long oldestSeq(int subject, long afterSeq, long now) {
        return seek(subject, afterSeq, Integer.MAX_VALUE, now) ? walk.seq() : -1;
    }

    /**
     * Returns whether every message of the subject after {@code afterSeq} is still readable. {@code seq} is that of the latest
     * message, {@code oldest} the result of {@link #oldestSeq}.
     */
    public boolean reachesBack(long afterSeq, long seq, long oldest) {
        if (oldest < 0) {
            return afterSeq >= seq;
        }
        return (holes == null ? oldest - 1 : holes.before(log, walk.address())) <= afterSeq;
    }

    /** Returns the seq before the subject's latest {@code count} messages; {@code seq} is that of the latest. */
    public long before(int subject, int count, long seq, long now) {
        if (holes == null) {
            return Math.max(0, seq - count);
        }
        long newest = latest.at(subject) - 1;
        return newest < 0 ? seq : walk.before(newest, count, now - bounds.expireMillis(subject), holes);
    }

    /**
     * Passes the kept messages with a seq above {@code afterSeq} to the reader, oldest first, until the reader stops. Of a subject
     * with more than {@code most} such messages only the latest {@code most} are passed. The caller sets subject and type of
     * the view; the rest is filled in. The reader must not call this method.
     */
    public void read(int subject, long afterSeq, int most, MessageView view, long now, Reader reader) {
        long after = afterSeq;
        while (seek(subject, after, most, now)) {
            do {
                after = walk.seq();
                if (!reader.onMessage(show(walk.address(), view))) {
                    return;
                }
            } while (walk.next());
        }
    }

    /** Returns the address from which on {@link #scan} passes every message; earlier ones are gone. */
    public long start() {
        return log.inOrderFrom();
    }

    /** Returns the address after the latest readable message. Later messages have this address or a higher one. */
    public long end() {
        return Math.min(visibleEnd, log.end());
    }

    /**
     * Passes the messages of all subjects from this address on, in the order in which they were appended, until the scanner
     * stops or this many records were visited. Messages that were copied to the head are omitted. Returns the address to continue
     * from. The address is not below {@link #start}.
     */
    public long scan(long from, int most, Scanner scanner) {
        long end = end();
        long at = log.recordFrom(Math.max(from, log.tail()));
        boolean more = true;
        for (int left = most; more && left > 0 && at < end; left--) {
            more = !log.isInOrder(at) || isRemoved(at) || scanner.onMessage(log.subject(at), at);
            at = log.recordFrom(log.after(at));
        }
        return at;
    }

    private boolean isRemoved(long address) {
        return log.seq(address) < removed.at(log.subject(address));
    }

    public long seq(long address) {
        return log.seq(address);
    }

    public boolean isExpired(long address, long now) {
        return log.time(address) < now - bounds.expireMillis(log.subject(address));
    }

    /** Returns whether {@link #clean} has work to do. */
    public boolean isCleaningDue(long now) {
        return cleaner.isDue(now);
    }

    /**
     * Frees space by the bounds of memory and age. It does one turn's share of the work; the rest waits for the
     * next turn, so the memory may exceed its bound by a segment or two meanwhile.
     */
    public void clean(long now, Forgetting forgetting) {
        cleaner.work(now, forgetting);
    }

    /** Does the work of {@link #clean(long, Forgetting)} in at most this many steps. */
    void clean(long now, int steps, Forgetting forgetting) {
        cleaner.work(now, steps, forgetting);
    }

    public void close() {
        log.close();
    }

    /** Moves the walk to the oldest kept record above a seq, among at most this many records. Returns whether there is one. */
    private boolean seek(int subject, long afterSeq, int most, long now) {
        long newest = latest.at(subject) - 1;
        while (newest >= visibleEnd) {
            newest = log.previous(newest);
        }
        if (newest < 0 || !log.holds(newest)) {
            return false;
        }
        int count = Math.min(most, bounds.size(subject));
        if (count == 0) {
            return false;
        }
        long minTime = now - bounds.expireMillis(subject);
        long bytesMax = bounds.bytes(subject);
        long after = Math.max(afterSeq, removed.at(subject) - 1);
        if (holes != null) {
            return after < log.seq(newest) && walk.to(subject, newest, after, count, minTime, bytesMax);
        }
        long above = Math.max(after, log.seq(newest) - count);
        return above < log.seq(newest) && walk.to(subject, newest, above, Integer.MAX_VALUE, minTime, bytesMax);
    }

    /** Fills the view with the message at this address, except its subject and type. */
    public MessageView show(long address, MessageView view) {
        if (holes != null) {
            long before = holes.before(log, address);
            view.prev(before == log.seq(address) - 1 ? MessageView.NO_PREV : before);
        }
        ByteBuf bytes = log.bytes(address);
        int content = log.contentOffset(address);
        int headers = RecordLayout.headersLength(bytes, log.offsetOf(address));
        return view.data(bytes, content + headers, log.contentLength(address) - headers)
                .headers(bytes, content, headers)
                .position(epoch, 0, log.seq(address))
                .time(log.time(address))
                .retained(log.retained(address));
    }
}
