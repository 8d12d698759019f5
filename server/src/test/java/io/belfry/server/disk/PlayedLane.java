package io.belfry.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.DurableBroker;
import io.belfry.server.broker.Publication;
import io.belfry.server.config.HistoryConfig.Sync;
import io.belfry.server.counter.LoopCounters;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * One run of a lane's history on disk, without sessions, on a loop that the test turns by hand. It uses the broker as
 * a lane does. Owner: the test.
 */
final class PlayedLane implements Broker.Events, AutoCloseable {
    static final int SEGMENT = 2048;
    static final long RETAINED_BYTES = 1000;

    /** Receives the events of the broker as clients would. */
    interface Listener {
        void message(String subject, long seq, String data, boolean retained, long time);

        void accepted(long command, long seq);

        void refused(long command, String subject, Code code);
    }

    /** Bounds of the history and how it is written. */
    record Settings(int size, long expireMillis, long budgetBytes, Sync sync) {}

    final FaultyFiles files;
    private final PowerCutFiles disk;
    final DurableBroker broker;
    final LaneScan.Found found;
    final SubjectTable table = new SubjectTable(0);
    private final Retained retained = new Retained(1, RETAINED_BYTES);
    private final SubjectKey key = new SubjectKey(0);
    private final Deque<Runnable> loop = new ArrayDeque<>();
    private final Listener listener;
    private long now;

    PlayedLane(Path folder, boolean mayBeTorn, Settings settings, Random random, long now, Listener listener)
            throws IOException {
        this.listener = listener;
        this.now = now;
        Folders.create(folder);
        FolderFiles real = new FolderFiles(folder);
        found = LaneScan.read(real, mayBeTorn);
        disk = new PowerCutFiles(real);
        files = new FaultyFiles(disk, random);
        DurableHistory history = new DurableHistory(
                1,
                new History.Bounds(settings.size(), settings.expireMillis()),
                new DurableHistory.Sizes(
                        SEGMENT, settings.budgetBytes(), Integer.MAX_VALUE, settings.sync() == Sync.ALWAYS),
                retained,
                found.segments());
        broker = new DurableBroker(
                1,
                history,
                retained,
                new PatientStore(new DiskWriter(files, settings.sync(), "played", loop::add)),
                new LoopCounters(),
                this);
        broker.replay(new KnownSubjects(table, key), now);
        table.endRestore();
    }

    void now(long millis) {
        now = millis;
    }

    void publish(long command, String subject, String id, String data, boolean retain) {
        int known = findOrAdd(subject);
        byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
        byte[] dataBytes = data.getBytes(StandardCharsets.UTF_8);
        ByteBuf buffer = Unpooled.buffer().writeBytes(idBytes).writeBytes(dataBytes);
        int headersAt = buffer.writerIndex();
        if (!headersOf(data).isEmpty()) {
            MessageHeaders.write(buffer, headersOf(data));
        }
        Publication publication = new Publication()
                .from(0, 1, command, 0)
                .content(buffer, idBytes.length, dataBytes.length, 0, idBytes.length, retain)
                .headers(headersAt, buffer.writerIndex() - headersAt);
        broker.publish(known, key, publication, now);
        forgetIfUnused(known);
    }

    private int findOrAdd(String subject) {
        key.set(subject.getBytes(StandardCharsets.UTF_8));
        int known = table.find(key.bytes(), key.length(), key.hash());
        if (known == SubjectTable.NONE) {
            known = table.findOrAdd(key.bytes(), key.length(), key.hash());
            broker.onCreated(known);
        }
        return known;
    }

    private void forgetIfUnused(int subject) {
        if (broker.history().isEmpty(subject) && !retained.has(subject)) {
            broker.onForgotten(subject);
            table.remove(subject);
        }
    }

    void clean() {
        if (broker.history().isCleaningDue(now)) {
            broker.history().clean(now, this::forgetIfUnused);
        }
    }

    void endTurn() {
        broker.endTurn(now);
    }

    /** Reports one completion of another thread to the loop. */
    boolean step() {
        Runnable task = loop.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    /** Runs everything until nothing is left to report or to write. */
    void settle() {
        do {
            while (step()) {
                // Continues with the next completion.
            }
            endTurn();
        } while (!loop.isEmpty());
    }

    /** Returns the readable messages, each as seq and data. */
    List<String> messages(String subject) {
        List<String> messages = new ArrayList<>();
        int known = find(subject);
        if (known != SubjectTable.NONE) {
            broker.history().read(known, 0, Integer.MAX_VALUE, new MessageView(), now, message -> {
                messages.add(message.seq() + " " + text(message));
                return true;
            });
        }
        return messages;
    }

    int find(String subject) {
        key.set(subject.getBytes(StandardCharsets.UTF_8));
        return table.find(key.bytes(), key.length(), key.hash());
    }

    /** Returns the retained message as seq and data, or "nothing". */
    String retained(String subject) {
        MessageView view = new MessageView();
        int known = find(subject);
        return known != SubjectTable.NONE && retained.show(known, view) ? view.seq() + " " + text(view) : "";
    }

    /** Returns the headers that a message with this data has: every second short one has some. */
    private static Map<String, String> headersOf(String data) {
        return data.length() % 2 == 0 || data.length() > 200 ? Map.of() : Map.of("copy", data);
    }

    private static String text(MessageView m) {
        String data = m.data().toString(m.dataOffset(), m.dataLength(), StandardCharsets.UTF_8);
        assertThat(MessageHeaders.of(m)).isEqualTo(headersOf(data));
        return data;
    }

    private String name(int subject) {
        return new String(table.key(subject), StandardCharsets.UTF_8);
    }

    @Override
    public void onMessage(int subject, MessageView m, long receivedNanos) {
        assertThat(broker.seq(subject)).isEqualTo(m.seq());
        listener.message(name(subject), m.seq(), text(m), m.retained(), m.timeMillis());
    }

    @Override
    public void onAccepted(Publication publication, long seq) {
        listener.accepted(publication.commandId(), seq);
    }

    @Override
    public void onRefused(int subject, Publication publication, Code code, String reason) {
        listener.refused(publication.commandId(), name(subject), code);
    }

    @Override
    public void onTakenBack(int subject) {
        if (table.has(subject)) {
            forgetIfUnused(subject);
        }
    }

    /** Closes in order or, if its files were killed, like a killed process. */
    @Override
    public void close() {
        boolean well = broker.close();
        assertThat(well || files.isKilled()).isTrue();
    }

    /** Simulates a power failure at the kill; called after {@link #close}. */
    void powerCut(Random random) throws IOException {
        disk.cut(random);
    }

    /** Does the disk's work at once, so that a seed is repeatable; the completion is reported later. */
    private record PatientStore(LogStore store) implements LogStore {
        @Override
        public void write(LogBatch batch, Consumer<Outcome> done) {
            store.write(batch, done);
            store.await();
        }

        @Override
        public Outcome await() {
            return store.await();
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
