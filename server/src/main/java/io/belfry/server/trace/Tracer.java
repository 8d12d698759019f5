package io.belfry.server.trace;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which calls are traced, and queues ended spans for the exporter. The queue is bounded: if it
 * is full, a span is dropped and counted. Any thread; no method waits.
 */
public final class Tracer {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final double ratio;
    private final int waitingMax;
    private final LongSupplier millis;
    private final LongSupplier nanos;
    private final Queue<TraceSpan> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final LongAdder ended = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    /** Difference between the wall clock, which is adjusted, and the monotonic clock; read again at each export. */
    private volatile long offsetNanos;

    /**
     * Creates a tracer.
     *
     * @param ratio share of the calls without a valid traceparent that begin a trace, from 0 to 1
     * @param waitingMax maximum number of ended spans that wait for the exporter
     * @param millis the wall clock, in milliseconds since 1970
     * @param nanos a monotonic clock
     */
    public Tracer(double ratio, int waitingMax, LongSupplier millis, LongSupplier nanos) {
        this.ratio = ratio;
        this.waitingMax = waitingMax;
        this.millis = millis;
        this.nanos = nanos;
        adjustClock();
    }

    private void adjustClock() {
        offsetNanos = millis.getAsLong() * NANOS_PER_MILLI - nanos.getAsLong();
    }

    long nowNanos() {
        return nanos.getAsLong() + offsetNanos;
    }

    /**
     * Starts the span of a call, or returns null if the call is not traced. With a valid traceparent the caller's flag
     * decides whether the call is traced; without one a random sample of the calls is traced.
     *
     * @param parent the call's traceparent; null if it has none or an invalid one
     */
    public @Nullable TraceSpan call(String name, @Nullable TraceParent parent) {
        if (parent != null) {
            return parent.sampled()
                    ? start(name, TraceSpan.Kind.SERVER, parent.traceHigh(), parent.traceLow(), parent.spanId())
                    : null;
        }
        if (ratio == 0 || ThreadLocalRandom.current().nextDouble() >= ratio) {
            return null;
        }
        return start(name, TraceSpan.Kind.SERVER, newId(), newId(), 0);
    }

    /** Returns the context of a span of this server, from the ids that another lane has passed. */
    public TraceContext context(long traceHigh, long traceLow, long spanId) {
        return new TraceContext(this, traceHigh, traceLow, spanId);
    }

    TraceSpan start(String name, TraceSpan.Kind kind, long traceHigh, long traceLow, long parentId) {
        return new TraceSpan(this, name, kind, traceHigh, traceLow, newId(), parentId);
    }

    /** Returns a random id that is not 0, which would be invalid. */
    private static long newId() {
        long id = ThreadLocalRandom.current().nextLong();
        return id == 0 ? 1 : id;
    }

    void add(TraceSpan span) {
        ended.increment();
        if (waiting.incrementAndGet() > waitingMax) {
            waiting.decrementAndGet();
            dropped.increment();
        } else {
            queue.add(span);
        }
    }

    /** Moves up to {@code max} spans from the queue; called by the exporter's thread only. */
    public void drainTo(Collection<TraceSpan> into, int max) {
        adjustClock();
        for (int count = 0; count < max; count++) {
            TraceSpan span = queue.poll();
            if (span == null) {
                return;
            }
            waiting.decrementAndGet();
            into.add(span);
        }
    }

    /** Counts spans that the exporter could not deliver. */
    public void lost(int spans) {
        dropped.add(spans);
    }

    /** Returns the number of spans that wait for the exporter. */
    public int waiting() {
        return waiting.get();
    }

    /** Returns the number of spans ended since the start, dropped ones included. */
    public long ended() {
        return ended.sum();
    }

    /** Returns the number of spans dropped since the start, because the queue was full or the receiver did not accept them. */
    public long dropped() {
        return dropped.sum();
    }
}
