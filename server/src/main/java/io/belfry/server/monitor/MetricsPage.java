package io.belfry.server.monitor;

import com.sun.net.httpserver.Headers;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import java.util.Optional;

/** Serves {@code /metrics}: every meter in Prometheus text format, or in OpenMetrics if requested. Immutable. */
record MetricsPage(PrometheusMeterRegistry registry) implements Page {
    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    @Override
    public Answer answer(Headers request) {
        boolean openMetrics = Optional.ofNullable(request.getFirst("Accept"))
                .filter(accept -> accept.contains("application/openmetrics-text"))
                .isPresent();
        String contentType = openMetrics ? OPEN_METRICS : TEXT;
        return new Answer(200, contentType, registry.scrape(contentType), Map.of());
    }
}
