package io.belfry.server.monitor;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;

/**
 * Exports delivery latency as a Prometheus histogram, which can be added over nodes and used for alerts. Registered
 * with Prometheus directly, because a Micrometer timer would have to record each delivery a second time. Immutable.
 */
final class LatencyCollector implements Collector {
    private static final double MICROS_PER_SECOND = 1e6;

    private final Sampler sampler;

    LatencyCollector(Sampler sampler) {
        this.sampler = sampler;
    }

    @Override
    public MetricSnapshot collect() {
        LatencyBuckets latency = sampler.latest().latencyBuckets();
        return HistogramSnapshot.builder()
                .name(Metric.LATENCY.name().replace('.', '_') + "_seconds")
                .help(Metric.LATENCY.sentence())
                .dataPoint(HistogramDataPointSnapshot.builder()
                        .classicHistogramBuckets(buckets(latency))
                        .sum(latency.sumMicros() / MICROS_PER_SECOND)
                        .build())
                .build();
    }

    private static ClassicHistogramBuckets buckets(LatencyBuckets latency) {
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        List<Long> bounds = LatencyBuckets.BOUNDS_MICROS;
        long below = 0;
        for (int index = 0; index < bounds.size(); index++) {
            long atMost = latency.atMost().get(index);
            buckets.bucket(bounds.get(index) / MICROS_PER_SECOND, atMost - below);
            below = atMost;
        }
        return buckets.bucket(Double.POSITIVE_INFINITY, latency.count() - below).build();
    }
}
