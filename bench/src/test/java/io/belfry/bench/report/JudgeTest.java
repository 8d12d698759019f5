package io.belfry.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JudgeTest {
    private static final int CORES = 2;

    @Test
    void generatorsThatAreOnTimeWithCpuToSpareAreGreen() {
        assertThat(Judge.of(List.of(run(0.05, 1000, 0.5, 1.0)), CORES).level()).isEqualTo(Verdict.Level.GREEN);
    }

    @Test
    void aPublisherWhoseLatenessIsMostOfTheLatencyIsTheLimit() {
        Verdict verdict = Judge.of(List.of(run(8, 1000, 0.5, 1.0)), CORES);
        assertThat(verdict.level()).isEqualTo(Verdict.Level.RED);
        assertThat(verdict.sentence()).contains("80 % of the latency's p99");
    }

    @Test
    void aRateThatWasNotKeptIsTheLimit() {
        assertThat(Judge.of(List.of(run(0.05, 900, 0.5, 1.0)), CORES).level()).isEqualTo(Verdict.Level.RED);
    }

    @Test
    void aFullCoreOfAGeneratorIsTheLimit() {
        assertThat(Judge.of(List.of(run(0.05, 1000, 0.97, 1.2)), CORES).level()).isEqualTo(Verdict.Level.RED);
    }

    @Test
    void aMachineNearlyFullHasAPartInTheFigures() {
        assertThat(Judge.of(List.of(run(0.05, 1000, 0.6, 1.8)), CORES).level()).isEqualTo(Verdict.Level.YELLOW);
    }

    @Test
    void ofSeveralRunsTheWorstCounts() {
        Verdict verdict = Judge.of(List.of(run(0.05, 1000, 0.5, 1.0), run(0.05, 900, 0.5, 1.0)), CORES);
        assertThat(verdict.level()).isEqualTo(Verdict.Level.RED);
        assertThat(verdict.sentence()).startsWith("Rate kept: 90.0 %").contains("(fanout)");
        assertThat(verdict.checks()).doesNotHaveDuplicates().hasSizeLessThan(6);
    }

    @Test
    void withoutFiguresNothingIsClaimed() {
        Run none = new Run(
                "x", "", null, 1, null, null, List.of(), null, null, List.of(), null, null, List.of(), List.of());
        assertThat(Judge.of(List.of(none), CORES).level()).isEqualTo(Verdict.Level.YELLOW);
    }

    private static Run run(double lagMillis, double published, double generatorCores, double machineCores) {
        Histogram micros = new Histogram(3);
        micros.recordValue(10_000);
        Run.Lag lag = new Run.Lag(10, lagMillis, Map.of("99", lagMillis));
        Run.@Nullable Lag none = null;
        return new Run(
                "fanout",
                "",
                10,
                10,
                Latency.of(micros, List.of()),
                null,
                List.of(),
                new Run.Rates(1000.0, published, 10_000.0, 0.0),
                null,
                List.of(),
                null,
                null,
                List.of(sample(machineCores)),
                List.of(new Run.Generator(
                        "benchpub", "benchpub", 1, 1, 0, 1.0, generatorCores, lag, none, List.of(), Map.of())));
    }

    private static Run.Sample sample(double machineCores) {
        return new Run.Sample(
                1,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                machineCores,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }
}
