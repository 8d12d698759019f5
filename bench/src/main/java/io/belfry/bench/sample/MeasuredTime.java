package io.belfry.bench.sample;

/** The time span of a measurement, in milliseconds since 1970; before the measurement begins, both are 0. Immutable. */
public record MeasuredTime(long fromMillis, long untilMillis) {
    /** A span that begins at this time. */
    public static MeasuredTime of(long fromMillis, double seconds) {
        return new MeasuredTime(fromMillis, fromMillis + Math.round(seconds * 1e3));
    }

    /** Returns the span if the load ended at this time, which may be before the planned end. */
    public MeasuredTime endedAt(long millis) {
        return new MeasuredTime(fromMillis == 0 ? millis : fromMillis, Math.min(untilMillis, millis));
    }

    /** Returns whether the measurement has begun and lasted. */
    public boolean hasMeasured() {
        return untilMillis > fromMillis;
    }

    /** Returns the duration. */
    public double seconds() {
        return hasMeasured() ? (untilMillis - fromMillis) / 1e3 : 0;
    }
}
