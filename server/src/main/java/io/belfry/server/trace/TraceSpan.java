package io.belfry.server.trace;

import org.jspecify.annotations.Nullable;

/**
 * One timed operation of a traced call. It is queued for export when it ends, and dropped if it never ends. Owner: one
 * thread at a time; after {@link #end} it does not change.
 */
public final class TraceSpan {
    /** The role of the operation. */
    public enum Kind {
        /** The server's work for a call of a client. */
        SERVER,
        /** Work within this process. */
        INTERNAL,
        /** A message passed to a broker. */
        PRODUCER
    }

    private final Tracer tracer;
    private final String name;
    private final Kind kind;
    private final long traceHigh;
    private final long traceLow;
    private final long spanId;
    private final long parentId;
    private final long startNanos;
    private long endNanos;
    private int status;
    private @Nullable String code;
    private boolean ended;

    TraceSpan(Tracer tracer, String name, Kind kind, long traceHigh, long traceLow, long spanId, long parentId) {
        this.tracer = tracer;
        this.name = name;
        this.kind = kind;
        this.traceHigh = traceHigh;
        this.traceLow = traceLow;
        this.spanId = spanId;
        this.parentId = parentId;
        startNanos = tracer.nowNanos();
    }

    /** Returns this span as the parent of others. */
    public TraceContext context() {
        return new TraceContext(tracer, traceHigh, traceLow, spanId);
    }

    /** Sets the status of an HTTP answer. */
    public void status(int httpStatus) {
        status = httpStatus;
    }

    /** Sets the status of an HTTP answer that is an error with a reason code. */
    public void refused(int httpStatus, String reasonCode) {
        status = httpStatus;
        code = reasonCode;
    }

    /** Ends the span and queues it for export; has no effect the second time. Never waits. */
    public void end() {
        if (!ended) {
            ended = true;
            endNanos = tracer.nowNanos();
            tracer.add(this);
        }
    }

    public String name() {
        return name;
    }

    public Kind kind() {
        return kind;
    }

    public long traceHigh() {
        return traceHigh;
    }

    public long traceLow() {
        return traceLow;
    }

    public long spanId() {
        return spanId;
    }

    /** Returns the id of the parent; 0 for the first span of a trace. */
    public long parentId() {
        return parentId;
    }

    /** Returns the start in nanoseconds since 1970. */
    public long startNanos() {
        return startNanos;
    }

    /** Returns the end in nanoseconds since 1970. */
    public long endNanos() {
        return endNanos;
    }

    /** Returns the status of the HTTP answer; 0 for a span without one. */
    public int status() {
        return status;
    }

    /** Returns the reason code of an error that was answered, or null. */
    public @Nullable String code() {
        return code;
    }
}
