package io.belfry.server.history;

import io.belfry.server.subject.IntColumn;
import io.belfry.server.subject.LongColumn;

/**
 * Facts that a history needs beside its log where the seqs of a subject grow by more than one: the predecessor of a message
 * whose predecessor was removed, and the number of messages per subject. Owner: the lane's loop.
 */
public final class Holes {
    /** The highest seq of each subject whose messages were removed, or were never kept. */
    private final LongColumn gone = new LongColumn();

    private final IntColumn kept = new IntColumn();

    /** Called when the lane adds the subject; its messages up to this seq are not kept here. */
    public void onCreated(int subject, long floor) {
        gone.set(subject, floor);
        kept.set(subject, 0);
    }

    void onAppended(int subject) {
        kept.set(subject, kept.at(subject) + 1);
    }

    void onLeft(int subject, long seq) {
        gone.set(subject, Math.max(gone.at(subject), seq));
        kept.set(subject, kept.at(subject) - 1);
    }

    /** Returns the seq of the subject's message before this record's, or a later seq if no message lies between them. */
    long before(SegmentLog log, long address) {
        long previous = log.previous(address);
        return previous != SegmentLog.NONE && log.holds(previous) ? log.seq(previous) : gone.at(log.subject(address));
    }

    /** Returns whether the subject's oldest record is among its last {@code count} records. */
    boolean isAmongLast(int subject, int count) {
        return kept.at(subject) <= count;
    }
}
