package io.belfry.benchkit.load;

import org.jspecify.annotations.Nullable;

/**
 * What a fleet of subscribers is to do. Immutable.
 *
 * @param correctClocks whether latencies are corrected by what is known of the publishers' clocks
 * @param holdTime null = clients stay to the end
 * @param stalledShare of the clients that stop reading once the measurement begins, 0 to 1
 * @param stallNanos how long they read nothing, and then how long they read on before they stall again; 0 = to the end
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
        Target target) {
    public SubscriberOptions {
        assignment.mustReach(clients);
    }

    /** Clients that stay, read and are verified. */
    public static SubscriberOptions reading(int clients, SubjectList subjects, Assignment assignment, Target target) {
        return new SubscriberOptions(clients, subjects, assignment, true, false, null, 0, 0, target);
    }
}
