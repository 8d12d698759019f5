package io.belfry.server.monitor;

import io.belfry.protocol.Code;
import io.belfry.server.counter.SlowSession;
import java.util.List;
import java.util.Map;

/**
 * Everything the monitor shows, read at one moment. Immutable.
 *
 * @param takenAtNanos on the sampler's clock, for rates between any two snapshots
 * @param refusals errors answered since the start, by code; every code is a key
 * @param closes connections and sessions closed since the start, by code; every code is a key
 * @param drops messages announced as not delivered since the start, by code; every code is a key
 * @param conflations messages replaced by a later one since the start, by code; every code is a key
 * @param rates over the last sampling interval
 * @param latency delivery latency of about the last minute
 * @param latencySinceStart delivery latency since the start
 * @param slowest the sessions that lag most, the worst first
 */
public record Snapshot(
        long takenAtNanos,
        long uptimeMillis,
        Tally tally,
        Map<Code, Long> refusals,
        Map<Code, Long> closes,
        Map<Code, Long> drops,
        Map<Code, Long> conflations,
        Rates rates,
        Percentiles latency,
        Percentiles latencySinceStart,
        LatencyBuckets latencyBuckets,
        List<SlowSession> slowest,
        List<WorkgroupFigures> workgroups) {
    public Snapshot {
        refusals = Map.copyOf(refusals);
        closes = Map.copyOf(closes);
        drops = Map.copyOf(drops);
        conflations = Map.copyOf(conflations);
        slowest = List.copyOf(slowest);
        workgroups = List.copyOf(workgroups);
    }

    /** The worst tick of any loop within the last minute. */
    public long loopLagMaxMicros() {
        return workgroups.stream()
                .mapToLong(workgroup -> workgroup.lag().maxMicros())
                .max()
                .orElse(0);
    }

    /** The 99th percentile of the workgroup that lags most. */
    public long loopLagP99Micros() {
        return workgroups.stream()
                .mapToLong(workgroup -> workgroup.lag().p99Micros())
                .max()
                .orElse(0);
    }
}
