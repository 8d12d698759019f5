package io.belfry.server.trace;

/**
 * The ids of a span that is the parent of other spans. They can be passed between lanes. Immutable.
 *
 * @param traceHigh first 8 bytes of the trace id
 * @param traceLow last 8 bytes of the trace id
 * @param spanId id of the parent
 */
public record TraceContext(Tracer tracer, long traceHigh, long traceLow, long spanId) {
    /** Starts a child of this span. Any thread. */
    public TraceSpan start(String name, TraceSpan.Kind kind) {
        return tracer.start(name, kind, traceHigh, traceLow, spanId);
    }
}
