package io.belfry.server.history;

import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Stores a log's batches permanently. Called on the lane's loop, which never waits for it: one batch is written at
 * a time.
 */
public interface LogStore extends AutoCloseable {
    /** The outcome of a batch. */
    sealed interface Outcome {
        /**
         * The batch is on disk. The mappings belong to the receiver. If {@code rests} is set, the store accepts the next batch
         * only after {@link Rested}.
         */
        record Written(Map<Long, MappedFile> mapped, long nanos, boolean rests) implements Outcome {}

        /** The pause before the next batch has passed, so that the next batch is large enough to be worth a sync. */
        record Rested() implements Outcome {}

        /** No part of the batch counts. */
        record Failed(IOException cause) implements Outcome {}
    }

    /** Writes a batch; calls {@code done} on the loop with the outcome, and a second time if the store rests after it. */
    void write(LogBatch batch, Consumer<Outcome> done);

    /** Waits for a batch whose outcome {@code done} has not received, and returns it. Not to be called on the loop. */
    Outcome await();

    /** Closes the store; no batch may be in progress. */
    @Override
    void close();
}
