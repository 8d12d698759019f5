package io.belfry.benchkit.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    @Test
    void theDeviationIsThatOfTheTwoPassFormula() {
        double[] values = new SplittableRandom(3).doubles(10_000, 1e6, 1e6 + 10).toArray();
        Welford welford = new Welford();
        DoubleStream.of(values).forEach(welford::add);
        double mean = DoubleStream.of(values).average().orElseThrow();
        double squares =
                DoubleStream.of(values).map(v -> (v - mean) * (v - mean)).sum();
        assertThat(welford.mean()).isCloseTo(mean, within(1e-6));
        assertThat(welford.standardDeviation()).isCloseTo(Math.sqrt(squares / (values.length - 1)), within(1e-6));
    }

    @Test
    void theDeviationOfTwoValuesIsExact() {
        Welford welford = new Welford();
        welford.add(0);
        welford.add(10);
        assertThat(welford.standardDeviation()).isCloseTo(Math.sqrt(50), within(1e-9));
    }

    @Test
    void twoHalvesMergeIntoTheWhole() {
        SplittableRandom random = new SplittableRandom(4);
        Welford whole = new Welford();
        Welford first = new Welford();
        Welford second = new Welford();
        for (int i = 0; i < 1000; i++) {
            double value = random.nextDouble(100);
            whole.add(value);
            (i < 300 ? first : second).add(value);
        }
        first.add(second);
        assertThat(first.count()).isEqualTo(1000);
        assertThat(first.mean()).isCloseTo(whole.mean(), within(1e-9));
        assertThat(first.standardDeviation()).isCloseTo(whole.standardDeviation(), within(1e-9));
    }

    @Test
    void withoutValuesEveryFigureIsZero() {
        Latencies latencies = new Latencies();
        assertThat(latencies.minMillis()).isZero();
        assertThat(latencies.maxMillis()).isZero();
        assertThat(latencies.deviationMillis()).isZero();
        assertThat(latencies.percentileMillis(99)).isZero();
    }

    @Test
    void percentilesAreOfEveryMessage() {
        Latencies latencies = new Latencies();
        for (int i = 1; i <= 1000; i++) {
            latencies.record(i * 1_000_000L);
        }
        assertThat(latencies.percentileMillis(50)).isCloseTo(500, within(0.5));
        assertThat(latencies.percentileMillis(99.9)).isCloseTo(999, within(1.0));
        assertThat(latencies.percentileMillis(100)).isEqualTo(1000);
        assertThat(latencies.meanMillis()).isCloseTo(500.5, within(1e-9));
        assertThat(latencies.minMillis()).isEqualTo(1);
    }

    @Test
    void impossibleValuesAreCountedSeparately() {
        Latencies latencies = new Latencies();
        latencies.record(-5);
        latencies.record(2 * 3_600_000_000_000L);
        assertThat(latencies.count()).isEqualTo(2);
        assertThat(latencies.belowZero()).isEqualTo(1);
        assertThat(latencies.beyond()).isEqualTo(1);
        assertThat(latencies.maxMillis()).isEqualTo(7_200_000);
    }

    @Test
    void takenFiguresAddUp() {
        Figures sum = new Figures();
        for (int i = 0; i < 3; i++) {
            Figures taken = new Figures();
            taken.latencies().record(1_000_000);
            taken.counts().add(Count.MESSAGES);
            sum.add(taken);
        }
        assertThat(sum.latencies().count()).isEqualTo(3);
        assertThat(sum.latencies().percentileMillis(50)).isEqualTo(1);
        assertThat(sum.latencies().meanMillis()).isEqualTo(1);
        assertThat(sum.counts().of(Count.MESSAGES)).isEqualTo(3);
    }
}
