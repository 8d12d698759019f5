package io.belfry.benchkit.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The offset between the clock of a publishers' machine and the subscribers' clock, for the report. Immutable.
 *
 * @param known whether both sides could ask a server; otherwise the offset means nothing
 * @param sameMachine whether publisher and subscriber read the same clock
 * @param offsetMicros the publisher's clock minus the subscriber's
 * @param uncertaintyMicros maximum distance to the true offset: the sum of both uncertainties
 * @param publishers number of publishers on the machine
 */
public record ClockComparison(
        int machine, boolean known, boolean sameMachine, long offsetMicros, long uncertaintyMicros, int publishers) {
    private static final int MACHINES_MAX = 100;

    static ClockComparison of(ClockOffset publisher, ClockOffset own) {
        boolean known = publisher.isKnown() && own.isKnown();
        return new ClockComparison(
                publisher.machine(),
                known,
                publisher.sharesMachineWith(own),
                known ? own.micros() - publisher.micros() : 0,
                known ? publisher.uncertaintyMicros() + own.uncertaintyMicros() : 0,
                1);
    }

    /** Merges the comparisons of publishers to one per machine, in the order of the first one of each machine. */
    public static List<ClockComparison> byMachine(Stream<ClockComparison> ofPublishers) {
        return ofPublishers
                .collect(Collectors.toMap(
                        ClockComparison::machine, each -> each, ClockComparison::merge, LinkedHashMap::new))
                .values()
                .stream()
                .limit(MACHINES_MAX)
                .toList();
    }

    /** The one with the less uncertainty, for the publishers of both. */
    private ClockComparison merge(ClockComparison other) {
        boolean better = other.known && (!known || other.uncertaintyMicros < uncertaintyMicros);
        ClockComparison best = better ? other : this;
        return new ClockComparison(
                machine,
                best.known,
                best.sameMachine,
                best.offsetMicros,
                best.uncertaintyMicros,
                publishers + other.publishers);
    }

    /** Whether the wall clock was set between the starts of the two processes, which each read it once. */
    boolean disagrees() {
        return known && sameMachine && Math.abs(offsetMicros) > uncertaintyMicros;
    }
}
