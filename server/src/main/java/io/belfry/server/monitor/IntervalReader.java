package io.belfry.server.monitor;

import io.belfry.server.counter.LatencyRecorder;
import org.HdrHistogram.Histogram;

/** Takes a recorder's values interval by interval into one histogram that is filled again. Owner: the sampler's thread. */
final class IntervalReader {
    private final LatencyRecorder recorder;
    private Histogram interval;

    IntervalReader(LatencyRecorder recorder) {
        this.recorder = recorder;
        this.interval = recorder.takeInterval();
    }

    /** Valid until the next call. */
    Histogram next() {
        interval = recorder.takeInterval(interval);
        return interval;
    }
}
