package io.belfry.benchkit.load;

import io.belfry.client.connection.ClientLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Clients that publish on a schedule. Owner: the conducting thread. */
public final class PublisherFleet extends Fleet {
    /** What is due within it goes out together; also how finely intended times are spaced. */
    static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final PublisherOptions options;
    private final List<PublisherLoop> parts = new ArrayList<>();

    public PublisherFleet(PublisherOptions options, List<ClientLoop> loops) {
        this.options = options;
        divide(options.publishers(), loops, (loop, first, count) -> {
            PublisherLoop part = new PublisherLoop(this, options, loop, first, count);
            parts.add(part);
            return part;
        });
    }

    @Override
    public int clients() {
        return options.publishers();
    }

    @Override
    public Target target() {
        return options.target();
    }

    public PublisherOptions options() {
        return options;
    }

    /** Begins to publish; all clients must be ready. */
    public void publish() {
        onEach(parts, PublisherLoop::publish);
    }

    /** Ends publishing; when {@link FleetState#awaited} is 0, the servers have seen and answered everything. */
    public void settle() {
        onEach(parts, PublisherLoop::settle);
    }

    /** How many streams got no end marks, because there are more than wished. */
    public long streamsWithoutEndMark() {
        return askEach(parts, PublisherLoop::streamsWithoutEndMark).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** How many publishes to each subject were acknowledged, by the subject's index; empty if none are asked for. */
    public long[] acknowledgedOfSubject() {
        long[] sum = new long[options.acknowledged() ? options.subjects().size() : 0];
        for (long[] part : askEach(parts, PublisherLoop::acknowledgedOfSubject)) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += part[i];
            }
        }
        return sum;
    }
}
