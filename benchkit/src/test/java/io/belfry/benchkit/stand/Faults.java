package io.belfry.benchkit.stand;

/**
 * What a stand-in server does wrong. Immutable; 0 = never.
 *
 * @param delayMillis each delivery comes so much later
 * @param dropEvery every so many-th delivery does not come
 * @param repeatEvery every so many-th delivery comes twice
 * @param swapEvery every so many-th delivery comes after the next one
 * @param ackNone publishes are not acknowledged
 * @param closeAfter the connection is closed by the server after so many deliveries
 */
public record Faults(int delayMillis, int dropEvery, int repeatEvery, int swapEvery, boolean ackNone, int closeAfter) {
    public static final Faults NONE = new Faults(0, 0, 0, 0, false, 0);

    public Faults delaying(int millis) {
        return new Faults(millis, dropEvery, repeatEvery, swapEvery, ackNone, closeAfter);
    }

    public Faults dropping(int every) {
        return new Faults(delayMillis, every, repeatEvery, swapEvery, ackNone, closeAfter);
    }

    public Faults repeating(int every) {
        return new Faults(delayMillis, dropEvery, every, swapEvery, ackNone, closeAfter);
    }

    public Faults swapping(int every) {
        return new Faults(delayMillis, dropEvery, repeatEvery, every, ackNone, closeAfter);
    }

    public Faults acknowledgingNothing() {
        return new Faults(delayMillis, dropEvery, repeatEvery, swapEvery, true, closeAfter);
    }

    public Faults closingAfter(int deliveries) {
        return new Faults(delayMillis, dropEvery, repeatEvery, swapEvery, ackNone, deliveries);
    }
}
