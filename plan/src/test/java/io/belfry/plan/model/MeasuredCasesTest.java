package io.belfry.plan.model;

import static io.belfry.plan.model.PlanFixtures.AUTO;
import static io.belfry.plan.model.PlanFixtures.NO_HISTORY;
import static io.belfry.plan.model.PlanFixtures.USUAL;
import static io.belfry.plan.model.PlanFixtures.all;
import static io.belfry.plan.model.PlanFixtures.machine;
import static io.belfry.plan.model.PlanFixtures.requirements;
import static io.belfry.plan.model.PlanFixtures.work;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Compares the model with measured runs; the benchmark page has the same table. */
class MeasuredCasesTest {
    private static final Map<PlanOption, Double> TWO_CORES = machine(2, 23L << 30, 1e9, 20_000, 1, 1, 1, 200_000);

    /**
     * A run of docs/benchmarks.md or docs/performance.md.
     *
     * @param cores CPU use of the server
     * @param fitted whether a coefficient was taken from this run
     */
    private record Run(
            String name, Map<PlanOption, Double> work, Map<PlanOption, Double> kept, double cores, boolean fitted) {
        double predicted() {
            return PlanFixtures.plan(work, TWO_CORES, kept, requirements(0, 1, AUTO))
                    .usage(Resource.CPU)
                    .needed();
        }

        double error() {
            return predicted() / cores - 1;
        }

        String row() {
            return String.format(
                    Locale.ROOT,
                    "| %s | %.3f | %.3f | %+.0f %%%s |",
                    name,
                    cores,
                    predicted(),
                    100 * error(),
                    fitted ? " (a coefficient is from this run)" : "");
        }
    }

    private static final List<Run> RUNS = List.of(
            new Run("`bin/bench fanout`, 49,991/s", work(5_000, 9.998, 512, 50), USUAL, 0.400, true),
            new Run("`tests/load/cost 1000 1000 20000`, one to one", work(1_000, 20, 512, 1), USUAL, 0.208, true),
            new Run("`bin/bench rooms`, 19,980/s of 50 B", work(5_000, 3.996, 50, 50), USUAL, 0.158, false),
            new Run("`tests/load/cost 16000 100 100`, 16,000/s", work(16_000, 1, 512, 160), USUAL, 0.147, false),
            new Run(
                    "`tests/floor/compare relay`, 60,000/s one to one",
                    work(10_000, 6, 512, 1),
                    NO_HISTORY,
                    0.444,
                    false),
            new Run(
                    "`bin/bench fanout` with TLS, 20,000/s, a run of 10 s",
                    all(work(2_000, 10, 512, 20), PlanOption.TLS),
                    NO_HISTORY,
                    0.308,
                    false),
            new Run(
                    "`bin/bench fanout` over SSE, 20,043/s, a run of 8 s",
                    all(work(5_000, 4.009, 512, 50), PlanOption.HTTP),
                    USUAL,
                    0.305,
                    false),
            new Run("`bin/bench unicast`, 250/s to 15,000", work(15_000, 1 / 60.0, 512, 1), USUAL, 0.0395, false));

    private static final double LOW = -0.35;
    private static final double HIGH = 0.5;

    @TestFactory
    List<DynamicTest> cpuIsPredictedWithinTheStatedError() {
        return RUNS.stream()
                .map(run -> DynamicTest.dynamicTest(
                        run.name(), () -> assertThat(run.error()).isBetween(LOW, HIGH)))
                .toList();
    }

    /** Compares live heap without room for the collector: plain sockets, and channels as TLS and earlier builds use them. */
    @Test
    void heapIsPredictedWithinAFifth() {
        double plain = PlanFixtures.BUILT_IN.of("heap-session").value();
        for (double measured : new double[] {304, 261}) {
            assertThat(plain / measured - 1).as("heap of %s B", measured).isBetween(-0.2, 0.2);
        }
        double channel = plain + PlanFixtures.BUILT_IN.of("heap-tls").value() - 1024;
        for (double measured : new double[] {1_115, 1_044, 1_112, 1_260, 1_087, 1_170, 1_288}) {
            assertThat(channel / measured - 1)
                    .as("heap of %s B with a channel", measured)
                    .isBetween(-0.2, 0.2);
        }
        assertThat((1_057 + PlanFixtures.BUILT_IN.of("heap-stream").value()) / 1_415 - 1)
                .isBetween(-0.2, 0.2);
    }

    /** Published figures of another product, ten years old: the model must come near them. */
    @Test
    void thePublishedTwelveMillionSessionsFit() {
        Map<PlanOption, Double> published = machine(12, 96L << 30, 10e9, 20_000_000, 1, 1, 1, 0);
        Plan plan =
                PlanFixtures.plan(work(12_000_000, 1 / 60.0, 512, 1), published, NO_HISTORY, requirements(0, 1, AUTO));
        assertThat(plan.nodes()).isEqualTo(1);
        double bytesEach = plan.usage(Resource.MEMORY).needed() / 12_000_000;
        assertThat(bytesEach)
                .as("published: 4.5 KB of heap and 3 KB of kernel memory")
                .isBetween(4_000.0, 7_700.0);
        double out =
                Objects.requireNonNull(plan.usage(Resource.NETWORK_OUT).terms().get("deliveries"))
                                .amount()
                        / 8;
        assertThat(out / 200_000 - 512)
                .as("published: under 131 bytes per message")
                .isLessThan(150);
    }

    @Test
    void theBenchmarkPageHasTheTable() throws IOException {
        String page = Files.readString(Path.of("../docs/benchmarks/2026-11-22-plan-model/README.md"));
        RUNS.forEach(run -> assertThat(page).contains(run.row()));
    }
}
