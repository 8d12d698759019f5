package io.belfry.benchkit.load;

/** What a fleet of subscribers is to do. Immutable. */
public record SubscriberOptions(
        int clients, SubjectList subjects, Assignment assignment, boolean verify, Target target) {
    public SubscriberOptions {
        assignment.mustReach(clients);
    }
}
