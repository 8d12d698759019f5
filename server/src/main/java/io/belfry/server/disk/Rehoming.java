package io.belfry.server.disk;

import io.belfry.server.config.HistoryConfig.Sync;
import io.belfry.server.history.DurableHistory;
import io.belfry.server.history.History;
import io.belfry.server.history.KnownSubjects;
import io.belfry.server.history.LogBatch;
import io.belfry.server.history.LogStore;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Rewrites the logs of one number of lanes for another number of lanes. Owner: the starting thread.
 *
 * <p>Positions, message ids and retained messages stay the same; only the home lane of a subject changes.
 */
final class Rehoming implements AutoCloseable {
    private static final int SEGMENT_BYTES = 8 << 20;
    private static final long PORTION_BYTES = 4 << 20;

    /** Bounds that keep every stored message; the lanes apply the configured bounds later. */
    private static final History.Bounds ALL = new History.Bounds(Integer.MAX_VALUE, Long.MAX_VALUE / 2);

    private final long epoch;
    private final long seed;
    private final long now;
    private final SubjectKey name;
    private final List<Target> targets = new ArrayList<>();

    private final class Target {
        final SubjectTable table = new SubjectTable(seed);
        final DurableHistory history;
        final DiskWriter writer;

        Target(Path folder, int segmentBytes) throws IOException {
            Folders.create(folder);
            history = history(segmentBytes, new Retained(epoch, Long.MAX_VALUE), List.of());
            writer = new DiskWriter(new FolderFiles(folder), Sync.GROUP, "belfry-disk-start", Runnable::run);
        }

        void write() throws IOException {
            LogBatch batch = history.hand();
            writer.write(batch, outcome -> {});
            switch (writer.await()) {
                case LogStore.Outcome.Written written -> history.onWritten(batch, written.mapped());
                case LogStore.Outcome.Failed failed -> throw failed.cause();
                case LogStore.Outcome.Rested rested ->
                    throw new IllegalStateException("a batch was neither written nor refused: " + rested);
            }
        }
    }

    Rehoming(long epoch, long seed, long now, List<Path> folders, long largestRecord) throws IOException {
        this.epoch = epoch;
        this.seed = seed;
        this.now = now;
        name = new SubjectKey(seed);
        for (Path folder : folders) {
            targets.add(new Target(folder, (int) Math.max(SEGMENT_BYTES, largestRecord)));
        }
    }

    private DurableHistory history(
            int segmentBytes, Retained retained, List<io.belfry.server.history.StoredSegment> stored) {
        DurableHistory.Sizes sizes = new DurableHistory.Sizes(segmentBytes, Long.MAX_VALUE, Integer.MAX_VALUE, false);
        return new DurableHistory(epoch, ALL, sizes, retained, stored);
    }

    /** Redistributes the records of one lane; its files are read and closed. */
    void take(LaneScan.Found found) throws IOException {
        Retained retained = new Retained(epoch, Long.MAX_VALUE);
        DurableHistory from = history(SEGMENT_BYTES, retained, found.segments());
        try {
            from.replay(new KnownSubjects(new SubjectTable(seed), new SubjectKey(seed)), now);
            for (Target target : targets) {
                target.history.raiseFloor(from.floor());
            }
            from.moveAll(name, this::move);
            for (Target target : targets) {
                target.write();
            }
        } catch (java.io.UncheckedIOException failure) {
            throw failure.getCause();
        } finally {
            from.close();
        }
    }

    private void move(SubjectKey subject, DurableHistory from, long address) {
        Target target = targets.get(subject.home(targets.size()));
        int id = target.table.findOrAdd(subject.bytes(), subject.length(), subject.hash());
        target.history.appendFrom(from, address, id, subject, now);
        if (target.history.unwrittenBytes() >= PORTION_BYTES) {
            try {
                target.write();
            } catch (IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            }
        }
    }

    @Override
    public void close() {
        targets.forEach(target -> {
            target.writer.close();
            target.history.close();
        });
    }
}
