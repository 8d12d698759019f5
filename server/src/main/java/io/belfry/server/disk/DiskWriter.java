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
 * Writes one log's batches on a thread of its own. The public methods are called on the loop; the private ones run on the
 * thread.
 *
 * <p>A file is synced before the next one is started, so a power failure leaves a beginning of the log. After a failed
 * batch its remains are cut off where possible, and the log continues in another file, because the content of a file is
 * undefined after a failed sync.
 */
final class DiskWriter implements LogStore {
    private static final Logger LOG = LoggerFactory.getLogger(DiskWriter.class);
    private static final long NO_SEGMENT = -1;

    /**
     * Minimum time between two batches under load: a sync costs as much CPU for ten records as for a
     * hundred. A publisher that waits for each acknowledgement never waits for this time.
     */
    private static final long REST_NANOS = 8_000_000;

    private static final int RECORDS_OF_MANY = 8;

    private final SegmentFiles files;
    private final boolean forced;
    private final Consumer<Runnable> loop;
    private final ExecutorService thread;
    private final Batches batches = new Batches();
    private @Nullable Future<Outcome> last;

    /** End of the last batch that was written; read after the thread has ended. */
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
            // The caller that stops the loop gets the outcome from await().
            LOG.debug("loop ended before the outcome of its last batch arrived", ended);
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
        // Not interrupted, because an interrupt would close the file during a write.
        thread.close();
    }

    /** Returns the end of the last batch that was written, or a negative value. Valid after {@link #close}. */
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
                // Truncated before it is deleted: after a power failure a deleted file may reappear, but not the
                // refused records.
                boolean began = extent.segment() == firstSegment;
                files.truncate(extent.segment(), began ? extent.from() : 0);
                if (!began) {
                    files.delete(extent.segment());
                }
            } catch (NoSuchFileException none) {
                LOG.debug("segment {} was not created", extent.segment(), none);
            } catch (IOException failure) {
                LOG.warn(
                        "truncation failed: segment={}; refused records may stay in the file",
                        extent.segment(),
                        failure);
            }
        }
    }

    private Map<Long, MappedFile> map(LogBatch batch) {
        Map<Long, MappedFile> mapped = new HashMap<>();
        for (LogBatch.Full full : batch.full()) {
            try {
                mapped.put(full.segment(), files.map(full.segment(), full.bytes()));
            } catch (IOException | RuntimeException failure) {
                LOG.warn("mapping failed: segment={}; it stays in memory", full.segment(), failure);
            }
        }
        return mapped;
    }

    private void delete(LeftSegment left) {
        left.close();
        try {
            files.delete(left.number());
        } catch (IOException failure) {
            LOG.warn("deletion failed: segment={}; it is retried later", left.number(), failure);
        }
    }

    private void closeFile() {
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException failure) {
            LOG.warn("close failed: segment={}", openSegment, failure);
        }
        open = null;
        openSegment = NO_SEGMENT;
    }
}
