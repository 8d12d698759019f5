package io.belfry.server;

import io.belfry.server.config.OtlpConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.monitor.OtlpExport;
import io.belfry.server.monitor.OtlpModule;
import io.belfry.server.trace.Tracer;
import io.belfry.server.turn.Clock;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The parts that {@code Otlp.Endpoint} adds to a server: the module found, and the tracer. Immutable. */
record OtlpParts(
        OtlpConfig config, OtlpModule module, @Nullable Tracer tracer) {
    /** Returns the parts, or null without the key. Throws if the module is missing. */
    static @Nullable OtlpParts of(ServerConfig config) throws IOException {
        OtlpConfig otlp = config.otlp().orElse(null);
        if (otlp == null) {
            return null;
        }
        Tracer tracer = otlp.traces()
                ? new Tracer(otlp.traceRatio(), otlp.spansWaiting(), Clock.SYSTEM::millis, Clock.SYSTEM::nanos)
                : null;
        return new OtlpParts(otlp, OtlpModule.find(), tracer);
    }

    static @Nullable Tracer tracerOf(@Nullable OtlpParts parts) {
        return parts == null ? null : parts.tracer;
    }

    static @Nullable OtlpExport exportOf(@Nullable OtlpParts parts, String node) {
        return parts == null ? null : parts.module.open(parts.config, node, Server.version(), parts.tracer);
    }
}
