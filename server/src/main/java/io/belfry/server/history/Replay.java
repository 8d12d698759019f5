package io.belfry.server.history;

import io.belfry.server.subject.LongColumn;
import io.belfry.server.subject.SubjectKey;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Brings a lane back to where its log says it was: subjects under the ids they had, their latest records, message ids,
 * retained messages, the floor. Owner: whoever starts the lane.
 *
 * <p>What left before is not written anywhere and need not be: a record that begins a new chain though its subject has one,
 * or an id with another name than before, says that everything up to the older one's last record had left, because
 * records leave in their order and a subject is forgotten after its last.
 */
final class Replay {
    private final SegmentLog log;
    private final LongColumn latest;
    private final MessageIds ids;
    private final DurableCleaner cleaner;
    private final Retained retained;
    private final KnownSubjects known;

    /** The seq of each subject's last retained publish, one that cleared included. */
    private final LongColumn retainedSeqs = new LongColumn();

    private long leaveUntil;

    Replay(
            SegmentLog log,
            LongColumn latest,
            MessageIds ids,
            DurableCleaner cleaner,
            Retained retained,
            KnownSubjects known) {
        this.log = log;
        this.latest = latest;
        this.ids = ids;
        this.cleaner = cleaner;
        this.retained = retained;
        this.known = known;
    }

    void run(List<StoredSegment> stored, long now) {
        for (StoredSegment segment : stored) {
            if (segment.afterHole()) {
                leaveUntil = log.startOf(segment.number());
            }
            long end = log.endOf(segment.number());
            for (long at = log.startOf(segment.number()); at < end; at += log.length(at)) {
                read(at);
            }
        }
        cleaner.leaveUntil(leaveUntil, now, subject -> {});
        for (int id = 0; id < known.idBound(); id++) {
            if (known.has(id) && latest.at(id) == 0 && !retained.has(id)) {
                known.remove(id);
            }
        }
    }

    private void read(long at) {
        if (log.isMark(at)) {
            ByteBuffer bytes = log.bytes(at).nioBuffer(log.offsetOf(at), Batches.MARK_BYTES);
            cleaner.raiseFloor(Batches.markAt(bytes, 0).floor());
        } else if (log.isCopy(at)) {
            bind(at);
            retain(at);
        } else {
            link(at);
            retain(at);
        }
    }

    private void link(long at) {
        int subject = log.subject(at);
        long before = latest.at(subject) - 1;
        if (before == SegmentLog.NONE || log.previous(at) != before) {
            leftUpTo(before);
            bind(at);
        }
        log.onReplayed();
        latest.set(subject, at + 1);
        if (log.idLength(at) > 0) {
            ids.add(at);
        }
    }

    private void leftUpTo(long address) {
        if (address != SegmentLog.NONE) {
            leaveUntil = Math.max(leaveUntil, log.after(address));
        }
    }

    /** Sees to it that the record's subject is known under the record's id, and nothing else is. */
    private void bind(long at) {
        int subject = log.subject(at);
        SubjectKey name = known.key().set(log.bytes(at), log.nameOffset(at), log.nameLength(at));
        int other = known.find();
        if (other == subject) {
            return;
        }
        if (other >= 0) {
            unbind(other);
        }
        if (known.has(subject)) {
            unbind(subject);
            name.set(log.bytes(at), log.nameOffset(at), log.nameLength(at));
        }
        known.restore(subject);
    }

    private void unbind(int subject) {
        long last = latest.at(subject) - 1;
        if (last != SegmentLog.NONE) {
            leftUpTo(last);
            cleaner.raiseFloor(log.seq(last));
        }
        latest.set(subject, 0);
        retainedSeqs.set(subject, 0);
        retained.remove(subject);
        known.remove(subject);
    }

    private void retain(long at) {
        int subject = log.subject(at);
        if (log.retained(at) && log.seq(at) >= retainedSeqs.at(subject)) {
            retainedSeqs.set(subject, log.seq(at));
            retained.put(subject, log.seq(at), log.time(at), log.bytes(at), log.dataOffset(at), log.dataLength(at));
        }
    }
}
