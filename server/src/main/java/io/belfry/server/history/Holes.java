package io.belfry.server.history;

import io.belfry.server.subject.IntColumn;
import io.belfry.server.subject.LongColumn;

/**
 * What a history has to know beside its log where the seqs of a subject grow by more than one: which message came before
 * one whose predecessor is gone, and how many of each subject there are. Owner: the lane's loop.
 */
public final class Holes {
    /** Up to this seq the subject's messages are gone, or came before anything was kept of it. */
    private final LongColumn gone = new LongColumn();

    private final IntColumn kept = new IntColumn();

    /** The lane begins to know the subject; what it had up to this seq is not here. */
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

    /** The seq of the subject's message before this record's, or a later one where no message of it lies between. */
    long before(SegmentLog log, long address) {
        long previous = log.previous(address);
        return previous != SegmentLog.NONE && log.holds(previous) ? log.seq(previous) : gone.at(log.subject(address));
    }

    /** Whether the subject's oldest record is among its last so many. */
    boolean isAmongLast(int subject, int count) {
        return kept.at(subject) <= count;
    }
}
