package io.belfry.plan.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How it went. Immutable.
 *
 * @param placed sessions a node before anything failed
 * @param after the same at the end, of the nodes that are left
 * @param lost sessions that lost their node
 * @param peakAccepts newcomers a second, of any node in any step, for a weight of 1
 * @param refused attempts that a full or busy node turned away
 * @param deadEnds attempts at nodes that were gone
 * @param tooQuick nodes that got more newcomers in a step than they take
 * @param tooFull nodes that were to hold more sessions than they can
 * @param away sessions that had not come back in the end
 */
public record Outcome(
        Fill placed,
        Fill after,
        long lost,
        double peakAccepts,
        long refused,
        long deadEnds,
        int tooQuick,
        int tooFull,
        long away,
        Back back,
        List<Moment> moments) {
    /** Sessions a node, for a weight of 1. */
    public record Fill(double least, double mean, double most) {}

    /** Seconds from the first failure until so many were back; infinite where they never were. */
    public record Back(double half, double nearlyAll, double all) {}

    /**
     * What was seen up to a time, since the moment before.
     *
     * @param away who has no node now
     */
    public record Moment(double seconds, long away, long back, long refused, double peakAccepts) {}

    public boolean held() {
        return tooQuick == 0 && tooFull == 0 && away == 0;
    }

    /** What did not hold, each a sentence. */
    public List<String> faults() {
        List<String> faults = new ArrayList<>();
        if (tooQuick > 0) {
            faults.add(format("%,d nodes got more newcomers at once than they take", tooQuick));
        }
        if (tooFull > 0) {
            faults.add(format("%,d nodes were to hold more sessions than they can", tooFull));
        }
        if (away > 0) {
            faults.add(format("%,d sessions did not come back", away));
        }
        return faults;
    }

    private static String format(String form, Object value) {
        return String.format(Locale.ROOT, form, value);
    }
}
