package io.belfry.plan.simulation;

import io.belfry.plan.input.Amounts;
import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Trouble;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/** The nodes of a client's list, each with the share of the clients it is to have. Immutable. */
public final class Weights {
    private static final long NODES_MOST = 1_000_000;

    private final double[] each;

    private Weights(double[] each) {
        this.each = each;
    }

    public static Weights of(double... each) {
        return new Weights(each.clone());
    }

    public static Weights equal(int nodes) {
        double[] each = new double[nodes];
        Arrays.fill(each, 1);
        return new Weights(each);
    }

    /** {@code 5000}, or {@code 4000,1000x2} for four thousand and a thousand that are twice the machine. */
    public static Weights read(String text) {
        double[] each = Arrays.stream(text.split(",", -1))
                .flatMapToDouble(Weights::group)
                .toArray();
        if (each.length > NODES_MOST) {
            throw new Nonsense(Trouble.BAD_VALUE, "--nodes are " + NODES_MOST + " at most");
        }
        return new Weights(each);
    }

    private static DoubleStream group(String text) {
        int times = text.indexOf('x');
        long count = Amounts.count("--nodes", times < 0 ? text : text.substring(0, times));
        double weight = times < 0 ? 1 : (double) Amounts.count("--nodes", text.substring(times + 1));
        return DoubleStream.generate(() -> weight).limit(Math.min(count, NODES_MOST + 1));
    }

    public int nodes() {
        return each.length;
    }

    double sum() {
        return Arrays.stream(each).sum();
    }

    double[] toArray() {
        return each.clone();
    }
}
