package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.DeliveryCheck;
import io.belfry.benchkit.measure.DeliveryCheck.Arrival;
import io.belfry.benchkit.measure.Findings;
import io.belfry.benchkit.measure.Findings.Finding;
import io.belfry.benchkit.measure.Findings.Kind;
import io.belfry.benchkit.measure.Publishers;
import io.belfry.benchkit.measure.Publishers.Publisher;
import io.belfry.benchkit.measure.Stamp;
import io.belfry.protocol.MessageView;

/** Measures and verifies the messages that the subscribers of one loop receive. Owner: the loop. */
final class Deliveries {
    private final SubscriberLoop home;
    final Publishers publishers;
    private final Findings findings = new Findings();
    private final byte[] stamp = new byte[Stamp.BYTES];

    /** With {@code correctClocks}, latencies are corrected by the measured offset of the publisher's clock. */
    Deliveries(SubscriberLoop home, boolean correctClocks) {
        this.home = home;
        this.publishers = new Publishers(correctClocks);
    }

    /** Measures and verifies one new message of the client's slot. */
    void received(SubscriberClient client, int slot, MessageView message, long readNanos) {
        DeliveryCheck check = client.check;
        if (check != null) {
            long prev = SubscriberLoop.previousSeq(message);
            check.position(slot, message.epoch(), message.seq(), prev, home.counts);
        }
        long intendedNanos = intendedNanos(message);
        if (intendedNanos == Stamp.NO_STAMP) {
            home.counts.add(Count.UNSTAMPED);
            return;
        }
        Publisher publisher = publishers.of(stamp);
        if (Stamp.isEnd(stamp)) {
            ended(client, slot, publisher, intendedNanos);
            return;
        }
        if (home.measuring) {
            home.counts.add(Count.MESSAGES);
            home.figures.latencies().record(readNanos - intendedNanos + publisher.correctionNanos());
        } else {
            home.counts.add(Count.WARM_UP_MESSAGES);
        }
        if (check != null) {
            note(check.arrived(slot, publisher.index(), Stamp.sequence(stamp), home.counts), client, slot);
        }
    }

    private long intendedNanos(MessageView message) {
        if (message.dataLength() < Stamp.BYTES) {
            return Stamp.NO_STAMP;
        }
        message.data().getBytes(message.dataOffset(), stamp);
        return Stamp.intendedNanos(stamp);
    }

    private void ended(SubscriberClient client, int slot, Publisher publisher, long startNanos) {
        home.counts.add(Count.END_MARKS);
        publisher.end();
        if (client.check != null) {
            boolean fromTheStart = publisher.startedAfter(client.readyNanos, startNanos);
            Arrival arrival =
                    client.check.ended(slot, publisher.index(), Stamp.sequence(stamp), fromTheStart, home.counts);
            note(arrival, client, slot);
            if (arrival != Arrival.DUPLICATED) {
                home.counts.add(Count.EXPECTED, Stamp.sequence(stamp));
            }
        }
    }

    /** Lost messages are listed at the end only, when no message can arrive late any more. */
    private void note(Arrival arrival, SubscriberClient client, int slot) {
        if (arrival == Arrival.DUPLICATED || arrival == Arrival.REORDERED) {
            long number = Stamp.sequence(stamp);
            findings.note(
                    arrival == Arrival.DUPLICATED ? Kind.DUPLICATED : Kind.REORDERED,
                    finding(client, slot, Stamp.publisher(stamp), number, number));
        }
    }

    private Finding finding(SubscriberClient client, int slot, int publisher, long from, long to) {
        return new Finding(home.subjects.text(client.subjects[slot]), publisher, client.client, from, to);
    }

    /** Everything found so far, with the messages lost as of now. */
    Findings findings() {
        Findings all = new Findings();
        all.add(findings);
        for (SubscriberClient client : home.clients) {
            if (client.check != null && !client.stalled) {
                client.check.forEachLost((slot, publisher, from, to) -> all.note(
                        Kind.LOST,
                        finding(client, slot, publishers.at(publisher).id(), from, to)));
            }
        }
        return all;
    }

    /** Number of streams whose end mark is missing although their publisher has sent other end marks. */
    long endMarksMissing() {
        long sum = 0;
        boolean anyEnded = publishers.anyEnded();
        for (SubscriberClient client : home.clients) {
            if (anyEnded && client.check != null && !client.stalled) {
                sum += client.check.withoutEnd(
                        publisher -> publishers.at(publisher).hasEnded());
            }
        }
        return sum;
    }
}
