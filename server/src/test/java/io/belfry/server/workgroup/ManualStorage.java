package io.belfry.server.workgroup;

import io.belfry.server.history.Batches;
import io.belfry.server.history.HistoryStorage;
import io.belfry.server.history.LogBatch;
import io.belfry.server.history.LogStore;
import io.belfry.server.history.StoredSegment;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A disk that stores a batch some turns later or fails, as a seed determines.
 * Owner: the test's thread.
 */
final class ManualStorage implements HistoryStorage {
    private final Random random;
    private final List<ManualLoop> loops;

    /** Percentage of batches that fail. */
    private int failing;

    ManualStorage(Random random, List<ManualLoop> loops) {
        this.random = random;
        this.loops = loops;
    }

    void failing(int percent) {
        failing = percent;
    }

    @Override
    public List<StoredSegment> stored(int lane) {
        return List.of();
    }

    @Override
    public int generation() {
        return 1;
    }

    @Override
    public LogStore open(int lane, Consumer<Runnable> loop) {
        return new Store(loops.get(lane), loop);
    }

    private final class Store implements LogStore {
        private final Batches batches = new Batches();
        private final ManualLoop turns;
        private final Consumer<Runnable> loop;

        Store(ManualLoop turns, Consumer<Runnable> loop) {
            this.turns = turns;
            this.loop = loop;
        }

        @Override
        public void write(LogBatch batch, Consumer<Outcome> done) {
            turns.execute(() -> {
                if (random.nextBoolean()) {
                    write(batch, done);
                } else {
                    loop.accept(() -> done.accept(outcome(batch)));
                }
            });
        }

        private Outcome outcome(LogBatch batch) {
            if (random.nextInt(100) < failing) {
                return new Outcome.Failed(new IOException("No space left on device"));
            }
            batch.extents().forEach(each -> batches.seal(each.bytes(), each.from(), each.to()));
            return new Outcome.Written(Map.of(), 1000, false);
        }

        @Override
        public Outcome await() {
            return new Outcome.Failed(new IOException("the loop ended"));
        }

        @Override
        public void close() {
            // Holds no resources.
        }
    }
}
