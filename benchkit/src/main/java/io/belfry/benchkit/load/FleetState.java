package io.belfry.benchkit.load;

/**
 * The progress of a fleet, summed over its loops.
 *
 * @param ready clients that have become ready, whether they are still connected or not
 * @param standing clients that are ready and connected
 * @param awaited events still to arrive before the run can end. Publishers: answers to publishes, and end marks to send.
 *     Subscribers: end marks of streams whose publisher has sent other end marks
 */
public record FleetState(int ready, int standing, long awaited) {
    static final FleetState NONE = new FleetState(0, 0, 0);

    FleetState plus(FleetState other) {
        return new FleetState(ready + other.ready, standing + other.standing, awaited + other.awaited);
    }
}
