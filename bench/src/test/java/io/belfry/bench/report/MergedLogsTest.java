package io.belfry.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergedLogsTest {
    private static final long START = 1_795_000_000_000L;

    @TempDir
    Path folder;

    @Test
    void twoMergedInstancesEqualOneWithAllValues() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        Histogram all = new Histogram(1, 3_600_000_000L, 3);
        Path first = folder.resolve("a.hlog");
        Path second = folder.resolve("b.hlog");
        try (LogWriter a = new LogWriter(first, START);
                LogWriter b = new LogWriter(second, START + 700)) {
            for (int second5 = 0; second5 < 4; second5++) {
                a.interval(START + second5 * 5000L, 5000, values(random, all, 2000));
                b.interval(START + 700 + second5 * 5000L, 5000, values(random, all, 3000));
            }
        }

        MergedLogs merged = MergedLogs.of(List.of(HistogramLog.read(first), HistogramLog.read(second)))
                .tagged("");

        assertThat(merged.total()).isEqualTo(all);
        assertThat(merged.latency(START))
                .usingRecursiveComparison()
                .ignoringFields("intervals")
                .isEqualTo(Latency.of(all, List.of()));
        assertThat(merged.latency(START).count()).isEqualTo(20_000);
    }

    private static Histogram values(SplittableRandom random, Histogram all, int count) {
        Histogram some = new Histogram(1, 3_600_000_000L, 3);
        for (int i = 0; i < count; i++) {
            long micros = 1 + (long) Math.exp(random.nextDouble() * 14);
            some.recordValue(micros);
            all.recordValue(micros);
        }
        return some;
    }

    @Test
    void instancesWithDifferentStartsAreAlignedByTheClock() throws IOException {
        Path first = folder.resolve("a.hlog");
        Path second = folder.resolve("b.hlog");
        try (LogWriter a = new LogWriter(first, START);
                LogWriter b = new LogWriter(second, START + 10_000)) {
            a.interval(START, 1000, of(100));
            a.interval(START + 10_000, 1000, of(200));
            b.interval(START + 10_000, 1000, of(300));
        }

        Latency latency = MergedLogs.of(List.of(HistogramLog.read(first), HistogramLog.read(second)))
                .tagged("")
                .latency(START);

        assertThat(latency.intervals()).extracting(Latency.Interval::second).containsExactly(0.0, 10.0);
        assertThat(latency.intervals()).extracting(Latency.Interval::count).containsExactly(1L, 2L);
        assertThat(latency.intervals().getLast().maxMillis()).isEqualTo(0.3);
    }

    @Test
    void onlyValuesInsideTheWindowCount() throws IOException {
        Path file = folder.resolve("a.hlog");
        try (LogWriter a = new LogWriter(file, START)) {
            a.interval(START, 1000, of(9000));
            a.interval(START + 1000, 1000, of(100));
            a.interval(START + 2000, 1000, of(200));
            a.interval(START + 3000, 1000, of(9000));
        }

        Latency latency =
                MergedLogs.of(List.of(HistogramLog.read(file))).tagged("").latency(START + 1000, START + 3000);

        assertThat(latency.count()).isEqualTo(2);
        assertThat(latency.maxMillis()).isEqualTo(0.2);
        assertThat(latency.intervals()).extracting(Latency.Interval::second).containsExactly(-1.0, 0.0, 1.0, 2.0);
    }

    @Test
    void aRunShorterThanAnIntervalUsesOverlappingIntervals() throws IOException {
        Path file = folder.resolve("a.hlog");
        try (LogWriter a = new LogWriter(file, START)) {
            a.interval(START, 5000, of(100));
            a.interval(START + 5000, 5000, of(200));
        }

        Latency latency =
                MergedLogs.of(List.of(HistogramLog.read(file))).tagged("").latency(START + 1000, START + 2000);

        assertThat(latency.count()).isEqualTo(1);
        assertThat(latency.maxMillis()).isEqualTo(0.1);
    }

    @Test
    void tagsAreKeptSeparate() throws IOException {
        Path file = folder.resolve("a.hlog");
        try (LogWriter a = new LogWriter(file, START)) {
            Histogram tagged = of(500);
            tagged.setTag("other");
            a.interval(START, 1000, tagged);
            a.interval(START, 1000, of(100));
        }
        HistogramLog log = HistogramLog.read(file);

        assertThat(MergedLogs.of(List.of(log)).tagged("").latency(START).maxMillis())
                .isEqualTo(0.1);
        assertThat(MergedLogs.of(List.of(log)).tagged("other").latency(START).maxMillis())
                .isEqualTo(0.5);
        assertThat(MergeReport.of(List.of(log), "latency", null).runs())
                .extracting(Run::name)
                .containsExactly("all", "other");
    }

    @Test
    void timesToConnectAreSeparateFromMessageLatencies() throws IOException {
        Path file = folder.resolve("a.hlog");
        try (LogWriter a = new LogWriter(file, START)) {
            Histogram connects = of(700);
            connects.setTag(HistogramLog.CONNECT);
            a.interval(START, 1000, connects);
            a.interval(START + 1000, 1000, of(100));
            a.interval(START + 2000, 1000, of(200));
        }
        BenchReport report = MergeReport.of(List.of(HistogramLog.read(file), HistogramLog.read(file)), "latency", null);

        Run all = report.runs().getFirst();
        assertThat(report.runs()).hasSize(1);
        assertThat(all.measuredSeconds()).isEqualTo(3);
        assertThat(all.times().latency()).extracting(Latency::count).isEqualTo(4L);
        assertThat(all.times().connect()).extracting(Latency::count).isEqualTo(2L);
        assertThat(all.times().connect()).extracting(Latency::maxMillis).isEqualTo(0.7);
        assertThat(report.inputs()).extracting(BenchReport.Input::messages).containsExactly(2L, 2L);
        assertThat(report.inputs()).extracting(BenchReport.Input::connects).containsExactly(1L, 1L);
    }

    @Test
    void anIntervalBelongsToTheWindowOfItsMiddle() throws IOException {
        Path file = folder.resolve("a.hlog");
        try (LogWriter a = new LogWriter(file, START)) {
            a.interval(START - 30, 1000, of(100));
            a.interval(START + 970, 1000, of(200));
            a.interval(START + 1970, 100, of(300));
        }
        MergedLogs merged = MergedLogs.of(List.of(HistogramLog.read(file))).tagged("");

        assertThat(merged.within(START - 30, START + 1000).count()).isEqualTo(1);
        assertThat(merged.within(START + 1000, START + 2000).count()).isEqualTo(1);
        assertThat(merged.within(START + 2000, START + 2070).count()).isEqualTo(1);
    }

    @Test
    void aLogOfAKilledInstanceLosesOnlyItsLastLine() throws IOException {
        Path file = folder.resolve("killed.hlog");
        try (LogWriter a = new LogWriter(file, START)) {
            a.interval(START, 1000, of(100));
            a.interval(START + 1000, 1000, of(200));
            a.interval(START + 2000, 1000, of(300));
        }
        String whole = Files.readString(file);
        int lastLine = whole.lastIndexOf('\n', whole.length() - 2) + 1;
        for (int end = lastLine + 1; end < whole.length(); end++) {
            HistogramLog log = HistogramLog.parse("killed.hlog", whole.substring(0, end));
            assertThat(log.intervals()).hasSize(2);
            assertThat(log.notes()).containsExactly("the last line is incomplete and was skipped");
        }
    }

    @Test
    void aDamagedLineIsReportedAndSkipped() throws IOException {
        Path file = folder.resolve("damaged.hlog");
        try (LogWriter a = new LogWriter(file, START)) {
            a.interval(START, 1000, of(100));
            a.interval(START + 1000, 1000, of(200));
        }
        String damaged = Files.readString(file).replaceFirst("HIST", "H#ST");

        HistogramLog log = HistogramLog.parse("damaged.hlog", damaged);

        assertThat(log.intervals()).hasSize(1);
        assertThat(log.notes()).singleElement().asString().contains("cannot be read");
    }

    private static Histogram of(long micros) {
        Histogram histogram = new Histogram(1, 3_600_000_000L, 3);
        histogram.recordValue(micros);
        return histogram;
    }
}
