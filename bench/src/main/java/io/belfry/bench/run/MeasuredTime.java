package io.belfry.bench.run;

/**
 * The time span of a measurement, in milliseconds since 1970. Owner: the main thread.
 */
final class MeasuredTime {
    private static final long SECOND_MILLIS = 1000;

    private long measuringFrom;
    private long measuringUntil;
    private long lastMillis = System.currentTimeMillis();

    /** Start of the second that contains this time; the generators' histograms are for such seconds. */
    static long secondOf(long millis) {
        return Math.floorDiv(millis, SECOND_MILLIS) * SECOND_MILLIS;
    }

    /** Sets the planned span. */
    void measuring(long fromMillis, long untilMillis) {
        measuringFrom = fromMillis;
        measuringUntil = untilMillis;
    }

    /** Called when the load has ended, which may be before the planned end. */
    void ended() {
        lastMillis = System.currentTimeMillis();
    }

    boolean hasMeasured() {
        return measuringFrom > 0 && untilMillis() > measuringFrom;
    }

    long fromMillis() {
        return measuringFrom == 0 ? lastMillis : measuringFrom;
    }

    long untilMillis() {
        return Math.min(measuringUntil, lastMillis);
    }

    double seconds() {
        return hasMeasured() ? (untilMillis() - fromMillis()) / 1e3 : 0;
    }
}
