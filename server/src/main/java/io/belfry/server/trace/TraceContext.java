package io.belfry.server.trace;

/**
 * A span as the parent of further spans, by its ids, so that it can be passed between lanes. Immutable.
 *
 * @param traceHigh first 8 bytes of the trace id
 * @param traceLow last 8 bytes of the trace id
 * @param spanId id of the parent
 */
public record TraceContext(Tracer tracer, long traceHigh, long traceLow, long spanId) {
    /** Starts a span below this one. Any thread. */
    public TraceSpan start(String name, TraceSpan.Kind kind) {
        return tracer.start(name, kind, traceHigh, traceLow, spanId);
    }
}
