package io.belfry.benchkit.measure;

/**
 * Estimates the offset to the server's clock from exchanges of ping and pong. The server read its clock between the
 * sending of the ping and the receipt of the pong, so half the round trip bounds the error, and the fastest exchange gives
 * the best estimate. The error of an exchange grows with its age, because clocks drift. Owner: one loop.
 */
public final class ClockSync {
    private static final int EXCHANGES = 64;

    /** Maximum drift of two unsynchronized quartz clocks: 100 parts per million. */
    private static final double DRIFT = 100e-6;

    /** The server sends whole microseconds. */
    private static final long RESOLUTION_NANOS = 1000;

    private final int machine;
    private final long[] takenNanos = new long[EXCHANGES];
    private final long[] offsetNanos = new long[EXCHANGES];
    private final long[] errorNanos = new long[EXCHANGES];
    private int exchanges;

    /** {@code machine} is the number of this machine. */
    public ClockSync(int machine) {
        this.machine = machine;
    }

    /** Adds an exchange: when the ping was sent, the server's time, and when the pong was received. */
    public void exchanged(long sentNanos, long serverMicros, long receivedNanos) {
        if (receivedNanos < sentNanos) {
            return;
        }
        int at = exchanges++ % EXCHANGES;
        long roundTrip = receivedNanos - sentNanos;
        takenNanos[at] = receivedNanos;
        offsetNanos[at] = serverMicros * 1000 + RESOLUTION_NANOS / 2 - (sentNanos + roundTrip / 2);
        errorNanos[at] = roundTrip / 2 + RESOLUTION_NANOS;
    }

    /** Returns the best estimate at this time. */
    public ClockOffset at(long nowNanos) {
        long least = Long.MAX_VALUE;
        int best = -1;
        for (int i = 0; i < Math.min(exchanges, EXCHANGES); i++) {
            long error = errorNanos[i] + (long) ((nowNanos - takenNanos[i]) * DRIFT);
            if (error < least) {
                least = error;
                best = i;
            }
        }
        return best < 0
                ? ClockOffset.unknown(machine)
                : new ClockOffset(
                        Math.round(offsetNanos[best] / 1e3),
                        Math.min(Math.ceilDiv(least, 1000L), ClockOffset.UNCERTAINTY_MAX - 1),
                        machine);
    }
}
