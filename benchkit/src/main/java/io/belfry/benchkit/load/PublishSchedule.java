package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.client.connection.Random32;

/**
 * Sends messages when they are due, those of one turn and connection in one write. When a socket is full, the loop waits
 * while the schedule continues. Messages sent late carry their scheduled times, so the wait is measured: as latency at the
 * subscribers and as lag at the publisher. Owner: the loop.
 */
final class PublishSchedule {
    /** Maximum number of messages per turn; between turns the loop reads acknowledgements and writes to sockets. */
    private static final int TURN_MESSAGES_MAX = 2048;

    private static final int TURN_BYTES_MAX = 1 << 20;
    private static final int NO_STREAM = -1;

    private final PublisherLoop home;
    private final Pacer pacer;
    private final Streams streams;
    private final Random32 random;
    private final long[] turnIntended = new long[TURN_MESSAGES_MAX];
    private int turnMessages;
    /** The stream whose publisher cannot take a message now; the whole schedule waits for it. */
    private int waitingStream = NO_STREAM;

    private boolean running;
    private long startNanos;

    PublishSchedule(PublisherLoop home, Pacer pacer, Random32 random) {
        this.home = home;
        this.pacer = pacer;
        this.streams = home.streams;
        this.random = random;
    }

    void start() {
        running = true;
        startNanos = home.loop.clock().getAsLong();
        pacer.start(startNanos);
        turn();
    }

    void stop() {
        running = false;
    }

    /** The time at which the schedule began. */
    long startNanos() {
        return startNanos;
    }

    /** Sends what is due and schedules the next turn for the next message. */
    private void turn() {
        if (!running || waitingStream != NO_STREAM) {
            return;
        }
        long now = home.loop.clock().getAsLong();
        turnMessages = 0;
        while (pacer.intendedNanos() <= now
                && turnMessages < TURN_MESSAGES_MAX
                && home.outbox.bytes() < TURN_BYTES_MAX
                && publishNext()) {}
        home.outbox.flush();
        recordLag(home.loop.clock().getAsLong());
        if (waitingStream == NO_STREAM) {
            long wait = pacer.intendedNanos() - home.loop.clock().getAsLong();
            if (wait > 0) {
                home.loop.runAfter(wait, this::turn);
            } else {
                home.loop.run(this::turn);
            }
        }
    }

    private boolean publishNext() {
        int stream = random.below(streams.count());
        PublisherClient publisher = publisherOf(stream);
        if (!publisher.canTake()) {
            waitingStream = stream;
            home.counts.add(Count.STALLS);
            return false;
        }
        long intendedNanos = pacer.intendedNanos();
        home.outbox.message(publisher, streams.subject(stream), intendedNanos, streams.nextSequence(stream));
        turnIntended[turnMessages++] = intendedNanos;
        pacer.advance();
        return true;
    }

    private PublisherClient publisherOf(int stream) {
        return home.clients.get(streams.publisher(stream));
    }

    private void recordLag(long now) {
        for (int i = 0; i < turnMessages && home.measuring; i++) {
            home.figures.lags().record(now - turnIntended[i]);
        }
        home.counts.add(home.measuring ? Count.PUBLISHED : Count.WARM_UP_PUBLISHED, turnMessages);
    }

    /** Continues the schedule if the publisher that it waits for can take a message again. */
    void roomMade() {
        if (waitingStream != NO_STREAM && publisherOf(waitingStream).canTake()) {
            waitingStream = NO_STREAM;
            turn();
        }
    }
}
