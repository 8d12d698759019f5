package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyBucketsTest {
    private final Histogram latencies = new Histogram(1, 3_600_000_000L, 3);

    @Test
    void eachBucketCountsAllValuesUpToItsBound() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            latencies.recordValue((long) Math.exp(17 * random.nextDouble()));
        }
        LatencyBuckets.BOUNDS_MICROS.forEach(latencies::recordValue);

        List<Long> wanted = LatencyBuckets.BOUNDS_MICROS.stream()
                .map(bound -> latencies.getCountBetweenValues(0, bound))
                .toList();
        assertThat(LatencyBuckets.of(latencies, 0).atMost()).isEqualTo(wanted);
    }

    @Test
    void withoutValuesAllBucketsAreEmpty() {
        assertThat(LatencyBuckets.of(latencies, 0).atMost()).hasSize(16).containsOnly(0L);
    }
}
