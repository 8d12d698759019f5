package io.belfry.server.disk;

import io.belfry.server.config.HistoryConfig.Sync;
import io.belfry.server.history.Batches;
import io.belfry.server.history.LeftSegment;
import io.belfry.server.history.LogBatch;
import io.belfry.server.history.LogStore;
import io.belfry.server.history.MappedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one log's batches on a thread of its own. Its methods are the loop's; the rest belongs to the thread.
 *
 * <p>A file is forced before the next one is begun, so what a power cut leaves is a beginning of the log. A batch that fails
 * is cut off again as well as can be; the log goes on in another file, because what became of a file after a failed force
 * nobody knows.
 */
final class DiskWriter implements LogStore {
    private static final Logger LOG = LoggerFactory.getLogger(DiskWriter.class);
    private static final long NO_SEGMENT = -1;

    /**
     * While many publish at once a batch is begun this often at most: a force costs as much CPU for ten records as for a
     * hundred. Who publishes one by one, each after the last was acknowledged, never waits for this.
     */
    private static final long REST_NANOS = 8_000_000;

    private static final int RECORDS_OF_MANY = 8;

    private final SegmentFiles files;
    private final boolean forced;
    private final Consumer<Runnable> loop;
    private final ExecutorService thread;
    private final Batches batches = new Batches();
    private @Nullable Future<Outcome> last;

    /** Where the last batch that was written ends; read when the thread has ended. */
    private long end = -1;

    private SegmentFiles.@Nullable Open open;
    private long openSegment = NO_SEGMENT;

    DiskWriter(SegmentFiles files, Sync sync, String name, Consumer<Runnable> loop) {
        this.files = files;
        this.loop = loop;
        forced = sync != Sync.OS;
        thread = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().name(name).daemon().factory());
    }

    @Override
    public void write(LogBatch batch, Consumer<Outcome> done) {
        last = thread.submit(() -> {
            long beganNanos = System.nanoTime();
            Outcome outcome = write(batch);
            tell(done, outcome);
            if (outcome instanceof Outcome.Written written && written.rests()) {
                rest(beganNanos + REST_NANOS);
                tell(done, new Outcome.Rested());
            }
            return outcome;
        });
    }

    private void tell(Consumer<Outcome> done, Outcome outcome) {
        try {
            loop.accept(() -> done.accept(outcome));
        } catch (RejectedExecutionException ended) {
            // Whoever ends a loop asks for the outcome by await().
            LOG.debug("the loop ended before its batch did", ended);
        }
    }

    private static void rest(long untilNanos) {
        for (long left = untilNanos - System.nanoTime(); left > 0; left = untilNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public Outcome await() {
        try {
            return java.util.Objects.requireNonNull(last).get();
        } catch (ExecutionException failure) {
            return new Outcome.Failed(new IOException(failure.getCause()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Outcome.Failed(new IOException(interrupted));
        }
    }

    @Override
    public void close() {
        thread.submit(this::closeFile);
        // Not interrupted: that would close the file under a batch.
        thread.close();
    }

    /** Where the last batch that was written ends, or below zero. After {@link #close}. */
    long end() {
        return end;
    }

    private Outcome write(LogBatch batch) {
        long began = System.nanoTime();
        long firstSegment = openSegment;
        try {
            for (LogBatch.Extent extent : batch.extents()) {
                write(extent);
            }
            if (forced && open != null) {
                open.force();
            }
        } catch (IOException | RuntimeException failure) {
            cutOff(batch, firstSegment);
            return new Outcome.Failed(failure instanceof IOException cause ? cause : new IOException(failure));
        }
        Map<Long, MappedFile> mapped = map(batch);
        batch.left().forEach(this::delete);
        end = batch.end();
        return new Outcome.Written(mapped, System.nanoTime() - began, forced && batch.records() >= RECORDS_OF_MANY);
    }

    private void write(LogBatch.Extent extent) throws IOException {
        ByteBuffer bytes = extent.bytes();
        batches.seal(bytes, extent.from(), extent.to());
        file(extent.segment()).write(bytes.limit(extent.to()).position(extent.from()), extent.from());
    }

    private SegmentFiles.Open file(long segment) throws IOException {
        SegmentFiles.Open before = open;
        if (before != null && openSegment == segment) {
            return before;
        }
        if (before != null && forced) {
            before.force();
        }
        closeFile();
        SegmentFiles.Open next = files.create(segment);
        open = next;
        openSegment = segment;
        return next;
    }

    private void cutOff(LogBatch batch, long firstSegment) {
        closeFile();
        for (LogBatch.Extent extent : batch.extents()) {
            try {
                // To nothing before it is deleted: a power cut may bring a deleted file back, and not what is refused.
                boolean began = extent.segment() == firstSegment;
                files.truncate(extent.segment(), began ? extent.from() : 0);
                if (!began) {
                    files.delete(extent.segment());
                }
            } catch (NoSuchFileException none) {
                LOG.debug("segment {} was not begun", extent.segment(), none);
            } catch (IOException failure) {
                LOG.warn("what could not be written of segment {} could not be cut off", extent.segment(), failure);
            }
        }
    }

    private Map<Long, MappedFile> map(LogBatch batch) {
        Map<Long, MappedFile> mapped = new HashMap<>();
        for (LogBatch.Full full : batch.full()) {
            try {
                mapped.put(full.segment(), files.map(full.segment(), full.bytes()));
            } catch (IOException | RuntimeException failure) {
                LOG.warn("segment {} stays in memory: its file could not be mapped", full.segment(), failure);
            }
        }
        return mapped;
    }

    private void delete(LeftSegment left) {
        left.close();
        try {
            files.delete(left.number());
        } catch (IOException failure) {
            LOG.warn("the file of segment {} could not be deleted", left.number(), failure);
        }
    }

    private void closeFile() {
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException failure) {
            LOG.warn("segment {} could not be closed", openSegment, failure);
        }
        open = null;
        openSegment = NO_SEGMENT;
    }
}
