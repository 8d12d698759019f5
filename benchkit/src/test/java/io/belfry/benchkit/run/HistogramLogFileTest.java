package io.belfry.benchkit.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.run.Recorder.HistogramLogFile;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of several instances merge into what one instance would have measured. */
class HistogramLogFileTest {
    private static final int INTERVALS = 5;

    @TempDir
    Path folder;

    @Test
    void theFilesOfTwoInstancesMergeIntoOneHistogram() throws Exception {
        SplittableRandom random = new SplittableRandom(9);
        Latencies all = new Latencies();
        write(folder.resolve("a.hlog"), random, all);
        write(folder.resolve("b.hlog"), random, all);
        Histogram merged = new Histogram(1, Latencies.MAX_MICROS, 3);
        read(folder.resolve("a.hlog"), merged);
        read(folder.resolve("b.hlog"), merged);
        assertThat(merged).isEqualTo(all.histogram());
        assertThat(merged.getTotalCount()).isEqualTo(all.count());
    }

    private static void write(Path file, SplittableRandom random, Latencies all) throws FileNotFoundException {
        try (HistogramLogFile log = new HistogramLogFile(file, "benchsub", 1_700_000_000_000L)) {
            for (int i = 0; i < INTERVALS; i++) {
                Latencies interval = new Latencies();
                for (int n = random.nextInt(20_000); n > 0; n--) {
                    long nanos = (long) Math.pow(10, random.nextDouble(2, 11));
                    interval.record(nanos);
                    all.record(nanos);
                }
                log.add(interval, new Latencies(), 1_700_000_000_000L + i * 5_000L, 1_700_000_005_000L + i * 5_000L);
            }
        }
    }

    private static void read(Path file, Histogram into) throws FileNotFoundException {
        int intervals = 0;
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
            while (reader.hasNext()) {
                into.add((Histogram) reader.nextIntervalHistogram());
                intervals++;
            }
        }
        assertThat(intervals).isEqualTo(INTERVALS);
    }
}
