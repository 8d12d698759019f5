package io.belfry.server.monitor;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.monitor.Snapshot.CountsByCode;
import io.belfry.server.trace.Tracer;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Registers all meters of the process and of the server. All of them read the sampler's latest snapshot. A scrape is
 * therefore consistent and causes no work on the event loops. Immutable except for a listener that {@link #close}
 * removes.
 */
final class Meters implements AutoCloseable {
    private static final Map<String, ToLongFunction<Percentiles>> QUANTILES = Map.of(
            "0.5", Percentiles::p50Micros,
            "0.9", Percentiles::p90Micros,
            "0.99", Percentiles::p99Micros,
            "0.999", Percentiles::p999Micros,
            "1", Percentiles::maxMicros);

    private final MeterRegistry registry;
    private final Sampler sampler;
    private final JvmGcMetrics gc = new JvmGcMetrics();

    Meters(MeterRegistry registry, Sampler sampler) {
        this.registry = registry;
        this.sampler = sampler;
    }

    void register(Monitored monitored, LongSupplier denied) {
        process();
        server();
        int workgroups = sampler.latest().workgroups().size();
        for (int index = 0; index < workgroups; index++) {
            workgroup(index);
        }
        gauge(Metric.BUILD, Tags.of("version", monitored.version(), "node", monitored.node()), snapshot -> 1);
        gauge(Metric.READY, Tags.empty(), snapshot -> monitored.health().ready() instanceof Health.State.Well ? 1 : 0);
        counter(Metric.MONITOR_DENIED, Tags.empty(), snapshot -> denied.getAsLong());
        monitored.encryption().ifPresent(this::register);
        monitored.cluster().ifPresent(this::register);
    }

    private void register(Encryption encryption) {
        gauge(
                Metric.CERTIFICATE_EXPIRES,
                Tags.empty(),
                snapshot -> encryption.certificateExpires().get().getEpochSecond());
    }

    private void register(ClusterView cluster) {
        for (int each = 0; each < cluster.partitions().size(); each++) {
            int partition = each;
            gauge(
                    Metric.CLUSTER_PARTITION_LAG,
                    Tags.of("partition", cluster.partitions().get(partition)),
                    snapshot -> cluster.lag().applyAsLong(partition));
        }
    }

    private void process() {
        new JvmMemoryMetrics().bindTo(registry);
        gc.bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    private void server() {
        for (Counter counter : Counter.values()) {
            if (!Metric.BY_CODE.contains(counter)) {
                value(counter, Metric.of(counter), Tags.empty(), Snapshot::tally);
            }
        }
        gauge(
                Metric.SESSIONS_CONNECTED,
                Tags.empty(),
                snapshot -> snapshot.tally().connectedSessions());
        byCode(Metric.REFUSALS, CountsByCode::refusals);
        byCode(Metric.CLOSES, CountsByCode::closes);
        byCode(Metric.DROPS, CountsByCode::drops);
        byCode(Metric.CONFLATIONS, CountsByCode::conflations);
        quantiles(Metric.LATENCY_RECENT, Tags.empty(), Snapshot::latency);
    }

    private void byCode(Metric metric, Function<CountsByCode, Map<Code, Long>> counts) {
        for (Code code : Code.values()) {
            counter(
                    metric,
                    Tags.of("code", code.text()),
                    snapshot -> counts.apply(snapshot.counts()).getOrDefault(code, 0L));
        }
    }

    private void workgroup(int index) {
        Function<Snapshot, WorkgroupFigures> workgroup =
                snapshot -> snapshot.workgroups().get(index);
        Tags tags = Tags.of("workgroup", workgroup.apply(sampler.latest()).name());
        for (Counter counter : Metric.BY_WORKGROUP) {
            value(counter, Metric.byWorkgroup(counter), tags, workgroup.andThen(WorkgroupFigures::tally));
        }
        gauge(
                Metric.WORKGROUP_SESSIONS,
                tags,
                snapshot -> workgroup.apply(snapshot).tally().connectedSessions());
        quantiles(Metric.LOOP_LAG_RECENT, tags, workgroup.andThen(WorkgroupFigures::lag));
    }

    private void value(Counter counter, Metric metric, Tags tags, Function<Snapshot, Tally> tally) {
        ToDoubleFunction<Snapshot> value = snapshot -> tally.apply(snapshot).value(counter);
        switch (counter.kind()) {
            case COUNT -> counter(metric, tags, value);
            case LEVEL -> gauge(metric, tags, value);
        }
    }

    // The registries hold the sampler weakly; the monitor holds a strong reference while the registries exist.

    private void counter(Metric metric, Tags tags, ToDoubleFunction<Snapshot> value) {
        FunctionCounter.builder(metric.name(), sampler, source -> value.applyAsDouble(source.latest()))
                .description(metric.sentence())
                .tags(tags)
                .register(registry);
    }

    private void gauge(Metric metric, Tags tags, ToDoubleFunction<Snapshot> value) {
        Gauge.builder(metric.name(), sampler, source -> value.applyAsDouble(source.latest()))
                .description(metric.sentence())
                .tags(tags)
                .register(registry);
    }

    private void quantiles(Metric metric, Tags tags, Function<Snapshot, Percentiles> percentiles) {
        QUANTILES.forEach((quantile, micros) -> TimeGauge.builder(
                        metric.name(),
                        sampler,
                        TimeUnit.MICROSECONDS,
                        source -> micros.applyAsLong(percentiles.apply(source.latest())))
                .description(metric.sentence())
                .tags(tags.and("quantile", quantile))
                .register(registry));
    }

    /** Registers the meters of an export, whose values change at any time. */
    static void registerExport(MeterRegistry registry, OtlpExport export) {
        count(registry, Metric.OTLP_FAILURES, export, OtlpExport::failures);
        Tracer tracer = export.tracer();
        if (tracer != null) {
            count(registry, Metric.TRACE_SPANS, tracer, Tracer::ended);
            count(registry, Metric.TRACE_SPANS_DROPPED, tracer, Tracer::dropped);
        }
    }

    private static <T> void count(MeterRegistry registry, Metric metric, T source, ToDoubleFunction<T> value) {
        FunctionCounter.builder(metric.name(), source, value)
                .description(metric.sentence())
                .register(registry);
    }

    @Override
    public void close() {
        gc.close();
    }
}
