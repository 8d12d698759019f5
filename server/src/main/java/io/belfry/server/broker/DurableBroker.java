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
 * <p>A publish gets its seq and its record at once, and then waits. When its record is on disk it is accepted, retained,
 * and told of, in the order of the records. So nobody ever hears of what a kill could take back, and what cannot be
 * written is refused as if it had never come: its seq is given again.
 *
 * <p>While the disk fails, publishes are refused at once; reading goes on. Every second it is tried again.
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

    /** The seq last given to a publish, and the one last told of. They differ while one waits. */
    private final LongColumn given = new LongColumn();

    private final LongColumn told = new LongColumn();
    private final Waiting waiting = new Waiting();
    private final Publication answer = new Publication();
    private final MessageView view = new MessageView();

    /** The highest seq of any subject forgotten so far. */
    private long forgottenSeq;

    /** By how much the waiting publishes will have the retained messages grow. */
    private long reservedBytes;

    @Nullable
    private LogBatch underWay;

    /** The store takes no batch until it says so. */
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

    /** Brings back the subjects, their order and what was retained; once, before anything else. */
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

    /** Answers a publish whose message id is known, or has it wait for the first one's record. */
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
        int grows = publication.retain() ? retained.growth(subject, publication.dataLength()) : 0;
        boolean fills = publication.retain() && publication.dataLength() > 0;
        if (fills && retained.bytes() + reservedBytes + grows > retained.bytesMax()) {
            events.onRefused(subject, publication, Code.RETAINED_FULL, "Limit.RetainedBytes is reached");
            return;
        }
        long seq = given.at(subject) + 1;
        given.set(subject, seq);
        long address = history.append(
                subject,
                name,
                seq,
                nowMillis,
                publication.retain(),
                publication.buffer(),
                publication.idOffset(),
                publication.idLength(),
                publication.buffer(),
                publication.dataOffset(),
                publication.dataLength());
        int reserved = Math.max(0, grows);
        reservedBytes += reserved;
        waiting.add(address, seq, publication, false, reserved);
    }

    // ---- the way to the disk and back ----

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
            LOG.info("history can be written again; publishes are accepted");
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
            retained.put(subject, seq, view.timeMillis(), view.data(), view.dataOffset(), view.dataLength());
        }
        events.onAccepted(answer, seq);
        events.onMessage(subject, view, answer.receivedNanos());
    }

    private void onFailed(LogBatch batch, IOException cause) {
        counters.increment(Counter.HISTORY_FAILURES);
        retryAtMillis = nowMillis + RETRY_MILLIS;
        failure = "the history cannot be written: " + cause.getMessage();
        Code code = isFull(cause) ? Code.HISTORY_FULL : Code.HISTORY_FAILED;
        if (failing == null) {
            counters.increment(Counter.HISTORY_FAILING);
            LOG.error("{}; publishes are refused with {} until it can", failure, code.text(), cause);
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

    /** What waits is written, though nobody is left to be answered. */
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
