package io.belfry.twin;

import io.belfry.protocol.MessageView;
import io.belfry.server.config.HistoryConfig;
import io.belfry.server.disk.DiskHistory;
import io.belfry.server.history.DurableHistory;
import io.belfry.server.history.History;
import io.belfry.server.history.KnownSubjects;
import io.belfry.server.history.LogBatch;
import io.belfry.server.history.LogStore;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The server's history on disk, one lane of it, as the broker drives it: appended on this thread, written and forced on the
 * writer's, readable when that is done. Bounds that nothing reaches, so that all is kept.
 */
final class DiskStore implements Store {
    private static final int SEGMENT_BYTES = 8 << 20;
    private static final long BUDGET_BYTES = 64L << 30;
    private static final int CACHE_SIZE = 10_000_000;
    private static final long EXPIRE_MILLIS = Long.MAX_VALUE / 4;
    private static final int LARGEST_MESSAGE = 64 << 10;
    private static final int KEYS = 1 << 20;

    private final DiskHistory storage;
    private final DurableHistory history;
    private final LogStore log;
    private final SubjectTable table;
    private final SubjectKey key;
    private final MessageView view = new MessageView();

    /** The log's ids of our subjects, and one more; 0 where it was not looked up yet. */
    private final int[] ids = new int[KEYS];

    private DiskStore(DiskHistory storage) {
        this.storage = storage;
        table = new SubjectTable(storage.seed());
        key = new SubjectKey(storage.seed());
        history = new DurableHistory(
                storage.epoch(),
                new History.Bounds(CACHE_SIZE, EXPIRE_MILLIS),
                new DurableHistory.Sizes(SEGMENT_BYTES, BUDGET_BYTES, false),
                new Retained(storage.epoch(), 0),
                storage.stored(0));
        // Whoever waits for each batch needs no loop to hear of it on.
        log = storage.open(0, task -> {});
        history.replay(new KnownSubjects(table, key), 0);
        table.endRestore();
    }

    static DiskStore open(Path folder) throws IOException {
        HistoryConfig config = new HistoryConfig(
                HistoryConfig.Kind.DISK, CACHE_SIZE, EXPIRE_MILLIS, 0, folder, HistoryConfig.Sync.GROUP, BUDGET_BYTES);
        return new DiskStore(DiskHistory.open(config, 1, LARGEST_MESSAGE, System.currentTimeMillis()));
    }

    @Override
    public void append(int subject, long seq, byte[] data) {
        int id = id(subject);
        key.set(table, id);
        ByteBuf wrapped = Unpooled.wrappedBuffer(data);
        history.append(id, key, seq, 0, false, Unpooled.EMPTY_BUFFER, 0, 0, wrapped, 0, data.length);
    }

    private int id(int subject) {
        if (ids[subject] == 0) {
            key.set(("/s/" + subject).getBytes(StandardCharsets.UTF_8));
            ids[subject] = table.findOrAdd(key.bytes(), key.length(), key.hash()) + 1;
        }
        return ids[subject] - 1;
    }

    @Override
    public void sync() throws IOException {
        while (history.hasWork()) {
            LogBatch batch = history.hand();
            log.write(batch, outcome -> {});
            LogStore.Outcome outcome = log.await();
            if (outcome instanceof LogStore.Outcome.Failed failed) {
                throw failed.cause();
            }
            if (outcome instanceof LogStore.Outcome.Written written) {
                history.onWritten(batch, written.mapped());
            }
        }
        history.showAll();
    }

    @Override
    public void read(int subject, long afterSeq, int most, Reader reader) {
        history.history().read(id(subject), afterSeq, most, view, 0, message -> {
            byte[] data = new byte[message.dataLength()];
            message.data().getBytes(message.dataOffset(), data);
            reader.onMessage(message.seq(), data);
            return true;
        });
    }

    @Override
    public void close() throws IOException {
        log.close();
        history.close();
        storage.close(true);
    }
}
