package io.belfry.server.counter;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Records latencies in microseconds with two digits, every value. With a third digit a histogram has 184 KB instead of 26 KB, each
 * loop has several, and the monitor reads all of them each second. Owner of the recording side: one loop. The reading side (the
 * monitor's thread) takes the values recorded since its last call.
 */
public final class LatencyRecorder {
    /** The largest value recorded, one hour; larger values are recorded as this one. */
    public static final long MAX_MICROS = 3_600_000_000L;

    private static final int DIGITS = 2;

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(1, MAX_MICROS, DIGITS);

    /** Returns an empty histogram of the shape of the intervals. */
    public static Histogram emptyInterval() {
        return new Histogram(1, MAX_MICROS, DIGITS);
    }

    public void record(long micros, long count) {
        recorder.recordValueWithCount(Math.clamp(micros, 0, MAX_MICROS), count);
    }

    /** Returns the values recorded since the last call; {@code recycled} may be an earlier result, which is reused. */
    public synchronized Histogram takeInterval(Histogram recycled) {
        return recorder.getIntervalHistogram(recycled);
    }

    public synchronized Histogram takeInterval() {
        return recorder.getIntervalHistogram();
    }
}
