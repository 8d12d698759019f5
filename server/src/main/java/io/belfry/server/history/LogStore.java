package io.belfry.server.history;

import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Where a log's batches are kept for good. Called on the lane's loop, which never waits for it: one batch is under way at
 * a time.
 */
public interface LogStore extends AutoCloseable {
    /** How a batch ended. */
    sealed interface Outcome {
        /**
         * All is on disk. The mappings belong to whoever gets this. When the store {@code rests}, it takes the next batch
         * when {@link Rested} has come too.
         */
        record Written(Map<Long, MappedFile> mapped, long nanos, boolean rests) implements Outcome {}

        /** So that the next batch is worth forcing, some time has passed. */
        record Rested() implements Outcome {}

        /** Nothing of it counts. */
        record Failed(IOException cause) implements Outcome {}
    }

    /** Takes a batch; {@code done} is called on the loop with how it ended, and again if the store rests after it. */
    void write(LogBatch batch, Consumer<Outcome> done);

    /** Waits for the batch under way, if {@code done} was not called, and answers how it ended. Not on the loop. */
    Outcome await();

    /** Nothing is under way. */
    @Override
    void close();
}
