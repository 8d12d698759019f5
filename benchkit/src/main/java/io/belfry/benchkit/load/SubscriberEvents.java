package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockComparison;
import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.DeliveryCheck;
import io.belfry.benchkit.measure.DeliveryCheck.Arrival;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Findings;
import io.belfry.benchkit.measure.PublisherClocks;
import io.belfry.benchkit.measure.PublisherIndex;
import io.belfry.benchkit.measure.Stamp;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What the subscribers of a loop are told, and all that is measured and verified of it. Owner: the loop. */
final class SubscriberEvents extends ServerEvents<Subscriber> {
    private final SubscriberLoop home;
    private final SubjectList subjects;
    private final Figures figures;
    private final PublisherIndex publishers = new PublisherIndex();
    private final PublisherClocks clocks;
    private final Findings findings = new Findings();
    private final byte[] stamp = new byte[Stamp.BYTES];
    private boolean measuring = true;

    /** By {@link PublisherIndex} number: an end mark of this publisher has come. */
    private boolean[] ended = new boolean[16];

    private boolean anyEnded;

    SubscriberEvents(SubscriberLoop home, SubscriberOptions options, Figures figures, Surprises surprises) {
        super(options.target(), figures.counts(), surprises);
        this.home = home;
        this.subjects = options.subjects();
        this.figures = figures;
        this.clocks = new PublisherClocks(options.correctClocks());
    }

    void measure(boolean on) {
        measuring = on;
    }

    void clock(ClockOffset own) {
        clocks.own(own);
    }

    @Override
    public void onMessage(MessageView message) {
        Subscriber subscriber = current();
        if (subscriber.stalled) {
            home.stalled().onMessage(subscriber, message);
            return;
        }
        int slot = subscriber.slotOf(subjects, message.subject(), message.subjectOffset(), message.subjectLength());
        if (slot < 0) {
            counts.add(Count.MISDELIVERED);
        } else if (message.type() == MessageType.SNAPSHOT || message.type() == MessageType.HISTORY) {
            counts.add(Count.REPLAYED);
        } else {
            delivered(subscriber, slot, message);
        }
    }

    private void delivered(Subscriber subscriber, int slot, MessageView message) {
        DeliveryCheck check = subscriber.check;
        if (check != null) {
            long prev = message.prev() == MessageView.NO_PREV ? message.seq() - 1 : message.prev();
            check.position(slot, message.epoch(), message.seq(), prev, counts);
        }
        long intendedNanos = intendedNanos(message);
        if (intendedNanos == Stamp.NO_STAMP) {
            counts.add(Count.UNSTAMPED);
            return;
        }
        int publisher = publishers.indexOf(Stamp.publisher(stamp));
        long latencyNanos = readNanos - intendedNanos + clocks.correctionNanos(publisher, stamp);
        if (Stamp.isEnd(stamp)) {
            ended(subscriber, slot, publisher, intendedNanos);
            return;
        }
        if (measuring) {
            counts.add(Count.MESSAGES);
            figures.latencies().record(latencyNanos);
        } else {
            counts.add(Count.WARM_UP_MESSAGES);
        }
        if (check != null) {
            note(check.arrived(slot, publisher, Stamp.sequence(stamp), counts), subscriber, slot);
        }
    }

    private long intendedNanos(MessageView message) {
        if (message.dataLength() < Stamp.BYTES) {
            return Stamp.NO_STAMP;
        }
        message.data().getBytes(message.dataOffset(), stamp);
        return Stamp.intendedNanos(stamp);
    }

    private void ended(Subscriber subscriber, int slot, int publisher, long startNanos) {
        counts.add(Count.END_MARKS);
        if (publisher >= ended.length) {
            ended = Arrays.copyOf(ended, Math.max(publisher + 1, 2 * ended.length));
        }
        ended[publisher] = true;
        anyEnded = true;
        if (subscriber.check != null) {
            boolean fromTheStart = clocks.isBefore(subscriber.readyNanos, publisher, startNanos);
            Arrival arrival = subscriber.check.ended(slot, publisher, Stamp.sequence(stamp), fromTheStart, counts);
            note(arrival, subscriber, slot);
            if (arrival != Arrival.DUPLICATED) {
                counts.add(Count.EXPECTED, Stamp.sequence(stamp));
            }
        }
    }

    /** What is lost is noted at the end, when nothing can come late any more. */
    private void note(Arrival arrival, Subscriber subscriber, int slot) {
        switch (arrival) {
            case DUPLICATED -> note(Findings.Kind.DUPLICATED, subscriber, slot);
            case REORDERED -> note(Findings.Kind.REORDERED, subscriber, slot);
            default -> {
                // In order, as far as can be known.
            }
        }
    }

    private void note(Findings.Kind kind, Subscriber subscriber, int slot) {
        long number = Stamp.sequence(stamp);
        findings.note(new Findings.Finding(
                kind, subscriber.subjects[slot], Stamp.publisher(stamp), subscriber.client, number, number));
    }

    /** Everything found so far, with what is lost as of now. */
    Findings findings() {
        Findings all = new Findings();
        all.add(findings);
        home.clients().forEach(subscriber -> {
            if (subscriber.check != null && !subscriber.stalled) {
                subscriber.check.forEachLost((slot, publisher, from, to) -> all.note(new Findings.Finding(
                        Findings.Kind.LOST,
                        subscriber.subjects[slot],
                        publishers.idOf(publisher),
                        subscriber.client,
                        from,
                        to)));
            }
        });
        return all;
    }

    /** Streams whose publisher has ended, but whose end mark has not come. */
    long withoutEnd() {
        if (!anyEnded) {
            return 0;
        }
        long[] sum = new long[1];
        home.clients().forEach(subscriber -> {
            if (subscriber.check != null && !subscriber.stalled) {
                sum[0] += subscriber.check.withoutEnd(publisher -> publisher < ended.length && ended[publisher]);
            }
        });
        return sum[0];
    }

    void compareClocks(ClockComparison comparison) {
        clocks.compare(comparison);
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        Subscriber subscriber = current();
        int slot = subscriber.slotOf(subjects, Unpooled.wrappedBuffer(subject), 0, subject.length);
        if (slot < 0) {
            return;
        }
        if (subscriber.check != null && at != null) {
            subscriber.check.subscribed(slot, at.epoch(), at.seq());
        }
        if (--subscriber.answersOpen == 0) {
            subscriber.readyNanos = readNanos;
            home.ready(subscriber, readNanos);
        }
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        Subscriber subscriber = current();
        if (subscriber.stalled) {
            home.stalled().onGap(subscriber, subject, to, reason);
            return;
        }
        super.onGap(subject, from, to, reason);
        int slot = subscriber.slotOf(subjects, Unpooled.wrappedBuffer(subject), 0, subject.length);
        if (subscriber.check != null && slot >= 0) {
            subscriber.check.gap(slot, to.epoch(), to.seq());
        }
    }

    @Override
    void refused(Subscriber subscriber, String code, String sentence) {
        if (!subscriber.ready) {
            home.refused(sentence);
        }
    }
}
