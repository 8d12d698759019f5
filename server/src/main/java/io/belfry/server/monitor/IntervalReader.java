package io.belfry.server.monitor;

import io.belfry.server.counter.LatencyRecorder;
import org.HdrHistogram.Histogram;

/** Reads a recorder's values since the last read into one reused histogram. Owner: the sampler's thread. */
final class IntervalReader {
    private final LatencyRecorder recorder;
    private Histogram interval;

    IntervalReader(LatencyRecorder recorder) {
        this.recorder = recorder;
        this.interval = recorder.takeInterval();
    }

    /** Returns the values since the last call. The histogram is valid until the next call. */
    Histogram next() {
        interval = recorder.takeInterval(interval);
        return interval;
    }
}
