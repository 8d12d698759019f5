package io.belfry.benchkit.load;

/**
 * How far a fleet is, summed over its loops.
 *
 * @param ready clients that became ready, whether they still stand or not
 * @param standing clients that are ready now
 * @param awaited what is to come before the end: answers to publishes and end marks to send, or, of subscribers, end marks
 *     of streams whose publisher has ended
 */
public record FleetState(int ready, int standing, long awaited) {
    static final FleetState NONE = new FleetState(0, 0, 0);

    FleetState plus(FleetState other) {
        return new FleetState(ready + other.ready, standing + other.standing, awaited + other.awaited);
    }
}
