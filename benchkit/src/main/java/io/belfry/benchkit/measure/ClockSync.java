package io.belfry.benchkit.measure;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;

/**
 * Estimates the offset to the server's clock from exchanges of ping and pong. The server read its clock between the
 * sending of the ping and the receipt of the pong, so half the round trip bounds the error, and the fastest exchange gives
 * the best estimate. The error of an exchange grows with its age, because clocks drift. Owner: one loop.
 */
public final class ClockSync {
    private static final int EXCHANGES_MAX = 64;

    /** Maximum drift of two unsynchronized quartz clocks: 100 parts per million. */
    private static final double DRIFT = 100e-6;

    /** The server sends whole microseconds. */
    private static final long RESOLUTION_NANOS = 1000;

    private final int machine;
    private final Deque<Exchange> exchanges = new ArrayDeque<>();

    /** {@code machine} is the number of this machine. */
    public ClockSync(int machine) {
        this.machine = machine;
    }

    private record Exchange(long takenNanos, long offsetNanos, long errorNanos) {
        long errorNanosAt(long nowNanos) {
            return errorNanos + (long) ((nowNanos - takenNanos) * DRIFT);
        }
    }

    /** Adds an exchange: when the ping was sent, the server's time, and when the pong was received. */
    public void exchanged(long sentNanos, long serverMicros, long receivedNanos) {
        if (receivedNanos < sentNanos) {
            return;
        }
        if (exchanges.size() == EXCHANGES_MAX) {
            exchanges.removeFirst();
        }
        long halfTrip = (receivedNanos - sentNanos) / 2;
        long offsetNanos = serverMicros * 1000 + RESOLUTION_NANOS / 2 - (sentNanos + halfTrip);
        exchanges.addLast(new Exchange(receivedNanos, offsetNanos, halfTrip + RESOLUTION_NANOS));
    }

    /** Returns the best estimate at this time. */
    public ClockOffset at(long nowNanos) {
        return exchanges.stream()
                .min(Comparator.comparingLong(exchange -> exchange.errorNanosAt(nowNanos)))
                .map(best -> new ClockOffset(
                        Math.round(best.offsetNanos() / 1e3),
                        Math.min(Math.ceilDiv(best.errorNanosAt(nowNanos), 1000L), ClockOffset.UNCERTAINTY_MAX - 1),
                        machine))
                .orElse(ClockOffset.unknown(machine));
    }
}
