package io.belfry.server.history;

import io.belfry.protocol.MessageView;
import io.belfry.server.subject.LongColumn;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The messages a lane's subjects can still give. Owner: the lane's loop.
 *
 * <p>What it promises: {@link #read} gives every kept message of a subject after a position, oldest first, without a hole
 * between the first it gives and the subject's latest. A message is kept while it is among its subject's last
 * {@code CacheSize}, younger than {@code CacheExpireTime}, and within {@code CacheMemory}; the three bounds hold together
 * and whichever is met first ends it. Messages past the size make room before others have to ({@link Cleaner}). With a
 * size of zero nothing is kept.
 */
public final class History {
    /** Takes messages out of the history one by one. */
    public interface Reader {
        /** The view and the buffers behind it are valid during the call only. Answers whether to go on. */
        boolean onMessage(MessageView message);
    }

    /** Told when the last message of a subject left. */
    public interface Forgetting {
        void onHistoryGone(int subject);
    }

    private final long epoch;
    private final SegmentLog log;
    private final int sizePerSubject;
    private final long expireMillis;
    private final LongColumn latest;
    private final MessageIds ids;
    private final Leaving cleaner;
    private final Walk walk;

    /** What came before each message where seqs have holes, or null: before each lies the seq that is one less. */
    private final @Nullable Holes holes;

    /** Records from this address on are not to be read yet: they could still be taken back. */
    private long visibleEnd = Long.MAX_VALUE;

    public History(long epoch, int sizePerSubject, long expireMillis, int segmentBytes, long budgetBytes) {
        this(epoch, new Bounds(sizePerSubject, expireMillis), segmentBytes, budgetBytes, null);
    }

    /** A history in memory; with {@code holes} for messages whose seqs grow by more than one. */
    public History(long epoch, Bounds bounds, int segmentBytes, long budgetBytes, @Nullable Holes holes) {
        this.epoch = epoch;
        this.holes = holes;
        sizePerSubject = bounds.sizePerSubject();
        expireMillis = bounds.expireMillis();
        log = new SegmentLog(sizePerSubject == 0 ? 64 : segmentBytes, budgetBytes);
        latest = new LongColumn();
        ids = new MessageIds(log);
        cleaner = new Cleaner(log, latest, ids, bounds, holes);
        walk = new Walk(log, expireMillis, holes);
    }

    /** What can be read of a history whose records somebody else appends and lets go. */
    History(long epoch, Bounds bounds, SegmentLog log, LongColumn latest, MessageIds ids, Leaving cleaner) {
        this.epoch = epoch;
        sizePerSubject = bounds.sizePerSubject();
        expireMillis = bounds.expireMillis();
        this.log = log;
        this.latest = latest;
        this.ids = ids;
        this.cleaner = cleaner;
        holes = null;
        walk = new Walk(log, expireMillis, null);
    }

    /** How much is kept of each subject, and how long. Immutable. */
    public record Bounds(int sizePerSubject, long expireMillis) {}

    /** Records from this address on are not to be read yet. */
    void visibleEnd(long address) {
        visibleEnd = address;
    }

    public boolean keeps() {
        return sizePerSubject > 0;
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

    /** Messages copied so far, so that remains of busy subjects could leave from among them. */
    public long copied() {
        return cleaner.copied();
    }

    /** Messages so far that left for the sake of {@code CacheMemory}, before their size and age had them leave. */
    public long early() {
        return cleaner.early();
    }

    public void append(
            int subject,
            long seq,
            long time,
            boolean retained,
            ByteBuf id,
            int idAt,
            int idLength,
            ByteBuf data,
            int dataAt,
            int dataLength) {
        if (!keeps()) {
            return;
        }
        long previous = latest.at(subject) - 1;
        long address = log.append(subject, seq, time, retained, previous, id, idAt, idLength, data, dataAt, dataLength);
        latest.set(subject, address + 1);
        if (holes != null) {
            holes.onAppended(subject);
        }
        if (idLength > 0) {
            ids.add(address);
        }
    }

    /** The seq of the kept message of this subject that carries this message id, or -1. */
    public long seqOf(int subject, ByteBuf id, int idAt, int idLength, long now) {
        long address = keeps() ? ids.find(subject, id, idAt, idLength) : SegmentLog.NONE;
        return address != SegmentLog.NONE && log.time(address) >= now - expireMillis ? log.seq(address) : -1;
    }

    /** The oldest seq above {@code afterSeq} that can still be read, or -1 where there is none. */
    public long oldestSeq(int subject, long afterSeq, long now) {
        return seek(subject, afterSeq, Integer.MAX_VALUE, now) ? walk.seq() : -1;
    }

    /**
     * Whether every message of the subject after {@code afterSeq} can still be read, where {@code seq} is that of its latest
     * and {@code oldest} what {@link #oldestSeq} just answered.
     */
    public boolean reachesBack(long afterSeq, long seq, long oldest) {
        if (oldest < 0) {
            return afterSeq >= seq;
        }
        return (holes == null ? oldest - 1 : holes.before(log, walk.address())) <= afterSeq;
    }

    /** The seq behind which the subject's latest {@code count} messages lie, where {@code seq} is that of the latest. */
    public long before(int subject, int count, long seq, long now) {
        if (holes == null) {
            return Math.max(0, seq - count);
        }
        long newest = latest.at(subject) - 1;
        return newest < 0 ? seq : walk.before(newest, count, now, holes);
    }

    /**
     * Gives the kept messages with a seq above {@code afterSeq}, oldest first, until the reader has enough. Of a subject
     * with more than {@code most} such messages the latest {@code most} are given. The view comes with subject and type
     * set and is filled with the rest. The reader must not read here itself.
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

    /** Whether {@link #clean} would find something to do. */
    public boolean isCleaningDue(long now) {
        return cleaner.isDue(now);
    }

    /**
     * Makes room by the bounds of memory and age. It does a turn's share of the work, so what is still to do waits for the
     * next turn, and the memory may be over its bound by a segment or two meanwhile.
     */
    public void clean(long now, Forgetting forgetting) {
        cleaner.work(now, forgetting);
    }

    /** As {@link #clean(long, Forgetting)}, in so many steps. */
    void clean(long now, int steps, Forgetting forgetting) {
        cleaner.work(now, steps, forgetting);
    }

    public void close() {
        log.close();
    }

    /** Has the walk be at the oldest kept record above a seq, among so many at most. */
    private boolean seek(int subject, long afterSeq, int most, long now) {
        long newest = latest.at(subject) - 1;
        while (newest >= visibleEnd) {
            newest = log.previous(newest);
        }
        if (newest < 0 || !log.holds(newest)) {
            return false;
        }
        int count = Math.min(most, sizePerSubject);
        if (holes != null) {
            return afterSeq < log.seq(newest) && walk.to(subject, newest, afterSeq, count, now);
        }
        long above = Math.max(afterSeq, log.seq(newest) - count);
        return above < log.seq(newest) && walk.to(subject, newest, above, Integer.MAX_VALUE, now);
    }

    MessageView show(long address, MessageView view) {
        if (holes != null) {
            long before = holes.before(log, address);
            view.prev(before == log.seq(address) - 1 ? MessageView.NO_PREV : before);
        }
        return view.data(log.bytes(address), log.dataOffset(address), log.dataLength(address))
                .position(epoch, 0, log.seq(address))
                .time(log.time(address))
                .retained(log.retained(address));
    }
}
