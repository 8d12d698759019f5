package io.belfry.plan.simulation;

import io.belfry.plan.model.PlanError;
import io.belfry.plan.model.Unit;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/** The nodes in a client's server list, with their weights. Immutable. */
public final class NodeWeights {
    private static final long NODES_MAX = 1_000_000;

    private final double[] each;

    private NodeWeights(double[] each) {
        this.each = each;
    }

    /** Parses {@code 5000}, or {@code 4000,1000x2} for 4,000 nodes and 1,000 with twice the capacity. */
    public static NodeWeights parse(String name, String text) {
        double[] each = Arrays.stream(text.split(",", -1))
                .flatMapToDouble(group -> group(name, group))
                .toArray();
        if (each.length > NODES_MAX) {
            throw PlanError.badValue(name, "must be " + NODES_MAX + " at most", text);
        }
        return new NodeWeights(each);
    }

    private static DoubleStream group(String name, String text) {
        String[] parts = text.split("x", 2);
        double count = Unit.COUNT.parse(name, parts[0]);
        double weight = parts.length < 2 ? 1 : Unit.COUNT.parse(name, parts[1]);
        return DoubleStream.generate(() -> weight).limit((long) Math.min(count, NODES_MAX + 1));
    }

    /** Returns the number of nodes. */
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
