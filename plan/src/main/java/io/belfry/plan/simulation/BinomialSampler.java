package io.belfry.plan.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Draws binomial random numbers and distributes counts by weight. Owner: the simulation.
 *
 * <p>Uses inversion for a small mean, otherwise Hörmann's transformed rejection (BTRS, "The generation of binomial random
 * variates", 1993), which is exact and whose run time does not depend on the count.
 */
final class BinomialSampler {
    private static final double SMALL_MEAN = 10;

    private final SplittableRandom random;

    BinomialSampler(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Returns a uniform number from 0 to below the bound. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    /** Returns how many of {@code count} independent trials succeed. */
    long binomial(long count, double probability) {
        if (count <= 0 || probability <= 0) {
            return 0;
        }
        if (probability >= 1) {
            return count;
        }
        if (probability > 0.5) {
            return count - binomial(count, 1 - probability);
        }
        return count * probability < SMALL_MEAN ? byInversion(count, probability) : byRejection(count, probability);
    }

    private long byInversion(long count, double p) {
        double odds = p / (1 - p);
        double term = Math.exp(count * Math.log1p(-p));
        double left = random.nextDouble();
        long k = 0;
        while (left > term && k < count) {
            left -= term;
            term *= odds * (count - k) / (k + 1);
            k++;
        }
        return k;
    }

    /** Uses the names of the paper. */
    private long byRejection(long n, double p) {
        double spread = Math.sqrt(n * p * (1 - p));
        double b = 1.15 + 2.53 * spread;
        double a = -0.0873 + 0.0248 * b + 0.01 * p;
        double c = n * p + 0.5;
        double vr = 0.92 - 4.2 / b;
        double alpha = (2.83 + 5.1 / b) * spread;
        double m = Math.floor((n + 1) * p);
        while (true) {
            double u = random.nextDouble() - 0.5;
            double v = random.nextDouble();
            double us = 0.5 - Math.abs(u);
            double k = Math.floor((2 * a / us + b) * u + c);
            if (us >= 0.07 && v <= vr) {
                return (long) k;
            }
            if (k >= 0 && k <= n && Math.log(v * alpha / (a / (us * us) + b)) <= bound((double) n, p / (1 - p), m, k)) {
                return (long) k;
            }
        }
    }

    /** Returns the logarithm of the probability of {@code k} relative to that of the mode {@code m}. */
    private static double bound(double n, double odds, double m, double k) {
        return (m + 0.5) * Math.log((m + 1) / (odds * (n - m + 1)))
                + (n + 1) * Math.log((n - m + 1) / (n - k + 1))
                + (k + 0.5) * Math.log(odds * (n - k + 1) / (k + 1))
                + stirling(m)
                + stirling(n - m)
                - stirling(k)
                - stirling(n - k);
    }

    private static final double[] STIRLING = {
        0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509, 0.01664469118982119,
        0.01387612882307075, 0.01189670994589177, 0.01041126526197209, 0.009255462182712733, 0.00833056343336287
    };

    /** Returns the error of Stirling's formula for {@code ln k!}. */
    private static double stirling(double k) {
        if (k < STIRLING.length) {
            return STIRLING[(int) k];
        }
        double next = k + 1;
        double square = next * next;
        return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / next;
    }

    /** Assigns each of {@code count} to an index by weight; returns the count of each index. */
    long[] share(long count, double[] weights) {
        return count < weights.length ? oneByOne(count, weights) : byBinomials(count, weights);
    }

    private long[] byBinomials(long count, double[] weights) {
        double weightLeft = Arrays.stream(weights).sum();
        long[] shares = new long[weights.length];
        long left = count;
        for (int i = 0; i < weights.length && left > 0; i++) {
            shares[i] = i == weights.length - 1 ? left : binomial(left, Math.min(1, weights[i] / weightLeft));
            left -= shares[i];
            weightLeft -= weights[i];
        }
        return shares;
    }

    private long[] oneByOne(long count, double[] weights) {
        double[] upTo = weights.clone();
        Arrays.parallelPrefix(upTo, Double::sum);
        long[] shares = new long[weights.length];
        for (long i = 0; i < count; i++) {
            int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
            shares[Math.min(weights.length - 1, found < 0 ? -found - 1 : found + 1)]++;
        }
        return shares;
    }
}
