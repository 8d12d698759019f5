package io.belfry.server.broker;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.History;
import io.belfry.server.history.NewRecord;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.LongColumn;
import io.belfry.server.subject.SubjectKey;

/** The order of a single node with its history in memory: the lane itself counts. Owner: the lane's loop. */
public final class LocalBroker implements Broker {
    private final long epoch;
    private final History history;
    private final Retained retained;
    private final LoopCounters counters;
    private final Events events;
    private final LongColumn seqs = new LongColumn();
    private final MessageView view = new MessageView();
    private final NewRecord record = new NewRecord();

    /** The highest seq of all removed subjects; a new subject begins above it. */
    private long forgottenSeq;

    public LocalBroker(long epoch, History history, Retained retained, LoopCounters counters, Events events) {
        this.epoch = epoch;
        this.history = history;
        this.retained = retained;
        this.counters = counters;
        this.events = events;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public void onCreated(int subject) {
        seqs.set(subject, forgottenSeq);
    }

    @Override
    public void onForgotten(int subject) {
        history.onForgotten(subject);
        forgottenSeq = Math.max(forgottenSeq, seqs.at(subject));
        seqs.set(subject, 0);
    }

    @Override
    public void publish(int subject, SubjectKey name, Publication publication, long nowMillis) {
        long known = publication.idLength() == 0 ? -1 : seqOfRepeated(subject, publication, nowMillis);
        if (known >= 0) {
            counters.increment(Counter.PUBLISHES_DUPLICATE);
            events.onAccepted(publication, known);
            return;
        }
        if (publication.retain() && !retained.fits(subject, publication.retainedLength())) {
            events.onRefused(subject, publication, Code.RETAINED_FULL, "Limit.RetainedBytes is reached");
            return;
        }
        long seq = seqs.at(subject) + 1;
        seqs.set(subject, seq);
        show(seq, publication, nowMillis);
        keep(subject, seq, publication, nowMillis);
        events.onAccepted(publication, seq);
        events.onMessage(subject, view, publication.receivedNanos());
    }

    private long seqOfRepeated(int subject, Publication publication, long nowMillis) {
        return history.seqOf(subject, publication.buffer(), publication.idOffset(), publication.idLength(), nowMillis);
    }

    private void show(long seq, Publication publication, long nowMillis) {
        view.data(publication.buffer(), publication.dataOffset(), publication.dataLength())
                .headers(publication.headers(), publication.headersOffset(), publication.headersLength())
                .position(epoch, 0, seq)
                .time(nowMillis)
                .type(MessageType.LIVE)
                .retained(publication.retain());
    }

    private void keep(int subject, long seq, Publication publication, long nowMillis) {
        history.append(record.message(subject, seq, nowMillis, publication.retain())
                .id(publication.buffer(), publication.idOffset(), publication.idLength())
                .data(publication.buffer(), publication.dataOffset(), publication.dataLength())
                .headers(publication.headers(), publication.headersOffset(), publication.headersLength()));
        if (publication.retain()) {
            retained.put(subject, view);
        }
    }

    @Override
    public long seq(int subject) {
        return seqs.at(subject);
    }

    @Override
    public void endTurn(long nowMillis) {
        // Every publish was completed when it was received.
    }

    @Override
    public long waitingBytes() {
        return 0;
    }

    @Override
    public History history() {
        return history;
    }

    @Override
    public Retained retained() {
        return retained;
    }

    @Override
    public boolean close() {
        history.close();
        return true;
    }
}
