package io.belfry.server.cluster;

import io.belfry.protocol.Code;
import io.belfry.server.broker.LogOrder;
import io.belfry.server.history.History;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The order of the shared log in one lane's cache. The logs are the partitions, and a place is the seq of a record, so places
 * are the same on every node. Owner: the lane's loop.
 *
 * <p>The cache has the records of all partitions in the order in which the lane received them. <em>Marks</em> record from
 * time to time which seqs precede an address, so that a reader starts near its places.
 */
final class PartitionOrder implements LogOrder {
    /** Records between two marks. */
    private static final int RECORDS_PER_MARK = 1024;

    /** An address and, for each partition, the highest seq of the records below it. */
    private static final class Mark {
        final long address;
        final long[] seqs;

        Mark(long address, long[] seqs) {
            this.address = address;
            this.seqs = seqs;
        }
    }

    private final History history;
    private final Partitions partitions;
    private final IntUnaryOperator partitionOf;

    /** By partition: the seq of the latest record given to the lane, see {@link KafkaBroker}. */
    private final AtomicLongArray taken;

    /** By partition: the offset from which on this node has read the log. */
    private final long[] starts;

    /** By partition: the seq up to which the node has read and the lane has processed all its records. */
    private final long[] read;

    private final ArrayDeque<Mark> marks = new ArrayDeque<>();
    private int unmarked = RECORDS_PER_MARK;

    PartitionOrder(
            History history,
            Partitions partitions,
            IntUnaryOperator partitionOf,
            AtomicLongArray taken,
            long[] starts) {
        this.history = history;
        this.partitions = partitions;
        this.partitionOf = partitionOf;
        this.taken = taken;
        this.starts = starts;
        read = new long[partitions.total()];
    }

    /** Called before a record is taken. */
    void onRecord() {
        if (unmarked < RECORDS_PER_MARK) {
            unmarked++;
            return;
        }
        unmarked = 1;
        while (!marks.isEmpty() && marks.getFirst().address < history.start()) {
            marks.removeFirst();
        }
        long[] seqs = new long[partitions.total()];
        for (int partition = 0; partition < seqs.length; partition++) {
            seqs[partition] = taken.get(partition);
        }
        marks.addLast(new Mark(history.end(), seqs));
    }

    @Override
    public int logs() {
        return partitions.total();
    }

    @Override
    public int generation() {
        return 0;
    }

    @Override
    public long[] ends() {
        long[] ends = new long[partitions.total()];
        for (int partition = 0; partition < ends.length; partition++) {
            ends[partition] = Math.max(taken.get(partition), read[partition]) + 1;
        }
        return ends;
    }

    @Override
    public Runnable readSoFar() {
        long[] seqs = new long[partitions.total()];
        for (int partition = 0; partition < seqs.length; partition++) {
            seqs[partition] = partitions.readTo(partition) == 0 ? 0 : partitions.seqRead(partition);
        }
        return () -> {
            for (int partition = 0; partition < seqs.length; partition++) {
                read[partition] = Math.max(read[partition], seqs[partition]);
            }
        };
    }

    @Override
    public boolean isReached(long[] from) {
        for (int partition = 0; partition < from.length; partition++) {
            if (!partitions.isRead(partition, seqBelow(from[partition]))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public @Nullable Code doubt(long[] from) {
        for (int partition = 0; partition < from.length; partition++) {
            Code doubt = doubt(partition, seqBelow(from[partition]));
            if (doubt != null) {
                return doubt;
            }
        }
        return mark(from) == null && history.end() > 0 ? Code.HISTORY_GONE : null;
    }

    /**
     * Returns the reason why a client that has received the messages up to this seq cannot continue, or null. The log may have
     * been truncated and grown again: the seq must be one that this node has read.
     */
    @Nullable
    Code doubt(int partition, long seq) {
        long end = Seqs.end(seq);
        if (end < starts[partition]) {
            return Code.HISTORY_GONE;
        }
        int leader = partitions.leaderEpochs().at(partition, end - 1);
        return leader == LeaderEpochs.UNKNOWN || leader == Seqs.leaderEpoch(seq) ? null : Code.LOG_CUT;
    }

    @Override
    public long[] placesAt(long[] from, long address) {
        long[] places = from.clone();
        for (Iterator<Mark> each = marks.descendingIterator(); each.hasNext(); ) {
            Mark mark = each.next();
            if (mark.address <= address) {
                Arrays.setAll(places, partition -> Math.max(places[partition], mark.seqs[partition] + 1));
                break;
            }
        }
        return places;
    }

    private static long seqBelow(long place) {
        return Math.max(0, place - 1);
    }

    @Override
    public long start(long[] from) {
        Mark mark = mark(from);
        return mark == null ? history.start() : mark.address;
    }

    /** Returns the latest mark below which all records precede these places; null if there is none or records after it are gone. */
    private @Nullable Mark mark(long[] from) {
        for (Iterator<Mark> each = marks.descendingIterator(); each.hasNext(); ) {
            Mark mark = each.next();
            if (mark.address < history.start()) {
                return null;
            }
            if (isBelow(mark.seqs, from)) {
                return mark;
            }
        }
        return null;
    }

    private static boolean isBelow(long[] seqs, long[] places) {
        for (int partition = 0; partition < seqs.length; partition++) {
            if (seqs[partition] >= places[partition]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int log(int subject) {
        return partitionOf.applyAsInt(subject);
    }

    @Override
    public long place(long address) {
        return history.seq(address);
    }
}
