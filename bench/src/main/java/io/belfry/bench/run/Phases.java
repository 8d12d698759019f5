package io.belfry.bench.run;

/**
 * When what happened, in milliseconds since 1970; zero for what did not come. Owner: the main thread.
 */
final class Phases {
    private static final long SECOND_MILLIS = 1000;

    private long measuringFrom;
    private long measuringUntil;
    private long lastMillis = System.currentTimeMillis();

    /** The whole second this moment lies in: the generators' histograms are of such seconds. */
    static long secondOf(long millis) {
        return Math.floorDiv(millis, SECOND_MILLIS) * SECOND_MILLIS;
    }

    /** The figures are of what lies between. */
    void measuring(long fromMillis, long untilMillis) {
        measuringFrom = fromMillis;
        measuringUntil = untilMillis;
    }

    /** The load has ended, perhaps earlier than meant. */
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
