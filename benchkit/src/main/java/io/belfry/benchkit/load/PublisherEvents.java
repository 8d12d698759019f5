package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Figures;
import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the publishers of a loop are told: acknowledgements above all. Owner: the loop. */
final class PublisherEvents extends ServerEvents<Publisher> {
    private static final int OK = 200;
    private static final int SHOWN_MAX = 200;

    /** With these every further publish would fare the same. */
    private static final Set<String> FINAL = Set.of("publish-denied", "unauthorized", "401", "403");

    private final PublisherLoop home;
    private final Figures figures;
    private final boolean acknowledged;
    private final long[] acknowledgedOfSubject;
    private boolean measuring = true;

    PublisherEvents(PublisherLoop home, PublisherOptions options, Figures figures, Surprises surprises) {
        super(options.target(), figures.counts(), surprises);
        this.home = home;
        this.figures = figures;
        this.acknowledged = options.acknowledged();
        this.acknowledgedOfSubject = new long[acknowledged ? options.subjects().size() : 0];
    }

    void measure(boolean on) {
        measuring = on;
    }

    long[] acknowledgedOfSubject() {
        return acknowledgedOfSubject.clone();
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        answered(current(), id, readNanos);
    }

    private void answered(Publisher publisher, long id, long nanos) {
        AckWindow acks = publisher.acks;
        if (!acks.isOpen(id)) {
            counts.add(Count.ERRORS);
            surprises.add("the server acknowledged a publish that waits for no answer");
            return;
        }
        long intendedNanos = acks.intendedNanos(id);
        if (acknowledged && intendedNanos != Outbox.NOT_MEASURED) {
            counts.add(Count.ACKNOWLEDGED);
            acknowledgedOfSubject[acks.subject(id)]++;
            if (measuring) {
                figures.latencies().record(nanos - intendedNanos);
            }
        }
        acks.close(id);
    }

    /** Over HTTP: the answer to the oldest request. */
    void answered(Publisher publisher, int status, ByteBuf body, long nanos) {
        long id = publisher.acks.oldest();
        if (status == OK) {
            answered(publisher, id, nanos);
            return;
        }
        counts.add(Count.ERRORS);
        String text = body.toString(StandardCharsets.UTF_8).strip();
        String sentence = "the server answered HTTP " + status + ": "
                + (text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text);
        surprises.add(sentence);
        refused(publisher, Integer.toString(status), sentence);
        close(publisher, id);
    }

    private static void close(Publisher publisher, long id) {
        if (publisher.acks.isOpen(id)) {
            publisher.acks.close(id);
        }
    }

    @Override
    public void onPong(long id) {
        home.pong(current(), readNanos);
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        super.onError(id, code, reason, subject);
        close(current(), id);
    }

    @Override
    void refused(Publisher publisher, String code, String sentence) {
        if (!publisher.ready || FINAL.contains(code)) {
            home.failed(sentence);
        }
    }

    @Override
    public void onMessage(MessageView message) {
        counts.add(Count.MISDELIVERED);
    }
}
