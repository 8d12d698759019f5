package io.belfry.server.counter;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Records latencies in microseconds, every value. Owner of the recording side: one loop. The reading
 * side (the monitor's thread) takes the values recorded since its last call.
 */
public final class LatencyRecorder {
    /** The largest value recorded, one hour; larger values are recorded as this one. */
    public static final long MAX_MICROS = 3_600_000_000L;

    private final SingleWriterRecorder recorder;

    /** Each value has this number of significant digits. */
    LatencyRecorder(int digits) {
        recorder = new SingleWriterRecorder(1, MAX_MICROS, digits);
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
