package io.belfry.server.broker;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.DurableHistory;
import io.belfry.server.history.History;
import io.belfry.server.history.KnownSubjects;
import io.belfry.server.history.LogBatch;
import io.belfry.server.history.LogStore;
import io.belfry.server.history.NewRecord;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.LongColumn;
import io.belfry.server.subject.SubjectKey;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The order of a single node whose history is on disk. Owner: the lane's loop.
 *
 * <p>A publish gets its seq and its record at once, and then waits until its record is on disk. Only then it is accepted,
 * retained and delivered, in the order of the records. A kill therefore never removes a message that was delivered. A record
 * that cannot be written is refused and its seq is reused.
 *
 * <p>While writing to the disk fails, publishes are refused at once; reads continue. Writing is retried every second.
 */
public final class DurableBroker implements Broker {
    private static final Logger LOG = LoggerFactory.getLogger(DurableBroker.class);
    private static final long RETRY_MILLIS = 1000;

    private final long epoch;
    private final DurableHistory history;
    private final Retained retained;
    private final LogStore store;
    private final LoopCounters counters;
    private final Events events;

    /** The seq last assigned to a publish of each subject. It is ahead of the delivered one while a publish waits for the disk. */
    private final LongColumn given = new LongColumn();

    private final LongColumn told = new LongColumn();
    private final Waiting waiting = new Waiting();
    private final Publication answer = new Publication();
    private final MessageView view = new MessageView();
    private final NewRecord record = new NewRecord();

    /** The highest seq of all removed subjects. */
    private long forgottenSeq;

    /** Bytes that the waiting publishes will add to the retained messages. */
    private long reservedBytes;

    @Nullable
    private LogBatch underWay;

    /** Whether the store accepts no batch until it reports that it can. */
    private boolean resting;

    @Nullable
    private Code failing;

    private String failure = "";
    private long retryAtMillis;
    private long nowMillis;

    public DurableBroker(
            long epoch,
            DurableHistory history,
            Retained retained,
            LogStore store,
            LoopCounters counters,
            Events events) {
        this.epoch = epoch;
        this.history = history;
        this.retained = retained;
        this.store = store;
        this.counters = counters;
        this.events = events;
    }

