package io.belfry.benchkit.load;

import io.belfry.client.connection.ClientLoop;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Clients that publish on a schedule. Owner: the conducting thread. */
public final class PublisherFleet extends Fleet<PublisherLoop> {
    /** Granularity of intended times: the messages of one tick are sent together. */
    static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final PublisherOptions options;

    public PublisherFleet(PublisherOptions options, List<ClientLoop> loops) {
        super(options.publishers(), options.target());
        this.options = options;
        divide(loops, (loop, first, count) -> new PublisherLoop(this, options, loop, first, count));
    }

    /** The options that the fleet was made with. */
    public PublisherOptions options() {
        return options;
    }

    /** Begins to publish; all clients must be ready. */
    public void publish() {
        onEach(part -> part.schedule.start());
    }

    /** Ends publishing; when {@link Fleet.FleetState#awaited} is 0, the servers have handled and answered every publish. */
    public void settle() {
        onEach(PublisherLoop::settle);
    }

    /** Number of streams without end marks, because there are more than the configured maximum. */
    public long streamsWithoutEndMark() {
        return sum(part -> part.schedule.streamsWithoutEndMark());
    }

    /** Number of acknowledged publishes by subject index; empty if no acknowledgements are requested. */
    public long[] acknowledgedOfSubject() {
        long[] sum = new long[options.acknowledged() ? options.subjects().size() : 0];
        for (long[] part : askEach(PublisherLoop::acknowledgedOfSubject)) {
            Arrays.setAll(sum, subject -> sum[subject] + part[subject]);
        }
        return sum;
    }
}
