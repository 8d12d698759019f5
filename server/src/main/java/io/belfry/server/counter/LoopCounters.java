package io.belfry.server.counter;

import io.belfry.protocol.Code;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The numbers of one loop. Owner: that loop, the only writer; any thread reads. Values are published with opaque
 * writes: a reader sees each number soon and whole, and no fence is paid per message.
 */
public final class LoopCounters {
    /** So many of the sessions that lag most are listed. */
    public static final int SLOWEST = 20;

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** Cells before and after the used ones, so that no other loop's writes share a cache line with ours. */
    private static final int PAD = 16;

    private final long[] cells = new long[PAD + Counter.values().length + PAD];
    private final long[] refusals = new long[PAD + Code.values().length + PAD];
    private final long[] closes = new long[PAD + Code.values().length + PAD];
    private final long[] drops = new long[PAD + Code.values().length + PAD];
    private final long[] conflations = new long[PAD + Code.values().length + PAD];
    private volatile List<SlowSession> slowest = List.of();
    private final LatencyRecorder delivery = new LatencyRecorder();
    private final LatencyRecorder loopLag = new LatencyRecorder();

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

    /** Counts a connection or session closed by the server for this reason. */
    public void closed(Code code) {
        bump(closes, code.ordinal(), 1);
    }

    /** Counts messages that a session was told it will not get, in all and by the reason it was told. */
    public void dropped(Code code, long messages) {
        add(Counter.MESSAGES_DROPPED, messages);
        bump(drops, code.ordinal(), messages);
    }

    /** Counts messages that a later one of their subject took the place of, in all and by the reason. */
    public void conflated(Code code, long messages) {
        add(Counter.MESSAGES_CONFLATED, messages);
        bump(conflations, code.ordinal(), messages);
    }

    /** Publishes which of the loop's sessions lag most now; the list is immutable. */
    public void slowest(List<SlowSession> sessions) {
        slowest = sessions;
    }

    public List<SlowSession> slowest() {
        return slowest;
    }

    public long value(Counter counter) {
        return read(cells, counter.ordinal());
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

    /** Publish received to last byte handed to the socket, a value for each delivery. */
    public LatencyRecorder deliveryLatency() {
        return delivery;
    }

    /** How much later than asked the loop ran its periodic tick. */
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
