package io.belfry.bench.report;

import java.io.FileNotFoundException;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Writes a histogram log in the form of the load generators. Owner: the test. */
final class LogWriter implements AutoCloseable {
    private final HistogramLogWriter writer;
    private final long startMillis;

    LogWriter(Path file, long startMillis) throws FileNotFoundException {
        this.startMillis = startMillis;
        writer = new HistogramLogWriter(file.toFile());
        writer.outputComment("[test: latencies in microseconds]");
        writer.outputLogFormatVersion();
        writer.outputStartTime(startMillis);
        writer.setBaseTime(startMillis);
        writer.outputLegend();
    }

    void interval(long fromMillis, long lengthMillis, Histogram micros) {
        micros.setStartTimeStamp(fromMillis);
        micros.setEndTimeStamp(fromMillis + lengthMillis);
        writer.outputIntervalHistogram(
                (fromMillis - startMillis) / 1e3, (fromMillis + lengthMillis - startMillis) / 1e3, micros, 1000.0);
    }

    @Override
    public void close() {
        writer.close();
    }
}
