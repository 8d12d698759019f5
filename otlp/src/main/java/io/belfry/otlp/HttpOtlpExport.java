package io.belfry.otlp;

import io.belfry.server.config.OtlpConfig;
import io.belfry.server.monitor.OtlpExport;
import io.belfry.server.trace.Tracer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The export of one server: a registry with its thread, and the thread of the spans. Any thread. */
final class HttpOtlpExport implements OtlpExport {
    private final OtlpSender sender;
    private final OtlpMeterRegistry registry;
    private final @Nullable SpanExporter spans;
    private final @Nullable Tracer tracer;

    private HttpOtlpExport(
            OtlpSender sender, OtlpMeterRegistry registry, @Nullable SpanExporter spans, @Nullable Tracer tracer) {
        this.sender = sender;
        this.registry = registry;
        this.spans = spans;
        this.tracer = tracer;
    }

    static HttpOtlpExport open(OtlpConfig config, ExportResource resource, @Nullable Tracer tracer) {
        OtlpSender sender = new OtlpSender(config, resource.version());
        OtlpMeterRegistry registry = OtlpMeterRegistry.builder(new Settings(config, resource))
                .threadFactory(task -> daemon(task, "belfry-otlp-metrics"))
                .metricsSender(request -> sender.send("metrics", request.getMetricsData()))
                .build();
        SpanExporter spans = tracer == null ? null : new SpanExporter(tracer, resource, sender);
        if (spans != null) {
            spans.start();
        }
        return new HttpOtlpExport(sender, registry, spans, tracer);
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public MeterRegistry registry() {
        return registry;
    }

    @Override
    public @Nullable Tracer tracer() {
        return tracer;
    }

    @Override
    public long failures() {
        return sender.failures();
    }

    /** Exports the metrics and the spans once more. A receiver that does not answer delays this by one second. */
    @Override
    public void close() {
        sender.hurry();
        if (spans != null) {
            spans.close();
        }
        registry.close();
        sender.close();
    }

    /** The server's settings as Micrometer reads them. */
    private record Settings(OtlpConfig config, ExportResource resource)
            implements io.micrometer.registry.otlp.OtlpConfig {
        @Override
        public @Nullable String get(String key) {
            return null;
        }

        @Override
        public String url() {
            return config.urlOf("metrics").toString();
        }

        @Override
        public Duration step() {
            return Duration.ofMillis(config.intervalMillis());
        }

        @Override
        public Map<String, String> headers() {
            return Map.of();
        }

        @Override
        public Map<String, String> resourceAttributes() {
            return resource.attributes();
        }

        /** Seconds, as on {@code /metrics}. */
        @Override
        public TimeUnit baseTimeUnit() {
            return TimeUnit.SECONDS;
        }
    }
}
