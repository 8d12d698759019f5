package io.belfry.server.counter;

import io.belfry.protocol.Code;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The counters of one loop. Owner: that loop, the only writer; any thread reads. Values are published with opaque
 * writes: a reader sees each number soon and never half-written, and a message costs no memory fence.
 */
public final class LoopCounters {
    /** Maximum number of sessions in the list of those that lag most. */
    public static final int SLOWEST = 20;

    /** Significant digits of the recorded delivery latencies. */
    public static final int DELIVERY_DIGITS = 3;

    /** Significant digits of the recorded loop lag: more have no use, and a histogram of three digits has 184 KB. */
    public static final int LAG_DIGITS = 2;

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** Unused cells before and after the used ones, so that other loops' writes do not share their cache lines. */
    private static final int PAD = 16;

    private final long[] cells = new long[PAD + Counter.values().length + PAD];
    private final long[] refusals = new long[PAD + Code.values().length + PAD];
    private final long[] closes = new long[PAD + Code.values().length + PAD];
    private final long[] drops = new long[PAD + Code.values().length + PAD];
    private final long[] conflations = new long[PAD + Code.values().length + PAD];
    private volatile List<SlowSession> slowest = List.of();
    private final LatencyRecorder delivery = new LatencyRecorder(DELIVERY_DIGITS);
    private final LatencyRecorder loopLag = new LatencyRecorder(LAG_DIGITS);

    public void increment(Counter counter) {
        add(counter, 1);
    }

    public void add(Counter counter, long amount) {
        bump(cells, counter.ordinal(), amount);
    }

    /** Counts an error answered with this code. */
    public void refused(Code code) {
        bump(refusals, code.ordinal(), 1);
    }

    /** Counts a connection or session that the server closed for this reason. */
    public void closed(Code code) {
        bump(closes, code.ordinal(), 1);
    }

    /** Counts messages that were dropped for a session, in total and by the announced reason. */
    public void dropped(Code code, long messages) {
        add(Counter.MESSAGES_DROPPED, messages);
        bump(drops, code.ordinal(), messages);
    }

    /** Counts messages that were replaced by a later one of their subject, in total and by reason. */
    public void conflated(Code code, long messages) {
        add(Counter.MESSAGES_CONFLATED, messages);
        bump(conflations, code.ordinal(), messages);
    }

    /** Publishes the list of the loop's sessions that lag most; the list is immutable. */
    public void slowest(List<SlowSession> sessions) {
        slowest = sessions;
    }

    public List<SlowSession> slowest() {
        return slowest;
    }

    public long value(Counter counter) {
        return read(cells, counter.ordinal());
    }

    /** Adds all counters, in the order of {@link Counter}, to these sums. */
    public void addTo(long[] sums) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] += read(cells, i);
        }
    }

    public long refusals(Code code) {
        return read(refusals, code.ordinal());
    }

    public long closes(Code code) {
        return read(closes, code.ordinal());
    }

    public long drops(Code code) {
        return read(drops, code.ordinal());
    }

    public long conflations(Code code) {
        return read(conflations, code.ordinal());
    }

    /** Returns the recorder of the time from a received publish to its last byte handed to the socket, per delivery. */
    public LatencyRecorder deliveryLatency() {
        return delivery;
    }

    /** Returns the recorder of the delay with which the loop ran its periodic tick. */
    public LatencyRecorder loopLag() {
        return loopLag;
    }

    private static void bump(long[] array, int index, long amount) {
        int cell = PAD + index;
        CELL.setOpaque(array, cell, array[cell] + amount);
    }

    private static long read(long[] array, int index) {
        return (long) CELL.getOpaque(array, PAD + index);
    }
}
