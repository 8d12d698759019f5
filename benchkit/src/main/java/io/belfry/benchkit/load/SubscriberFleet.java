package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockComparison;
import io.belfry.benchkit.measure.Findings;
import io.belfry.client.connection.ClientLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Clients that subscribe and measure what they get. Owner: the conducting thread. */
public final class SubscriberFleet extends Fleet {
    private final SubscriberOptions options;
    private final List<SubscriberLoop> parts = new ArrayList<>();

    public SubscriberFleet(SubscriberOptions options, List<ClientLoop> loops) {
        this.options = options;
        divide(options.clients(), loops, (loop, first, count) -> {
            SubscriberLoop part = new SubscriberLoop(this, options, loop, first, count);
            parts.add(part);
            return part;
        });
    }

    @Override
    public int clients() {
        return options.clients();
    }

    @Override
    public Target target() {
        return options.target();
    }

    public SubscriberOptions options() {
        return options;
    }

    /** The readers that are to stall stop reading. */
    public void stall() {
        if (options.stalledShare() > 0) {
            onEach(parts, part -> part.stalled().begin());
        }
    }

    /** They read on to the end, so that it shows what the server has denied them. */
    public void unstall() {
        if (options.stalledShare() > 0) {
            onEach(parts, part -> part.stalled().end());
        }
    }

    /** Messages that others got and readers that stalled may still get. */
    public long stalledBehind() {
        return options.stalledShare() > 0 ? sum(part -> part.stalled().behind()) : 0;
    }

    /** With a hold time: ever fewer clients come back, none after this time. */
    public void rampDown(Duration time) {
        onEach(parts, part -> part.rampDown(time.toNanos()));
    }

    /** What verifying has found so far. */
    public Findings findings() {
        Findings all = new Findings();
        askEach(parts, SubscriberLoop::findings).forEach(all::add);
        return all;
    }

    /** How far the publishers' clocks are from this process's, as the stamps tell. */
    public ClockComparison clocks() {
        ClockComparison all = new ClockComparison();
        askEach(parts, SubscriberLoop::clocks).forEach(all::add);
        return all;
    }

    /** How many messages are still missing if each subject had so many; needs verify. */
    public long missing(long[] messagesOfSubject) {
        return sum(part -> part.missing(messagesOfSubject));
    }

    /** How many deliveries there are to be if each subject has so many messages. */
    public long expected(long[] messagesOfSubject) {
        return sum(part -> part.expected(messagesOfSubject));
    }

    private long sum(ToLongFunction<SubscriberLoop> of) {
        return askEach(parts, part -> of.applyAsLong(part)).stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
