package io.belfry.server.monitor;

import io.belfry.protocol.Code;
import io.belfry.server.counter.SlowSession;
import java.util.List;
import java.util.Map;

/**
 * All values that the monitor shows, read at one time. Immutable.
 *
 * @param takenAtNanos time of the sampler's clock, to compute rates between any two snapshots
 * @param rates rates over the last sampling interval
 * @param latency delivery latency of about the last minute
 * @param latencySinceStart delivery latency since the start
 * @param slowest sessions with the largest lag, in descending order
 * @param interval figures of the last sampling interval only
 */
public record Snapshot(
        long takenAtNanos,
        long uptimeMillis,
        Tally tally,
        CountsByCode counts,
        Rates rates,
        Percentiles latency,
        Percentiles latencySinceStart,
        LatencyBuckets latencyBuckets,
        List<SlowSession> slowest,
        List<WorkgroupFigures> workgroups,
        IntervalFigures interval) {
    public Snapshot {
        slowest = List.copyOf(slowest);
        workgroups = List.copyOf(workgroups);
    }

    /**
     * Counts since the start. A code that did not occur is absent. Immutable.
     *
     * @param refusals number of errors answered
     * @param closes number of connections and sessions closed
     * @param drops number of messages reported as not delivered
     * @param conflations number of messages replaced by a later one
     */
    public record CountsByCode(
            Map<Code, Long> refusals, Map<Code, Long> closes, Map<Code, Long> drops, Map<Code, Long> conflations) {
        /** No occurrence of any code. */
        public static final CountsByCode NONE = new CountsByCode(Map.of(), Map.of(), Map.of(), Map.of());

        public CountsByCode {
            refusals = Map.copyOf(refusals);
            closes = Map.copyOf(closes);
            drops = Map.copyOf(drops);
            conflations = Map.copyOf(conflations);
        }
    }

    /** Returns the maximum lag of a tick of any loop within the last minute. */
    public long loopLagMaxMicros() {
        return workgroups.stream()
                .mapToLong(workgroup -> workgroup.lag().maxMicros())
                .max()
                .orElse(0);
    }

    /** Returns the 99th percentile of loop lag in the workgroup with the largest one. */
    public long loopLagP99Micros() {
        return workgroups.stream()
                .mapToLong(workgroup -> workgroup.lag().p99Micros())
                .max()
                .orElse(0);
    }
}
