package io.belfry.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SlowClaimTest {
    @Test
    void theClaimHoldsIfTheOthersAreNotAffectedAndCountsAgree() {
        BenchVerdict claim =
                SlowClaim.of(List.of(stalled(10, 7, 7, 0), control(10), control(10), stalled(10.5, 3, 3, 0)));
        assertThat(claim.level()).as("%s", claim).isEqualTo(BenchVerdict.Level.GREEN);
        assertThat(claim.sentence()).startsWith("P99 of the others: 1.02");
    }

    @Test
    void theMedianOfThePairsCounts() {
        assertThat(SlowClaim.of(List.of(
                                stalled(20, 1, 1, 0),
                                control(10),
                                control(10),
                                stalled(10, 1, 1, 0),
                                stalled(10, 1, 1, 0),
                                control(10)))
                        .level())
                .isEqualTo(BenchVerdict.Level.GREEN);
        BenchVerdict slower =
                SlowClaim.of(List.of(stalled(10, 1, 1, 0), control(10), control(10), stalled(13, 1, 1, 0)));
        assertThat(slower.level()).isEqualTo(BenchVerdict.Level.RED);
        assertThat(slower.sentence()).contains("1.15 of the run without", "1.00, 1.30");
    }

    @Test
    void oneBadSecondIsDistinguishedFromMany() {
        BenchVerdict.Check others = SlowClaim.of(List.of(stalled(30, 7, 7, 0), control(10)))
                .checks()
                .getFirst();
        assertThat(others.level()).isEqualTo(BenchVerdict.Level.RED);
        assertThat(others.sentence())
                .contains("The median second of each run: 1.00.")
                .endsWith("Maximum loop lag of the generators: 30 ms, and without stalled readers 10");
    }

    @Test
    void oneUnannouncedMessageBreaksTheClaim() {
        BenchVerdict claim = SlowClaim.of(List.of(stalled(10, 41, 42, 0), control(10)));
        assertThat(claim.level()).isEqualTo(BenchVerdict.Level.RED);
        assertThat(claim.sentence()).contains("not exact", "41 dropped of 42");
    }

    @Test
    void aRunWithoutSlowReadersProvesNothing() {
        assertThat(SlowClaim.of(List.of(stalled(10, 0, 0, 0), control(10))).sentence())
                .startsWith("Stalled readers affected");
    }

    @Test
    void memoryGrowthWithStalledReadersBreaksTheClaim() {
        BenchVerdict claim = SlowClaim.of(List.of(stalled(10, 7, 7, 40), control(10)));
        assertThat(claim.sentence()).startsWith("Heap of the server: +40.0 MB");
    }

    @Test
    void incompleteRunsBreakTheClaim() {
        assertThat(SlowClaim.of(List.of(stalled(10, 7, 7, 0))).level()).isEqualTo(BenchVerdict.Level.RED);
    }

    private static Run control(double millis) {
        return run("control", millis, 0, 0, 0, 0);
    }

    private static Run stalled(double millis, long announced, long counted, int megabytesMore) {
        return run("stalled", millis, 5, announced, counted, megabytesMore);
    }

    private static Run run(String name, double millis, long stalled, long announced, long counted, int megabytesMore) {
        Histogram micros = new Histogram(3);
        micros.recordValue((long) (millis * 1000));
        List<Latency.Interval> seconds =
                List.of(second(-1, 99), second(0, 4), second(1, 2), second(2, millis), second(10, 99));
        return new Run(
                name,
                "",
                500,
                10,
                new Run.Times(Latency.of(micros, seconds), null, null, List.of()),
                new Run.Traffic(null, delivery(stalled, announced), List.of()),
                new Run.Observed(server(counted), null, samples(megabytesMore)),
                List.of(generator(millis, "none"), generator(500, "100 %")));
    }

    private static Run.Delivery delivery(long stalled, long announced) {
        Map<String, Long> counts = Map.of("stalled", stalled, "stalledMessages", 100L, "stalledDropped", announced);
        return Run.Delivery.of(name -> counts.getOrDefault(name, 0L), null, null);
    }

    private static Latency.Interval second(double from, double millis) {
        return new Latency.Interval(from, 1, 100, millis, millis, millis, millis, millis);
    }

    private static Run.Generator generator(double lagMillis, String stalledReaders) {
        return new Run.Generator(
                "benchsub",
                "benchsub",
                1,
                1,
                0,
                new Run.Effort(null, null, null, new Run.Lag(1, lagMillis, Map.of())),
                List.of(),
                Map.of("StalledReaders", stalledReaders));
    }

    private static Run.Server server(long dropped) {
        try {
            return new Run.Server(
                    1.0,
                    1.0,
                    1.0,
                    null,
                    null,
                    List.of(),
                    Map.of(),
                    new ObjectMapper().readTree("{\"drops\":{\"slow-consumer\":" + dropped + "},\"closes\":{}}"));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Run.Sample> samples(int megabytesMore) {
        List<Run.Sample> samples = new ArrayList<>();
        for (int second = 1; second <= 10; second++) {
            long bytes = (100L + (second > 5 ? megabytesMore : 0)) << 20;
            samples.add(
                    new Run.Sample(second, Map.of("processBytes", bytes, "heapBytes", bytes, "directBytes", bytes)));
        }
        return samples;
    }
}
