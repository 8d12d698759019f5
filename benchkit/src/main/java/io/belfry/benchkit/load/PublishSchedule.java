package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Figures;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Random32;

/**
 * Sends what is due when it is due, the frames of one turn and connection in one write. When a socket takes no more, the
 * schedule goes on and the loop waits; what it sends then carries its old times, so the wait is seen as latency at the
 * subscribers and as lag here. Owner: the loop.
 */
final class PublishSchedule {
    /** Messages and bytes of one turn; then acknowledgements are read and the sockets get their due. */
    private static final int TURN_MESSAGES_MAX = 2048;

    private static final int TURN_BYTES_MAX = 1 << 20;
    private static final int NO_STREAM = -1;

    private final ClientLoop loop;
    private final Pacer pacer;
    private final Streams streams;
    private final Outbox outbox;
    private final LoopClients<Publisher> clients;
    private final Figures figures;
    private final Random32 random;
    private final long[] turnIntended = new long[TURN_MESSAGES_MAX];
    private int turnMessages;

    /** The stream whose publisher cannot take a message now; everything waits for it. */
    private int waitingStream = NO_STREAM;

    private boolean running;
    private boolean measuring = true;
    private long startNanos;

    PublishSchedule(
            ClientLoop loop,
            Pacer pacer,
            Streams streams,
            Outbox outbox,
            LoopClients<Publisher> clients,
            Figures figures,
            Random32 random) {
        this.loop = loop;
        this.pacer = pacer;
        this.streams = streams;
        this.outbox = outbox;
        this.clients = clients;
        this.figures = figures;
        this.random = random;
    }

    void start() {
        running = true;
        startNanos = loop.clock().getAsLong();
        pacer.start(startNanos);
        turn();
    }

    void stop() {
        running = false;
    }

    /** When the schedule began. */
    long startNanos() {
        return startNanos;
    }

    void measure(boolean on) {
        measuring = on;
    }

    /** Sends what is due and comes back when the next message is. */
    private void turn() {
        if (!running || waitingStream != NO_STREAM) {
            return;
        }
        long now = loop.clock().getAsLong();
        turnMessages = 0;
        while (pacer.intendedNanos() <= now && turnMessages < TURN_MESSAGES_MAX && outbox.bytes() < TURN_BYTES_MAX) {
            if (!publishNext()) {
                break;
            }
        }
        outbox.flush();
        account(loop.clock().getAsLong());
        if (waitingStream == NO_STREAM) {
            long wait = pacer.intendedNanos() - loop.clock().getAsLong();
            if (wait > 0) {
                loop.runAfter(wait, this::turn);
            } else {
                loop.run(this::turn);
            }
        }
    }

    private boolean publishNext() {
        int stream = random.below(streams.count());
        Publisher publisher = clients.get(streams.publisher(stream));
        if (!publisher.canTake()) {
            waitingStream = stream;
            figures.counts().add(Count.STALLS);
            return false;
        }
        long intendedNanos = pacer.intendedNanos();
        outbox.message(publisher, streams.subject(stream), intendedNanos, streams.nextSequence(stream));
        turnIntended[turnMessages++] = intendedNanos;
        pacer.advance();
        return true;
    }

    private void account(long now) {
        for (int i = 0; i < turnMessages && measuring; i++) {
            figures.lags().record(now - turnIntended[i]);
        }
        figures.counts().add(measuring ? Count.PUBLISHED : Count.WARM_UP_PUBLISHED, turnMessages);
    }

    /** A socket may take more, or an answer has made room: goes on if that was waited for. */
    void roomMade() {
        if (waitingStream != NO_STREAM
                && clients.get(streams.publisher(waitingStream)).canTake()) {
            waitingStream = NO_STREAM;
            turn();
        }
    }
}
