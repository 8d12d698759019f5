package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockComparison;
import io.belfry.benchkit.measure.Findings;
import io.belfry.client.connection.ClientLoop;
import java.time.Duration;
import java.util.List;

/** Clients that subscribe, measure and verify what they receive. Owner: the conducting thread. */
public final class SubscriberFleet extends Fleet<SubscriberLoop> {
    private final SubscriberOptions options;

    public SubscriberFleet(SubscriberOptions options, List<ClientLoop> loops) {
        super(options.clients(), options.target());
        this.options = options;
        divide(loops, (loop, first, count) -> new SubscriberLoop(this, options, loop, first, count));
    }

    /** The options that the fleet was made with. */
    public SubscriberOptions options() {
        return options;
    }

    /** Stops the readers that are to stall. */
    public void stall() {
        onEach(part -> part.stalled.begin());
    }

    /** Lets stalled readers read to the end, so that the messages they did not get can be counted. */
    public void unstall() {
        onEach(part -> part.stalled.end());
    }

    /** Number of messages that others have received and stalled readers may still receive. */
    public long stalledBehind() {
        return options.stalledShare() > 0 ? sum(part -> part.stalled.behind()) : 0;
    }

    /** With a hold time: lets fewer and fewer clients connect again, and none after this time. */
    public void rampDown(Duration time) {
        onEach(part -> part.rampDown(time.toNanos()));
    }

    /** The findings of the delivery check so far. */
    public Findings findings() {
        Findings all = new Findings();
        askEach(part -> part.deliveries.findings()).forEach(all::add);
        return all;
    }

    /** The offsets of the publishers' clocks to this process's clock, according to their stamps; one for each machine. */
    public List<ClockComparison> clocks() {
        return ClockComparison.byMachine(askEach(part -> part.deliveries.publishers.comparisons()).stream()
                .flatMap(List::stream));
    }

    /** Number of messages that are missing if each subject had the given number of messages; needs {@code Verify}. */
    public long missing(long[] messagesOfSubject) {
        return sum(part -> part.missing(messagesOfSubject));
    }

    /** Number of deliveries to expect if each subject has the given number of messages. */
    public long expected(long[] messagesOfSubject) {
        return sum(part -> part.expected(messagesOfSubject));
    }
}
