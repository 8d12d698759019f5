package io.belfry.server.console;

import java.util.ArrayList;
import java.util.List;

/**
 * The figures of the last ten minutes as lines of JSON, one per second. Each line is written once and sent to every page.
 * Safe for any thread.
 */
final class Seconds {
    static final int KEPT = 600;

    /** Lines, and the number of the last line. */
    record Lines(long lastSeq, List<byte[]> lines) {}

    private final byte[][] ring = new byte[KEPT][];
    private long seq;
    private byte[] state = new byte[0];
    private boolean closed;

    /** Returns the number of the next line. */
    synchronized long next() {
        return seq + 1;
    }

    /** Adds the line of a second, with the state after this second, and wakes the waiting threads. */
    synchronized void add(byte[] line, byte[] newState) {
        seq++;
        ring[(int) (seq % KEPT)] = line;
        state = newState;
        notifyAll();
    }

    /** Returns the kept lines after this number, the oldest first. */
    synchronized Lines after(long known) {
        List<byte[]> found = new ArrayList<>();
        for (long each = Math.max(known, seq - KEPT) + 1; each <= seq; each++) {
            found.add(ring[(int) (each % KEPT)]);
        }
        return new Lines(seq, found);
    }

    /** Returns the state after the last second. */
    synchronized byte[] state() {
        return state;
    }

    /** Waits for a line after this number. Returns false if no line was added in time, or if the server stops. */
    synchronized boolean await(long known, long millis) throws InterruptedException {
        long left = millis;
        long until = System.nanoTime() + millis * 1_000_000;
        while (seq <= known && !closed && left > 0) {
            wait(left);
            left = (until - System.nanoTime()) / 1_000_000;
        }
        return seq > known && !closed;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Ends all calls of {@link #await}. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
