package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.client.connection.Random32;

/**
 * Sends messages when they are due, those of one turn and connection in one write, and at the end the end marks. When a
 * socket is full, the loop waits while the schedule continues. Messages sent late carry their scheduled times, so the wait
 * is measured: as latency at the subscribers and as lag at the publisher. Owner: the loop.
 */
final class PublishSchedule {
    /** Maximum number of messages per turn; between turns the loop reads acknowledgements and writes to sockets. */
    private static final int TURN_MESSAGES_MAX = 2048;

    private static final int TURN_BYTES_MAX = 1 << 20;
    private static final int NO_STREAM = -1;
    /** Minimum rate of end marks, so that the end of a test at a low rate does not take long. */
    private static final double END_MARKS_PER_SECOND_MIN = 10_000;

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
    private final int endMarksMax;
    private final int endMarksPerTick;
    /** Number of end marks still to send. */
    int endMarksLeft;

    private int nextEndMark;

    PublishSchedule(PublisherLoop home, PublisherOptions options, int publishers, Random32 random) {
        double share = (double) publishers / options.publishers();
        double perSecond = options.perSecond() * share;
        this.home = home;
        this.random = random;
        this.pacer = new Pacer(perSecond, options.burst(), PublisherFleet.TICK_NANOS);
        this.streams = new Streams(publishers, options.subjects().size());
        this.endMarksMax = (int) (options.endMarksMax() * share);
        this.endMarksPerTick =
                (int) Math.ceil(Math.max(perSecond, END_MARKS_PER_SECOND_MIN) * PublisherFleet.TICK_NANOS / 1e9);
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

    /** Sends what is due and schedules the next turn for the next message. */
    private void turn() {
        if (!running || waitingStream != NO_STREAM) {
            return;
        }
        long now = home.loop.clock().getAsLong();
        turnMessages = 0;
        while (pacer.intendedNanos() <= now
                && turnMessages < TURN_MESSAGES_MAX
                && home.outbox.bytes < TURN_BYTES_MAX
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

    /**
     * Sends the end marks, then runs {@code done}. An end mark is the last message of a publisher to one of its subjects, by
     * which a subscriber detects a loss at the end. They are sent at the rate of the messages before, so that they are not a
     * load of their own. All streams get one or none does, because subscribers count the missing end marks of a publisher
     * that has sent others.
     */
    void sendEndMarks(Runnable done) {
        endMarksLeft = streamsWithoutEndMark() > 0 ? 0 : streams.used();
        sendSomeEndMarks(done);
    }

    private void sendSomeEndMarks(Runnable done) {
        for (int room = endMarksPerTick; endMarksLeft > 0 && room > 0; nextEndMark++) {
            if (streams.lastSequence(nextEndMark) == 0) {
                continue;
            }
            if (!sendEndMark(nextEndMark)) {
                break;
            }
            endMarksLeft--;
            room--;
        }
        home.outbox.flush();
        if (endMarksLeft > 0) {
            home.loop.runAfter(PublisherFleet.TICK_NANOS, () -> sendSomeEndMarks(done));
        } else {
            done.run();
        }
    }

    /** Returns false if the publisher cannot take a message now; one whose connection has ended needs no end mark. */
    private boolean sendEndMark(int stream) {
        PublisherClient publisher = publisherOf(stream);
        if (publisher.connection == null) {
            return true;
        }
        if (!publisher.canTake()) {
            return false;
        }
        home.outbox.endMark(publisher, streams.subject(stream), startNanos, streams.lastSequence(stream));
        home.counts.add(Count.END_MARKS);
        return true;
    }

    /** Number of streams without end marks because there are more than the configured maximum. */
    int streamsWithoutEndMark() {
        return streams.used() > endMarksMax ? streams.used() : 0;
    }
}
