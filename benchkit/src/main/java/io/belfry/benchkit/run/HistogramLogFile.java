package io.belfry.benchkit.run;

import io.belfry.benchkit.measure.Latencies;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Latencies of each report interval in the format of HdrHistogram's tools, in microseconds. Owner: the conductor. */
final class HistogramLogFile implements AutoCloseable {
    /** The maximum column in milliseconds. */
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

    void add(Latencies interval, long fromMillis, long toMillis) {
        Histogram histogram = interval.histogram();
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
