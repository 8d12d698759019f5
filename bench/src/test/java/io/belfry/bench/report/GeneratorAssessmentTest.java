package io.belfry.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GeneratorAssessmentTest {
    private static final int CORES = 2;

    @Test
    void generatorsOnTimeWithSpareCpuAreGreen() {
        assertThat(assess(run(0.05, 1000, 0.5, 1.0)).level()).isEqualTo(BenchVerdict.Level.GREEN);
    }

    @Test
    void aPublisherThatCausesMostOfTheLatencyIsTheLimit() {
        BenchVerdict verdict = assess(run(8, 1000, 0.5, 1.0));
        assertThat(verdict.level()).isEqualTo(BenchVerdict.Level.RED);
        assertThat(verdict.sentence()).contains("80 % of the latency's p99");
    }

    @Test
    void aRateThatWasNotKeptIsTheLimit() {
        assertThat(assess(run(0.05, 900, 0.5, 1.0)).level()).isEqualTo(BenchVerdict.Level.RED);
    }

    @Test
    void aFullCoreOfAGeneratorIsTheLimit() {
        assertThat(assess(run(0.05, 1000, 0.97, 1.2)).level()).isEqualTo(BenchVerdict.Level.RED);
    }

    @Test
    void aMachineWithLittleSpareCpuIsYellow() {
        assertThat(assess(run(0.05, 1000, 0.6, 1.8)).level()).isEqualTo(BenchVerdict.Level.YELLOW);
    }

    @Test
    void aHostThatTakesATenthOfTheProcessorsIsTheLimit() {
        BenchVerdict verdict =
                assess(withSamples(run(0.05, 1000, 0.5, 1.0), Map.of("machineCores", 1.0, "stolenCores", 0.2)));
        assertThat(verdict.level()).isEqualTo(BenchVerdict.Level.RED);
        assertThat(verdict.sentence()).contains("10.0 % stolen");
    }

    @Test
    void stolenTimeIsNotCountedAsOtherPrograms() {
        Map<String, Double> figures =
                Map.of("machineCores", 1.5, "serverCores", 0.5, "generatorCores", 0.2, "stolenCores", 0.7);
        assertThat(assess(withSamples(run(0.05, 1000, 0.2, 1.5), figures)).checks())
                .filteredOn(check -> check.name().equals("machine without other load"))
                .singleElement()
                .returns("0.10 cores", BenchVerdict.Check::value);
    }

    @Test
    void aServerThatWaitsForProcessorsAsLongAsItRunsIsTooLittleMachine() {
        Map<String, Double> figures = Map.of("serverCores", 0.4, "serverWaitingCores", 0.4);
        assertThat(assess(withSamples(run(0.05, 1000, 0.2, 1.5), figures)).checks())
                .filteredOn(check -> check.name().equals("processors for the server"))
                .singleElement()
                .returns("50 % of its time waiting", BenchVerdict.Check::value)
                .returns(BenchVerdict.Level.RED, BenchVerdict.Check::level);
    }

    @Test
    void theWorstOfSeveralRunsCounts() {
        BenchVerdict verdict = assess(run(0.05, 1000, 0.5, 1.0), run(0.05, 900, 0.5, 1.0));
        assertThat(verdict.level()).isEqualTo(BenchVerdict.Level.RED);
        assertThat(verdict.sentence()).startsWith("Rate kept: 90.0 %").contains("(fanout)");
        assertThat(verdict.checks()).doesNotHaveDuplicates().hasSizeLessThan(6);
    }

    @Test
    void withoutFiguresTheVerdictIsYellow() {
        Run none = new Run(
                "x",
                "",
                null,
                1,
                new Run.Times(null, null, null, List.of()),
                Run.Traffic.UNKNOWN,
                Run.Observed.UNKNOWN,
                List.of());
        assertThat(assess(none).level()).isEqualTo(BenchVerdict.Level.YELLOW);
    }

    private static BenchVerdict assess(Run... runs) {
        return GeneratorAssessment.of(List.of(runs), CORES);
    }

    private static Run withSamples(Run run, Map<String, Double> figures) {
        return new Run(
                run.name(),
                run.sentence(),
                run.connections(),
                run.measuredSeconds(),
                run.times(),
                run.traffic(),
                new Run.Observed(null, null, List.of(new Run.Sample(1, Map.copyOf(figures)))),
                run.generators());
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
                new Run.Times(Latency.of(micros, List.of()), null, null, List.of()),
                new Run.Traffic(new Run.Rates(1000.0, published, 10_000.0, 0.0), null, List.of()),
                new Run.Observed(null, null, List.of(new Run.Sample(1, Map.of("machineCores", machineCores)))),
                List.of(new Run.Generator(
                        "benchpub",
                        "benchpub",
                        1,
                        1,
                        0,
                        new Run.Effort(1.0, generatorCores, lag, none),
                        List.of(),
                        Map.of())));
    }
}