    /** Restores the subjects, their order and the retained messages; called once, before anything else. */
    public void replay(KnownSubjects known, long now) {
        history.replay(known, now);
        for (int subject = 0; subject < known.idBound(); subject++) {
            if (known.has(subject)) {
                long latest = history.latestSeq(subject);
                onCreated(subject);
                if (latest >= 0) {
                    given.set(subject, latest);
                    told.set(subject, latest);
                }
            }
        }
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public void onCreated(int subject) {
        long above = Math.max(forgottenSeq, history.floor());
        given.set(subject, above);
        told.set(subject, above);
    }

    @Override
    public void onForgotten(int subject) {
        history.history().onForgotten(subject);
        forgottenSeq = Math.max(forgottenSeq, told.at(subject));
        given.set(subject, 0);
        told.set(subject, 0);
    }

    @Override
    public void publish(int subject, SubjectKey name, Publication publication, long now) {
        nowMillis = now;
        if (failing != null) {
            events.onRefused(subject, publication, failing, failure);
        } else if (!isRepeated(subject, publication)) {
            append(subject, name, publication);
        }
    }

    /** Answers a publish whose message id is known, or queues it behind the record of the first publish. Returns whether it did. */
    private boolean isRepeated(int subject, Publication publication) {
        long known = publication.idLength() == 0
                ? -1
                : history.find(
                        subject, publication.buffer(), publication.idOffset(), publication.idLength(), nowMillis);
        if (known < 0) {
            return false;
        }
        if (history.isDurable(known)) {
            acceptRepeated(publication, history.seq(known));
        } else {
            waiting.add(known, history.seq(known), publication, true, 0);
        }
        return true;
    }

    private void acceptRepeated(Publication publication, long seq) {
        counters.increment(Counter.PUBLISHES_DUPLICATE);
        events.onAccepted(publication, seq);
    }

    private void append(int subject, SubjectKey name, Publication publication) {
        int grows = publication.retain() ? retained.growth(subject, publication.retainedLength()) : 0;
        boolean fills = publication.retain() && publication.dataLength() > 0;
        if (fills && retained.bytes() + reservedBytes + grows > retained.bytesMax()) {
            events.onRefused(subject, publication, Code.RETAINED_FULL, "Limit.RetainedBytes is reached");
            return;
        }
        long seq = given.at(subject) + 1;
        given.set(subject, seq);
        record.message(subject, seq, nowMillis, publication.retain())
                .id(publication.buffer(), publication.idOffset(), publication.idLength())
                .data(publication.buffer(), publication.dataOffset(), publication.dataLength())
                .headers(publication.headers(), publication.headersOffset(), publication.headersLength());
        long address = history.append(record, name);
        int reserved = Math.max(0, grows);
        reservedBytes += reserved;
        waiting.add(address, seq, publication, false, reserved);
    }

    // ---- writing to disk and completing publishes ----

    @Override
    public void endTurn(long now) {
        nowMillis = now;
        boolean due = failing == null ? history.hasWork() : now >= retryAtMillis;
        if (due && underWay == null && !resting) {
            hand();
        }
    }

    private void hand() {
        LogBatch batch = history.hand();
        underWay = batch;
        store.write(batch, outcome -> onOutcome(batch, outcome));
    }

    private void onOutcome(LogBatch batch, LogStore.Outcome outcome) {
        if (!(outcome instanceof LogStore.Outcome.Rested)) {
            underWay = null;
        }
        switch (outcome) {
            case LogStore.Outcome.Written written -> onWritten(batch, written);
            case LogStore.Outcome.Failed failed -> onFailed(batch, failed.cause());
            case LogStore.Outcome.Rested rested -> resting = false;
        }
    }

    private void onWritten(LogBatch batch, LogStore.Outcome.Written written) {
        counters.increment(Counter.HISTORY_BATCHES);
        counters.add(Counter.HISTORY_WRITTEN_BYTES, batch.bytes());
        counters.add(Counter.HISTORY_WRITE_MICROS, written.nanos() / 1000);
        history.onWritten(batch, written.mapped());
        resting = written.rests();
        if (failing != null) {
            failing = null;
            history.failing(false);
            counters.add(Counter.HISTORY_FAILING, -1);
            LOG.info("history writes succeed again; publishes are accepted");
        }
        tell();
    }

    private void tell() {
        while (!waiting.isEmpty() && history.isDurable(waiting.address())) {
            long address = waiting.address();
            long seq = waiting.seq();
            boolean repeated = waiting.isRepeated();
            reservedBytes -= waiting.reserved();
            waiting.take(answer);
            if (repeated) {
                acceptRepeated(answer, seq);
            } else {
                tell(history.subject(address), seq, address);
            }
        }
        history.showAll();
    }

    private void tell(int subject, long seq, long address) {
        history.show(address, view.type(MessageType.LIVE));
        told.set(subject, seq);
        if (view.retained()) {
            retained.put(subject, view);
        }
        events.onAccepted(answer, seq);
        events.onMessage(subject, view, answer.receivedNanos());
    }

    private void onFailed(LogBatch batch, IOException cause) {
        counters.increment(Counter.HISTORY_FAILURES);
        retryAtMillis = nowMillis + RETRY_MILLIS;
        failure = "history cannot be written: " + cause.getMessage();
        Code code = isFull(cause) ? Code.HISTORY_FULL : Code.HISTORY_FAILED;
        if (failing == null) {
            counters.increment(Counter.HISTORY_FAILING);
            LOG.error("{}; publishes are refused with {} until a write succeeds", failure, code.text(), cause);
        }
        failing = code;
        history.failing(true);
        refuseWaiting(code);
        history.rollBack(batch, subject -> {
            given.set(subject, told.at(subject));
            events.onTakenBack(subject);
        });
        history.showAll();
    }

    private static boolean isFull(IOException cause) {
        String text = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        return text.contains("no space") || text.contains("quota") || text.contains("too large");
    }

    private void refuseWaiting(Code code) {
        while (!waiting.isEmpty()) {
            long address = waiting.address();
            long seq = waiting.seq();
            reservedBytes -= waiting.reserved();
            waiting.take(answer);
            if (history.isDurable(address)) {
                acceptRepeated(answer, seq);
            } else {
                events.onRefused(history.subject(address), answer, code, failure);
            }
        }
    }

    @Override
    public long waitingBytes() {
        return history.unwrittenBytes();
    }

    @Override
    public long seq(int subject) {
        return told.at(subject);
    }

    @Override
    public History history() {
        return history.history();
    }

    @Override
    public Retained retained() {
        return retained;
    }

    /** Writes the waiting records, although their publishers are no longer connected. */
    @Override
    public boolean close() {
        boolean well = settle();
        while (well && history.hasWork()) {
            LogBatch batch = history.hand();
            underWay = batch;
            store.write(batch, outcome -> {});
            well = settle();
        }
        store.close();
        history.close();
        return well && failing == null;
    }

    private boolean settle() {
        if (underWay == null) {
            return true;
        }
        LogBatch batch = underWay;
        underWay = null;
        if (store.await() instanceof LogStore.Outcome.Written written) {
            history.onWritten(batch, written.mapped());
            return true;
        }
        return false;
    }
}
