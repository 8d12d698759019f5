package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;

/**
 * Sends the end marks: the last message of each publisher to each of its subjects, by which a subscriber detects a loss at
 * the end. They are sent at the rate of the messages before, so that they are not a load of their own. All streams get one
 * or none does, because subscribers count the missing end marks of a publisher that has sent others. Owner: the loop.
 */
final class EndMarks {
    /** Minimum rate, so that the end of a test at a low rate does not take long. */
    private static final double PER_SECOND_MIN = 10_000;

    private final PublisherLoop home;
    private final Streams streams;
    private final Runnable done;
    private final int perTick;
    private final int streamsMax;
    private int next;
    private int left;

    /** {@code done} runs when all end marks are sent. */
    EndMarks(PublisherLoop home, double perSecond, int streamsMax, Runnable done) {
        this.home = home;
        this.streams = home.streams;
        this.perTick = (int) Math.ceil(Math.max(perSecond, PER_SECOND_MIN) * PublisherFleet.TICK_NANOS / 1e9);
        this.streamsMax = streamsMax;
        this.done = done;
    }

    /** Begins to send. */
    void begin() {
        left = leftOut() ? 0 : streams.used();
        tick();
    }

    /** Whether there are more streams than the maximum, so that none gets an end mark. */
    boolean leftOut() {
        return streams.used() > streamsMax;
    }

    /** Number of end marks still to send. */
    int left() {
        return left;
    }

    private void tick() {
        for (int room = perTick; left > 0 && room > 0; next++) {
            if (streams.lastSequence(next) == 0) {
                continue;
            }
            if (!mark(next)) {
                break;
            }
            left--;
            room--;
        }
        home.outbox.flush();
        if (left > 0) {
            home.loop.runAfter(PublisherFleet.TICK_NANOS, this::tick);
        } else {
            done.run();
        }
    }

    private boolean mark(int stream) {
        PublisherClient publisher = home.clients.get(streams.publisher(stream));
        if (publisher.connection == null) {
            return true;
        }
        if (!publisher.canTake()) {
            return false;
        }
        home.outbox.endMark(
                publisher, streams.subject(stream), home.schedule.startNanos(), streams.lastSequence(stream));
        home.counts.add(Count.END_MARKS);
        return true;
    }
}
