package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.DeliveryCheck;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;

/**
 * Readers that stop reading and perhaps read on: they are told apart, for what a server denies a slow reader is no loss of
 * the others. What each of them misses is counted by the server's positions, and how much of it the server has told.
 * Owner: the loop.
 */
final class StalledReaders {
    private final ClientLoop loop;
    private final LoopClients<Subscriber> clients;
    private final SubjectList subjects;
    private final Counts counts;
    private final double share;
    private final long stallNanos;

    /** What a {@link DeliveryCheck} would hold against the server if these were readers like others. */
    private final Counts apart = new Counts();

    private boolean over;

    StalledReaders(ClientLoop loop, LoopClients<Subscriber> clients, SubscriberOptions options, Counts counts) {
        this.loop = loop;
        this.clients = clients;
        this.subjects = options.subjects();
        this.share = options.stalledShare();
        this.stallNanos = options.stallNanos();
        this.counts = counts;
    }

    /** The share of readers that is to stall reads no more from now on. */
    void begin() {
        clients.forEach(subscriber -> {
            if (subscriber.connection != null && isAmong(subscriber.client)) {
                subscriber.stalled = true;
                // Nothing more is expected of it than what it has got.
                counts.add(Count.EXPECTED, received(subscriber));
                counts.add(Count.STALLED);
            }
        });
        stall();
    }

    /** Evenly spread: of a hundred clients and 2 %, the 50th and the 100th. */
    private boolean isAmong(int client) {
        return (long) ((client + 1) * share) > (long) (client * share);
    }

    private static long received(Subscriber subscriber) {
        long[] sum = new long[1];
        forEachSlot(subscriber, (slot, check) -> sum[0] += check.distinctMessages(slot));
        return sum[0];
    }

    private void stall() {
        if (!over) {
            forEachConnection(Connection::pauseReading);
            if (stallNanos > 0) {
                loop.runAfter(stallNanos, this::readOn);
            }
        }
    }

    private void readOn() {
        if (!over) {
            resume();
            loop.runAfter(stallNanos, this::stall);
        }
    }

    /** All read on to the end. */
    void end() {
        over = true;
        resume();
    }

    private void resume() {
        forEachConnection(Connection::resumeReading);
    }

    private void forEachConnection(Consumer<Connection> action) {
        clients.forEach(subscriber -> {
            if (subscriber.stalled && subscriber.connection != null) {
                action.accept(subscriber.connection);
            }
        });
    }

    /** The server did not want it any more. */
    void disconnected(Subscriber subscriber) {
        subscriber.check = null;
        counts.add(Count.STALLED_DISCONNECTED);
    }

    void onMessage(Subscriber subscriber, MessageView message) {
        int slot = subscriber.slotOf(subjects, message.subject(), message.subjectOffset(), message.subjectLength());
        DeliveryCheck check = subscriber.check;
        if (check == null || slot < 0 || message.type() == MessageType.SNAPSHOT) {
            return;
        }
        counts.add(Count.STALLED_MESSAGES);
        long missing = apart.of(Count.POSITIONS_MISSING);
        long repeated = apart.of(Count.POSITIONS_REPEATED);
        long prev = message.prev() == MessageView.NO_PREV ? message.seq() - 1 : message.prev();
        check.position(slot, message.epoch(), message.seq(), prev, apart);
        counts.add(Count.STALLED_SKIPPED, apart.of(Count.POSITIONS_MISSING) - missing);
        counts.add(Count.STALLED_REPEATED, apart.of(Count.POSITIONS_REPEATED) - repeated);
    }

    /** Counts how many messages the notice says it does not get, by where the reader itself stands. */
    void onGap(Subscriber subscriber, byte[] subject, Position to, String reason) {
        int slot = subscriber.slotOf(subjects, Unpooled.wrappedBuffer(subject), 0, subject.length);
        DeliveryCheck check = subscriber.check;
        if (check != null && slot >= 0) {
            long messages = check.untilGapEnds(slot, to.epoch(), to.seq());
            counts.add(
                    reason.equals(Code.CONFLATED.text()) ? Count.STALLED_CONFLATED : Count.STALLED_DROPPED, messages);
            check.gap(slot, to.epoch(), to.seq());
        }
    }

    /** How many messages that came to others here are still ahead of readers that stand. */
    long behind() {
        long[] heads = new long[subjects.size()];
        clients.forEach(subscriber -> forEachSlot(subscriber, (slot, check) -> {
            int subject = subscriber.subjects[slot];
            heads[subject] = Math.max(heads[subject], check.seq(slot));
        }));
        long[] sum = new long[1];
        clients.forEach(subscriber -> forEachSlot(subscriber, (slot, check) -> {
            sum[0] += subscriber.stalled ? heads[subscriber.subjects[slot]] - check.seq(slot) : 0;
        }));
        return sum[0];
    }

    /** Takes one subject of one client. */
    private interface Slot {
        void accept(int slot, DeliveryCheck check);
    }

    private static void forEachSlot(Subscriber subscriber, Slot action) {
        DeliveryCheck check = subscriber.check;
        for (int slot = 0; check != null && slot < subscriber.subjects.length; slot++) {
            action.accept(slot, check);
        }
    }
}
