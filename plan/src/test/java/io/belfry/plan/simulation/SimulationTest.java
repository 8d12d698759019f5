package io.belfry.plan.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.belfry.client.ReconnectPolicy;
import io.belfry.plan.simulation.Scenario.Ending;
import io.belfry.plan.simulation.Scenario.Limits;
import io.belfry.plan.simulation.Scenario.Times;
import java.util.Arrays;
import java.util.function.ToDoubleFunction;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final Pauses CLIENTS = Pauses.of(ReconnectPolicy.DEFAULT);
    private static final Limits AMPLE = new Limits(Long.MAX_VALUE / 1_000_000, 1e9);

    private static Scenario scenario(long sessions, int nodes, int failing, Limits limits, Pauses pauses, long seed) {
        return scenario(sessions, Weights.equal(nodes), failing, Ending.KILL, limits, pauses, seed);
    }

    private static Scenario scenario(
            long sessions, Weights weights, int failing, Ending ending, Limits limits, Pauses pauses, long seed) {
        return new Scenario(sessions, weights, failing, 1, 30, ending, 20, pauses, limits, Times.DEFAULT, seed);
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
    void theSameSeedIsTheSameRun() {
        Scenario scenario = scenario(1_000_000, 50, 3, new Limits(30_000, 5_000), CLIENTS, 5);
        assertThat(Simulation.run(scenario)).isEqualTo(Simulation.run(scenario));
    }

    @Test
    void aBillionSessionsComeBackWithinSeconds() {
        Outcome outcome = Simulation.run(scenario(1_000_000_000, 5_000, 50, new Limits(210_000, 30_000), CLIENTS, 1));
        assertThat(outcome.faults()).isEmpty();
        assertThat(outcome.lost()).isBetween(9_900_000L, 10_100_000L);
        assertThat(outcome.after().mean() * 4_950).isCloseTo(1e9, within(1.0));
        assertThat(outcome.back().all()).isBetween(0.5, 5.0);
    }

    @Test
    void aHerdWithoutJitterIsTooMuchWhereTheSameWithJitterIsNot() {
        Limits limits = new Limits(300_000, 60_000);
        assertThat(Simulation.run(scenario(1_000_000_000, 5_000, 500, limits, CLIENTS, 2))
                        .faults())
                .isEmpty();
        Outcome herd = Simulation.run(scenario(1_000_000_000, 5_000, 500, limits, Pauses.spreadOver(0), 2));
        assertThat(herd.held()).isFalse();
        assertThat(herd.tooQuick()).isEqualTo(4_500);
        assertThat(herd.refused()).isPositive();
    }

    @Test
    void nodesWithoutHeadRoomAreExceeded() {
        Outcome outcome = Simulation.run(scenario(1_000_000, 10, 2, new Limits(110_000, 1e6), CLIENTS, 3));
        assertThat(outcome.held()).isFalse();
        assertThat(outcome.tooFull()).isEqualTo(8);
        assertThat(outcome.away())
                .as("eight times 110,000 have no room for a million")
                .isEqualTo(120_000);
    }

    @Test
    void aNodeOfTwiceTheWeightHoldsTwiceAsMany() {
        Weights weights = Weights.of(1, 1, 2, 4, 1, 1);
        Outcome outcome =
                Simulation.run(scenario(1_000_000, weights, 1, Ending.KILL, new Limits(150_000, 1e6), CLIENTS, 4));
        assertThat(outcome.placed().mean()).isEqualTo(100_000);
        assertThat(outcome.placed().most()).isCloseTo(100_000, within(1_200.0));
        assertThat(outcome.held()).isTrue();
    }

    @Test
    void aNodeThatDrainsSendsItsSessionsAwayEvenly() {
        Outcome drained = Simulation.run(
                scenario(1_000_000, Weights.equal(20), 1, Ending.DRAIN, new Limits(60_000, 1e6), CLIENTS, 6));
        assertThat(drained.held()).isTrue();
        assertThat(drained.back().all()).isBetween(20.0, 22.0);
        assertThat(drained.back().half()).isCloseTo(10.5, within(0.6));
        // 50,000 over 20 s to 19 nodes; what comes in a tenth of a second is a dozen, give or take.
        assertThat(drained.peakAccepts()).isLessThan(450);
    }

    @Test
    void aMachineThatIsGoneWithoutAWordIsNoticedAfterOneToTwoPings() {
        Outcome silent = Simulation.run(
                scenario(1_000_000, Weights.equal(20), 1, Ending.SILENT, new Limits(60_000, 1e6), CLIENTS, 6));
        assertThat(silent.back().half()).isCloseTo(37.7, within(1.0));
        assertThat(silent.back().all()).isBetween(49.0, 52.0);
        assertThat(silent.held()).isTrue();
    }

    @Test
    void wavesAreKeptApart() {
        Scenario waves = new Scenario(
                1_000_000,
                Weights.equal(20),
                4,
                2,
                30,
                Ending.KILL,
                20,
                CLIENTS,
                new Limits(80_000, 1e6),
                Times.DEFAULT,
                8);
        Outcome outcome = Simulation.run(waves);
        assertThat(outcome.held()).isTrue();
        assertThat(outcome.back().all()).isBetween(30.0, 33.0);
        assertThat(outcome.lost()).isCloseTo(200_000 + 100_000 / 9, within(2_500L));
    }

    @Test
    void countsDoWhatEveryClientByItselfWouldDo() {
        compare(new Limits(2_000, 1e6), 0.04);
    }

    /** One in nine is refused at first, and comes back with the others five seconds later. */
    @Test
    void countsDoTheSameWhereNewcomersAreRefused() {
        compare(new Limits(2_000, 200), 0.07);
    }

    private static void compare(Limits limits, double tolerance) {
        int clients = 40_000;
        int rounds = 40;
        Outcome[] counts = new Outcome[rounds];
        OneByOne[] each = new OneByOne[rounds];
        for (int seed = 0; seed < rounds; seed++) {
            counts[seed] = Simulation.run(scenario(clients, Weights.equal(40), 4, Ending.KILL, limits, CLIENTS, seed));
            each[seed] = new OneByOne(clients, Weights.equal(40), 4, limits, Times.DEFAULT.retryAfterSeconds(), seed);
            each[seed].run();
        }
        same("lost", counts, Outcome::lost, each, one -> one.lost, tolerance);
        same("fullest", counts, one -> one.after().most(), each, OneByOne::most, tolerance);
        same("peak", counts, Outcome::peakAccepts, each, one -> one.peakAccepts, tolerance);
        same("half back", counts, one -> one.back().half(), each, one -> one.halfBack, tolerance);
        same("99 % back", counts, one -> one.back().nearlyAll(), each, one -> one.nearlyAllBack, tolerance);
        same("all back", counts, one -> one.back().all(), each, one -> one.lastBack, tolerance);
        same("dead ends", counts, Outcome::deadEnds, each, one -> one.deadEnds, tolerance);
        same("refused", counts, Outcome::refused, each, one -> one.refused, tolerance);
    }

    private static void same(
            String what,
            Outcome[] counts,
            ToDoubleFunction<Outcome> ofCounts,
            OneByOne[] each,
            ToDoubleFunction<OneByOne> ofEach,
            double tolerance) {
        double exact = Arrays.stream(each).mapToDouble(ofEach).average().orElseThrow();
        double ours = Arrays.stream(counts).mapToDouble(ofCounts).average().orElseThrow();
        assertThat(ours).as(what).isCloseTo(exact, Offset.offset(exact * tolerance));
    }

    @Test
    void ampleLimitsAreNeverExceeded() {
        assertThat(Simulation.run(scenario(1_000, 3, 2, AMPLE, Pauses.spreadOver(0), 1))
                        .held())
                .isTrue();
    }
}
