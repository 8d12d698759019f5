package io.belfry.benchkit.load;

import org.jspecify.annotations.Nullable;

/**
 * The options of a fleet of subscribers. Immutable.
 *
 * @param correctClocks whether latencies are corrected by the measured offset of the publishers' clocks
 * @param holdTime null = clients stay connected to the end
 * @param stalledShare share of the clients that stop reading when the measurement begins, 0 to 1
 * @param stallNanos time without reading, and then time with reading before the next stall; 0 = stalled to the end
 */
public record SubscriberOptions(
        int clients,
        SubjectList subjects,
        Assignment assignment,
        boolean verify,
        boolean correctClocks,
        @Nullable HoldTime holdTime,
        double stalledShare,
        long stallNanos,
        LoadTarget target) {
    public SubscriberOptions {
        assignment.mustReach(clients);
    }

    /** Options for clients that stay connected, read, and are verified. */
    public static SubscriberOptions reading(
            int clients, SubjectList subjects, Assignment assignment, LoadTarget target) {
        return new SubscriberOptions(clients, subjects, assignment, true, false, null, 0, 0, target);
    }
}
