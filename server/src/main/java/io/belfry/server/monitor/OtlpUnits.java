package io.belfry.server.monitor;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sets the units of exported meters as OpenTelemetry writes them (UCUM): {@code By}, {@code s}, and braces around a word
 * for what is counted. Immutable.
 */
final class OtlpUnits implements MeterFilter {
    private static final Map<String, String> UCUM =
            Map.of("bytes", "By", "seconds", "s", "milliseconds", "ms", "microseconds", "us", "ns", "ns");

    private final Map<String, Metric> own =
            Metric.all().stream().collect(Collectors.toMap(Metric::name, Function.identity()));

    @Override
    public Meter.Id map(Meter.Id id) {
        Metric metric = own.get(id.getName());
        return id.withBaseUnit(ucum(metric == null ? id.getBaseUnit() : metric.unit()));
    }

    private static @Nullable String ucum(@Nullable String unit) {
        return unit == null || unit.equals("none") ? null : UCUM.getOrDefault(unit, "{" + unit + "}");
    }
}
