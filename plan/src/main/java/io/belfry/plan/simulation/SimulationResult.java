package io.belfry.plan.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The result of a simulation. Immutable.
 *
 * @param placed sessions per node before any failure
 * @param after sessions per remaining node at the end
 * @param lost sessions that lost their node
 * @param deadEnds attempts at nodes that had failed
 * @param overAccepts nodes that got more new sessions in a step than their limit
 * @param overSessions nodes that would have exceeded their session limit
 * @param moments of the run; the last one is its end
 */
public record SimulationResult(
        Fill placed,
        Fill after,
        long lost,
        long deadEnds,
        int overAccepts,
        int overSessions,
        Back back,
        List<Moment> moments) {
    /** Sessions per node, for weight 1. */
    public record Fill(double least, double mean, double most) {}

    /** Seconds from the first failure until this share of sessions had reconnected; infinite if they never did. */
    public record Back(double half, double nearlyAll, double all) {}

    /**
     * The state at a time, with counts since the previous moment.
     *
     * @param away sessions without a node
     * @param peakAcceptsPerSecond maximum new sessions per second of any node in any step, for weight 1
     */
    public record Moment(double second, long away, long back, long refused, double peakAcceptsPerSecond) {}

    /** Returns the maximum new sessions per second of any node in any step, for weight 1. */
    public double peakAccepts() {
        return moments.stream().mapToDouble(Moment::peakAcceptsPerSecond).max().orElse(0);
    }

    /** Returns the attempts that a full or busy node refused. */
    public long refused() {
        return moments.stream().mapToLong(Moment::refused).sum();
    }

    /** Returns the sessions without a node at the end. */
    public long away() {
        return moments.getLast().away();
    }

    /** Returns whether no limit was exceeded and all sessions reconnected. */
    public boolean held() {
        return faults().isEmpty();
    }

    /** Returns what did not hold, one sentence each. */
    public List<String> faults() {
        List<String> faults = new ArrayList<>();
        addIf(overAccepts, "%,d nodes got more new sessions at once than their limit", faults);
        addIf(overSessions, "%,d nodes would have exceeded their session limit", faults);
        addIf(away(), "%,d sessions did not reconnect", faults);
        return faults;
    }

    private static void addIf(long count, String format, List<String> faults) {
        if (count > 0) {
            faults.add(String.format(Locale.ROOT, format, count));
        }
    }
}
