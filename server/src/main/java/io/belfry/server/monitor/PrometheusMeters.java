package io.belfry.server.monitor;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.ManagementFactory;
import java.util.Set;

/**
 * Creates the registry of {@code /metrics}. Replaces those of Micrometer's meters that {@code promtool check metrics}
 * rejects: gauges with a label {@code quantile} become summaries, nanoseconds become seconds, and a gauge with a
 * histogram's suffix gets another name. JMX keeps Micrometer's meters. Pure.
 */
final class PrometheusMeters {
    private static final String CPU_TIME = "process.cpu.time";
    private static final String CPU_COUNT = "system.cpu.count";
    private static final double NANOS_PER_SECOND = 1e9;

    private static final Set<String> REPLACED =
            Set.of(CPU_TIME, Metric.LATENCY_RECENT.name(), Metric.LOOP_LAG_RECENT.name());

    private PrometheusMeters() {}

    static PrometheusMeterRegistry registry(Sampler sampler) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.config()
                .meterFilter(MeterFilter.deny(id -> REPLACED.contains(id.getName())))
                .meterFilter(withoutSuffixOfHistograms());
        registry.getPrometheusRegistry().register(new LatencyCollector(sampler));
        registry.getPrometheusRegistry().register(RecentCollector.latency(sampler));
        registry.getPrometheusRegistry().register(RecentCollector.loopLag(sampler));
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            FunctionCounter.builder("process.cpu", system, bean -> bean.getProcessCpuTime() / NANOS_PER_SECOND)
                    .baseUnit("seconds")
                    .description("CPU time used by all threads of the process.")
                    .register(registry);
        }
        return registry;
    }

    private static MeterFilter withoutSuffixOfHistograms() {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                return id.getName().equals(CPU_COUNT) ? id.withName("system.cpus") : id;
            }
        };
    }
}
