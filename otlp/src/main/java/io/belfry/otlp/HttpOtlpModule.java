package io.belfry.otlp;

import io.belfry.server.config.OtlpConfig;
import io.belfry.server.monitor.OtlpExport;
import io.belfry.server.monitor.OtlpModule;
import io.belfry.server.trace.Tracer;
import org.jspecify.annotations.Nullable;

/** The module that the server finds by its service file. Stateless. */
public final class HttpOtlpModule implements OtlpModule {
    @Override
    public OtlpExport open(OtlpConfig config, String node, String version, @Nullable Tracer tracer) {
        return HttpOtlpExport.open(config, new ExportResource(node, version), tracer);
    }
}
