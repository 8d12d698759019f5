package io.belfry.plan.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BinomialSamplerTest {
    private static final int DRAWS = 40_000;

    @ParameterizedTest
    @CsvSource({"5, 0.3", "40, 0.9", "100, 0.02", "100, 0.5", "1000, 0.011", "20000, 0.25", "1000000000, 0.0002"})
    void binomialNumbersHaveExpectedMeanAndVariance(long count, double p) {
        BinomialSampler sampler = new BinomialSampler(7);
        double sum = 0;
        double squares = 0;
        double mean = count * p;
        for (int i = 0; i < DRAWS; i++) {
            double off = sampler.binomial(count, p) - mean;
            sum += off;
            squares += off * off;
        }
        double variance = mean * (1 - p);
        assertThat(sum / DRAWS).as("mean").isCloseTo(0, within(4 * Math.sqrt(variance / DRAWS)));
        assertThat(squares / DRAWS / variance).as("variance").isCloseTo(1, within(0.05));
    }

    /** With rejection, each number has the expected frequency: chi squared over the likely numbers. */
    @ParameterizedTest
    @CsvSource({"60, 0.3", "200, 0.08"})
    void binomialNumbersHaveExpectedFrequencies(int count, double p) {
        BinomialSampler sampler = new BinomialSampler(11);
        int[] seen = new int[count + 1];
        for (int i = 0; i < DRAWS; i++) {
            seen[(int) sampler.binomial(count, p)]++;
        }
        double chance = Math.pow(1 - p, count);
        double chiSquared = 0;
        int kinds = 0;
        for (int k = 0; k <= count; k++) {
            double expected = DRAWS * chance;
            if (expected >= 10) {
                chiSquared += (seen[k] - expected) * (seen[k] - expected) / expected;
                kinds++;
            }
            chance *= p / (1 - p) * (count - k) / (k + 1);
        }
        assertThat(chiSquared / kinds).as("chi squared of %d kinds", kinds).isLessThan(1.8);
    }

    @Test
    void zeroAndCertainProbabilitiesAreExact() {
        BinomialSampler sampler = new BinomialSampler(1);
        assertThat(sampler.binomial(0, 0.5)).isZero();
        assertThat(sampler.binomial(9, 0)).isZero();
        assertThat(sampler.binomial(9, 1)).isEqualTo(9);
    }

    @Test
    void sharesAddUpAndFollowTheWeights() {
        BinomialSampler sampler = new BinomialSampler(3);
        double[] weights = {1, 2, 0, 5};
        for (long count : new long[] {3, 80_000}) {
            double[] sums = new double[weights.length];
            int rounds = (int) (400_000 / count);
            for (int round = 0; round < rounds; round++) {
                long[] shares = sampler.share(count, weights);
                assertThat(Arrays.stream(shares).sum()).isEqualTo(count);
                for (int i = 0; i < shares.length; i++) {
                    sums[i] += shares[i];
                }
            }
            double all = (double) rounds * count;
            for (int i = 0; i < weights.length; i++) {
                assertThat(sums[i] / all).as("share %d of %d", i, count).isCloseTo(weights[i] / 8, within(0.006));
            }
        }
    }
}
