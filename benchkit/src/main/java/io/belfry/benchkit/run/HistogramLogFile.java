package io.belfry.benchkit.run;

import io.belfry.benchkit.measure.Latencies;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes the latencies of each second in the format of HdrHistogram's tools, in microseconds: message latencies without a
 * tag, times to connect with the tag {@link #CONNECT}. Owner: the conductor.
 */
final class HistogramLogFile implements AutoCloseable {
    static final String CONNECT = "connect";

    /** Divisor of the maximum column, which is in milliseconds. */
    private static final double MICROS_PER_MILLI = 1000.0;

    private final HistogramLogWriter writer;
    private final long startMillis;

    HistogramLogFile(Path file, String program, long startMillis) throws FileNotFoundException {
        this.startMillis = startMillis;
        writer = new HistogramLogWriter(file.toFile());
        writer.outputComment("[" + program + ": latencies in microseconds]");
        writer.outputLogFormatVersion();
        writer.outputStartTime(startMillis);
        writer.setBaseTime(startMillis);
        writer.outputLegend();
    }

    /** Adds an interval; a part without values gets no line. */
    void add(Latencies messages, Latencies connects, long fromMillis, long toMillis) {
        line(messages, null, fromMillis, toMillis);
        line(connects, CONNECT, fromMillis, toMillis);
    }

    private void line(Latencies interval, @Nullable String tag, long fromMillis, long toMillis) {
        if (interval.count() == 0) {
            return;
        }
        Histogram histogram = interval.histogram();
        histogram.setTag(tag);
        histogram.setStartTimeStamp(fromMillis);
        histogram.setEndTimeStamp(toMillis);
        writer.outputIntervalHistogram(
                (fromMillis - startMillis) / 1e3, (toMillis - startMillis) / 1e3, histogram, MICROS_PER_MILLI);
    }

    @Override
    public void close() {
        writer.close();
    }
}
