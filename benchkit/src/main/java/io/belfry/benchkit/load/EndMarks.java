package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.client.connection.ClientLoop;

/**
 * The last word of each publisher to each subject it has written to, so that a subscriber can tell that the end is
 * missing. At the pace of the messages before, so that the end is not another test; all or none, since subscribers hold
 * a missing mark of a publisher that has sent others for lost. Owner: the loop.
 */
final class EndMarks {
    /** Even after a test at a low rate the end shall not take long. */
    private static final double PER_SECOND_MIN = 10_000;

    private final ClientLoop loop;
    private final Streams streams;
    private final LoopClients<Publisher> clients;
    private final Outbox outbox;
    private final Counts counts;
    private final Runnable done;
    private final int perTick;
    private final int streamsMax;
    private long startNanos;
    private int next;
    private int left;

    EndMarks(
            ClientLoop loop,
            Streams streams,
            LoopClients<Publisher> clients,
            Outbox outbox,
            Counts counts,
            double perSecond,
            int streamsMax,
            Runnable done) {
        this.loop = loop;
        this.streams = streams;
        this.clients = clients;
        this.outbox = outbox;
        this.counts = counts;
        this.perTick = (int) Math.ceil(Math.max(perSecond, PER_SECOND_MIN) * PublisherFleet.TICK_NANOS / 1e9);
        this.streamsMax = streamsMax;
        this.done = done;
    }

    /** {@code startNanos}: when the publishers began. */
    void begin(long startNanos) {
        this.startNanos = startNanos;
        left = leftOut() ? 0 : streams.used();
        tick();
    }

    /** Whether there are too many streams, so that none gets a mark. */
    boolean leftOut() {
        return streams.used() > streamsMax;
    }

    int left() {
        return left;
    }

    private void tick() {
        for (int room = perTick; left > 0 && room > 0; ) {
            if (streams.lastSequence(next) == 0) {
                next++;
            } else if (mark(next)) {
                next++;
                left--;
                room--;
            } else {
                break;
            }
        }
        outbox.flush();
        if (left > 0) {
            loop.runAfter(PublisherFleet.TICK_NANOS, this::tick);
        } else {
            done.run();
        }
    }

    private boolean mark(int stream) {
        Publisher publisher = clients.get(streams.publisher(stream));
        if (publisher.connection == null) {
            return true;
        }
        if (!publisher.canTake()) {
            return false;
        }
        outbox.endMark(publisher, streams.subject(stream), startNanos, streams.lastSequence(stream));
        counts.add(Count.END_MARKS);
        return true;
    }
}
