package io.belfry.server.history;

import io.belfry.server.subject.LongColumn;
import io.belfry.server.subject.SubjectKey;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Restores a lane from its log: subjects under their earlier ids, their latest records, message ids,
 * retained messages, the floor. Owner: the thread that starts the lane.
 *
 * <p>Removals are not stored, because they can be derived: records are removed in their order, and a subject is removed after
 * its last record. A record that begins a new chain although its subject has one, or an id with a different name than
 * before, shows that everything up to the last record of the older chain had been removed.
 */
final class Replay {
    private final SegmentLog log;
    private final LongColumn latest;
    private final MessageIds ids;
    private final DurableCleaner cleaner;
    private final Retained retained;
    private final History history;
    private final KnownSubjects known;

    /** The seq of each subject's last retained publish, including one that cleared the retained message. */
    private final LongColumn retainedSeqs = new LongColumn();

    private long leaveUntil;

    Replay(
            SegmentLog log,
            LongColumn latest,
            MessageIds ids,
            DurableCleaner cleaner,
            Retained retained,
            History history,
            KnownSubjects known) {
        this.log = log;
        this.latest = latest;
        this.ids = ids;
        this.cleaner = cleaner;
        this.retained = retained;
        this.history = history;
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
        history.onShown(at);
        if (log.idLength(at) > 0) {
            ids.add(at);
        }
    }

    private void leftUpTo(long address) {
        if (address != SegmentLog.NONE) {
            leaveUntil = Math.max(leaveUntil, log.after(address));
        }
    }

    /** Ensures that the record's subject, and no other, has the record's id. */
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
        history.onForgotten(subject);
        known.remove(subject);
    }

    private void retain(long at) {
        int subject = log.subject(at);
        if (log.retained(at) && log.seq(at) >= retainedSeqs.at(subject)) {
            retainedSeqs.set(subject, log.seq(at));
            ByteBuf bytes = log.bytes(at);
            int headers = RecordLayout.headersLength(bytes, log.offsetOf(at));
            retained.put(
                    subject,
                    log.seq(at),
                    log.time(at),
                    bytes,
                    log.contentOffset(at) + headers,
                    log.contentLength(at) - headers,
                    headers);
        }
    }
}
