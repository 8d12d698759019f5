package io.belfry.server.monitor;

import io.belfry.server.trace.Tracer;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/** A running export by OTLP. */
public interface OtlpExport extends AutoCloseable {
    /** Returns the registry whose meters are exported. */
    MeterRegistry registry();

    /** Returns the source of the exported spans; null if calls are not traced. */
    @Nullable
    Tracer tracer();

    /** Returns the number of requests that the receiver did not accept since the start. Any thread. */
    long failures();

    /** Exports what is left, within a short time, and ends the threads. */
    @Override
    void close();
}
