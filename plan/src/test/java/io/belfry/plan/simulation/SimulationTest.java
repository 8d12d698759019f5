package io.belfry.plan.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.belfry.client.ReconnectPolicy;
import io.belfry.plan.simulation.SimulationScenario.Ending;
import io.belfry.plan.simulation.SimulationScenario.Limits;
import io.belfry.plan.simulation.SimulationScenario.Times;
import java.util.Arrays;
import java.util.function.ToDoubleFunction;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final ReconnectPauses CLIENTS = new ReconnectPauses(ReconnectPolicy.DEFAULT);
    private static final Times TIMES = new Times(600, 5, 25, 30, 20);
    private static final Limits AMPLE = new Limits(Long.MAX_VALUE / 1_000_000, 1e9);

    private static SimulationScenario scenario(
            long sessions, int nodes, int failing, Limits limits, ReconnectPauses pauses, long seed) {
        return scenario(sessions, equal(nodes), failing, Ending.KILL, limits, pauses, seed);
    }

    private static SimulationScenario scenario(
            long sessions,
            NodeWeights weights,
            int failing,
            Ending ending,
            Limits limits,
            ReconnectPauses pauses,
            long seed) {
        return new SimulationScenario(sessions, weights, failing, 1, ending, pauses, limits, TIMES, seed);
    }

    private static NodeWeights equal(int nodes) {
        return NodeWeights.parse("--nodes", Integer.toString(nodes));
    }

    @Test
    void pausesAreThoseOfTheJavaClient() {
        assertThat(CLIENTS.firstSeconds()).isEqualTo(0.5);
        assertThat(CLIENTS.boundSeconds(2)).isEqualTo(0.5);
        assertThat(CLIENTS.boundSeconds(3)).isEqualTo(1);
        assertThat(CLIENTS.boundSeconds(4)).isEqualTo(2);
        assertThat(CLIENTS.boundSeconds(100)).isEqualTo(30);
    }

    @Test
    void equalSeedsGiveEqualRuns() {
        SimulationScenario scenario = scenario(1_000_000, 50, 3, new Limits(30_000, 5_000), CLIENTS, 5);
        assertThat(Simulation.run(scenario)).isEqualTo(Simulation.run(scenario));
    }

    @Test
    void aBillionSessionsReconnectWithinSeconds() {
        SimulationResult outcome =
                Simulation.run(scenario(1_000_000_000, 5_000, 50, new Limits(210_000, 30_000), CLIENTS, 1));
        assertThat(outcome.faults()).isEmpty();
        assertThat(outcome.lost()).isBetween(9_900_000L, 10_100_000L);
        assertThat(outcome.after().mean() * 4_950).isCloseTo(1e9, within(1.0));
        assertThat(outcome.back().all()).isBetween(0.5, 5.0);
    }

    @Test
    void withoutJitterReconnectsExceedTheLimits() {
        Limits limits = new Limits(300_000, 60_000);
        assertThat(Simulation.run(scenario(1_000_000_000, 5_000, 500, limits, CLIENTS, 2))
                        .faults())
                .isEmpty();
        SimulationResult herd =
                Simulation.run(scenario(1_000_000_000, 5_000, 500, limits, ReconnectPauses.spreadOver(0), 2));
        assertThat(herd.held()).isFalse();
        assertThat(herd.overAccepts()).isEqualTo(4_500);
        assertThat(herd.refused()).isPositive();
    }

    @Test
    void nodesWithoutSpareCapacityAreExceeded() {
        SimulationResult outcome = Simulation.run(scenario(1_000_000, 10, 2, new Limits(110_000, 1e6), CLIENTS, 3));
        assertThat(outcome.held()).isFalse();
        assertThat(outcome.overSessions()).isEqualTo(8);
        assertThat(outcome.away())
                .as("eight nodes of 110,000 cannot hold a million")
                .isEqualTo(120_000);
    }

    @Test
    void sessionsFollowTheWeightsOfNodes() {
        NodeWeights weights = NodeWeights.parse("--nodes", "2,1x2,1x4,2");
        SimulationResult outcome =
                Simulation.run(scenario(1_000_000, weights, 1, Ending.KILL, new Limits(150_000, 1e6), CLIENTS, 4));
        assertThat(outcome.placed().mean()).isEqualTo(100_000);
        assertThat(outcome.placed().most()).isCloseTo(100_000, within(1_200.0));
        assertThat(outcome.held()).isTrue();
    }

    @Test
    void aDrainingNodeMovesItsSessionsEvenly() {
        SimulationResult drained =
                Simulation.run(scenario(1_000_000, equal(20), 1, Ending.DRAIN, new Limits(60_000, 1e6), CLIENTS, 6));
        assertThat(drained.held()).isTrue();
        assertThat(drained.back().all()).isBetween(20.0, 22.0);
        assertThat(drained.back().half()).isCloseTo(10.5, within(0.6));
        // 50,000 over 20 s to 19 nodes are about a dozen per node and step.
        assertThat(drained.peakAccepts()).isLessThan(450);
    }

    @Test
    void aSilentFailureIsNoticedAfterOneToTwoPings() {
        SimulationResult silent =
                Simulation.run(scenario(1_000_000, equal(20), 1, Ending.SILENT, new Limits(60_000, 1e6), CLIENTS, 6));
        assertThat(silent.back().half()).isCloseTo(37.7, within(1.0));
        assertThat(silent.back().all()).isBetween(49.0, 52.0);
        assertThat(silent.held()).isTrue();
    }

    @Test
    void wavesAreSeparate() {
        SimulationScenario waves = new SimulationScenario(
                1_000_000, equal(20), 4, 2, Ending.KILL, CLIENTS, new Limits(80_000, 1e6), TIMES, 8);
        SimulationResult outcome = Simulation.run(waves);
        assertThat(outcome.held()).isTrue();
        assertThat(outcome.back().all()).isBetween(30.0, 33.0);
        assertThat(outcome.lost()).isCloseTo(200_000 + 100_000 / 9, within(2_500L));
    }

    @Test
    void countsAgreeWithASimulationOfEachClient() {
        compare(new Limits(2_000, 1e6), 0.04);
    }

    /** One in nine is refused at first and returns five seconds later. */
    @Tag("complete")
    @Test
    void countsAgreeWhenNewSessionsAreRefused() {
        compare(new Limits(2_000, 200), 0.07);
    }

    private static void compare(Limits limits, double tolerance) {
        int clients = 40_000;
        int rounds = 40;
        SimulationResult[] counts = new SimulationResult[rounds];
        PerClientSimulation[] each = new PerClientSimulation[rounds];
        for (int seed = 0; seed < rounds; seed++) {
            counts[seed] = Simulation.run(scenario(clients, equal(40), 4, Ending.KILL, limits, CLIENTS, seed));
            each[seed] = new PerClientSimulation(clients, equal(40), 4, limits, TIMES.retryAfterSeconds(), seed);
            each[seed].run();
        }
        same("lost", counts, SimulationResult::lost, each, one -> one.lost, tolerance);
        same("fullest", counts, one -> one.after().most(), each, PerClientSimulation::most, tolerance);
        same("peak", counts, SimulationResult::peakAccepts, each, one -> one.peakAccepts, tolerance);
        same("half back", counts, one -> one.back().half(), each, one -> one.halfBack, tolerance);
        same("99 % back", counts, one -> one.back().nearlyAll(), each, one -> one.nearlyAllBack, tolerance);
        same("all back", counts, one -> one.back().all(), each, one -> one.lastBack, tolerance);
        same("dead ends", counts, SimulationResult::deadEnds, each, one -> one.deadEnds, tolerance);
        same("refused", counts, SimulationResult::refused, each, one -> one.refused, tolerance);
    }

    private static void same(
            String what,
            SimulationResult[] counts,
            ToDoubleFunction<SimulationResult> ofCounts,
            PerClientSimulation[] each,
            ToDoubleFunction<PerClientSimulation> ofEach,
            double tolerance) {
        double exact = Arrays.stream(each).mapToDouble(ofEach).average().orElseThrow();
        double ours = Arrays.stream(counts).mapToDouble(ofCounts).average().orElseThrow();
        assertThat(ours).as(what).isCloseTo(exact, Offset.offset(exact * tolerance));
    }

    @Test
    void ampleLimitsAreNeverExceeded() {
        assertThat(Simulation.run(scenario(1_000, 3, 2, AMPLE, ReconnectPauses.spreadOver(0), 1))
                        .held())
                .isTrue();
    }
}
