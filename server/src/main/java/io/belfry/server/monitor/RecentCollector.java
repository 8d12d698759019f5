package io.belfry.server.monitor;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.List;
import java.util.function.Function;

/**
 * Exports percentiles of the last minute as a Prometheus summary, the only type with the label {@code quantile}. It has
 * no count or sum, because both must grow from the start on; the histogram exports them. Immutable.
 */
final class RecentCollector implements Collector {
    private static final double MICROS_PER_SECOND = 1e6;

    private final Metric metric;
    private final Sampler sampler;
    private final Function<Snapshot, List<Series>> series;

    /** Percentiles with their labels. */
    private record Series(Labels labels, Percentiles percentiles) {}

    private RecentCollector(Metric metric, Sampler sampler, Function<Snapshot, List<Series>> series) {
        this.metric = metric;
        this.sampler = sampler;
        this.series = series;
    }

    static RecentCollector latency(Sampler sampler) {
        return new RecentCollector(
                Metric.LATENCY_RECENT, sampler, snapshot -> List.of(new Series(Labels.EMPTY, snapshot.latency())));
    }

    /** Returns a collector of event loop lag for each workgroup. */
    static RecentCollector loopLag(Sampler sampler) {
        return new RecentCollector(
                Metric.LOOP_LAG_RECENT,
                sampler,
                snapshot -> snapshot.workgroups().stream()
                        .map(group -> new Series(Labels.of("workgroup", group.name()), group.lag()))
                        .toList());
    }

    @Override
    public MetricSnapshot collect() {
        SummarySnapshot.Builder summary = SummarySnapshot.builder()
                .name(metric.name().replace('.', '_') + "_seconds")
                .help(metric.sentence());
        for (Series each : series.apply(sampler.latest())) {
            summary.dataPoint(SummaryDataPointSnapshot.builder()
                    .labels(each.labels())
                    .quantiles(quantiles(each.percentiles()))
                    .build());
        }
        return summary.build();
    }

    private static Quantiles quantiles(Percentiles percentiles) {
        return Quantiles.builder()
                .quantile(0.5, percentiles.p50Micros() / MICROS_PER_SECOND)
                .quantile(0.9, percentiles.p90Micros() / MICROS_PER_SECOND)
                .quantile(0.99, percentiles.p99Micros() / MICROS_PER_SECOND)
                .quantile(0.999, percentiles.p999Micros() / MICROS_PER_SECOND)
                .quantile(1, percentiles.maxMicros() / MICROS_PER_SECOND)
                .build();
    }
}
