package io.belfry.benchkit.stand;

/**
 * The faults of a stand-in server. Immutable; 0 = never.
 *
 * @param delayMillis delay of each delivery
 * @param dropEvery interval of dropped deliveries, counted in deliveries; sessions drop different ones, so that a message
 *     that is dropped for one subscriber reaches others
 * @param repeatEvery interval of deliveries sent twice
 * @param swapEvery interval of deliveries sent after the next one
 * @param ackNone whether publishes stay without acknowledgement
 * @param closeAfter number of deliveries after which the server closes the connection
 */
public record StandInFaults(
        int delayMillis, int dropEvery, int repeatEvery, int swapEvery, boolean ackNone, int closeAfter) {
    public static final StandInFaults NONE = new StandInFaults(0, 0, 0, 0, false, 0);

    public StandInFaults delaying(int millis) {
        return new StandInFaults(millis, dropEvery, repeatEvery, swapEvery, ackNone, closeAfter);
    }

    public StandInFaults dropping(int every) {
        return new StandInFaults(delayMillis, every, repeatEvery, swapEvery, ackNone, closeAfter);
    }

    public StandInFaults repeating(int every) {
        return new StandInFaults(delayMillis, dropEvery, every, swapEvery, ackNone, closeAfter);
    }

    public StandInFaults swapping(int every) {
        return new StandInFaults(delayMillis, dropEvery, repeatEvery, every, ackNone, closeAfter);
    }

    public StandInFaults acknowledgingNothing() {
        return new StandInFaults(delayMillis, dropEvery, repeatEvery, swapEvery, true, closeAfter);
    }

    public StandInFaults closingAfter(int deliveries) {
        return new StandInFaults(delayMillis, dropEvery, repeatEvery, swapEvery, ackNone, deliveries);
    }
}
