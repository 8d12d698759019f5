package io.belfry.server.counter;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Latencies in microseconds with three digits, every value counted. Owner of the recording side: one loop. The reading
 * side (the monitor's thread) takes what was recorded since its last call.
 */
public final class LatencyRecorder {
    /** Values above are recorded as this one: an hour. */
    public static final long MAX_MICROS = 3_600_000_000L;

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(1, MAX_MICROS, 3);

    public void record(long micros, long count) {
        recorder.recordValueWithCount(Math.clamp(micros, 0, MAX_MICROS), count);
    }

    /** What was recorded since the last call; {@code recycled} may be the previous result, to be filled again. */
    public synchronized Histogram takeInterval(Histogram recycled) {
        return recorder.getIntervalHistogram(recycled);
    }

    public synchronized Histogram takeInterval() {
        return recorder.getIntervalHistogram();
    }
}
