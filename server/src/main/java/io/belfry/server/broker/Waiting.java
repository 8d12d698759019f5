package io.belfry.server.broker;

import io.belfry.server.trace.TraceContext;
import io.belfry.server.trace.TraceSpan;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/**
 * Publishes whose records are being written to disk, in the order of their answers. A ring of primitives, so that waiting
 * allocates nothing. Owner: the lane's loop.
 */
final class Waiting {
    private static final int INITIAL = 256;

    /** Longs per publish: address, seq, session, command, receive time, edge and flags, reserved bytes. */
    private static final int LONGS = 7;

    private static final int FLAG_REPEATED = 1;
    private static final int FLAG_TRACED = 2;

    private long[] ring = new long[INITIAL * LONGS];
    private int first;
    private int count;

    /** The spans of the traced publishes, in the same order. */
    private final Queue<TraceSpan> spans = new ArrayDeque<>();

    boolean isEmpty() {
        return count == 0;
    }

    /** Adds a publish. With {@code repeated} it waits for the record of an earlier publish of the same id. */
    void add(long address, long seq, Publication publication, boolean repeated, int reserved) {
        if ((count + 1) * LONGS > ring.length) {
            grow();
        }
        int at = (first + count) * LONGS % ring.length;
        ring[at] = address;
        ring[at + 1] = seq;
        ring[at + 2] = publication.session();
        ring[at + 3] = publication.commandId();
        ring[at + 4] = publication.receivedNanos();
        TraceContext trace = publication.trace();
        int flags = (repeated ? FLAG_REPEATED : 0) | (trace == null ? 0 : FLAG_TRACED);
        ring[at + 5] = ((long) publication.edge() << Integer.SIZE) | flags;
        ring[at + 6] = reserved;
        if (trace != null) {
            spans.add(trace.start("history write", TraceSpan.Kind.INTERNAL));
        }
        count++;
    }

    private void grow() {
        long[] next = Arrays.copyOf(ring, ring.length * 2);
        int at = first * LONGS;
        System.arraycopy(ring, at, next, 0, ring.length - at);
        System.arraycopy(ring, 0, next, ring.length - at, at);
        ring = next;
        first = 0;
    }

    /** Returns the address of the record that the first publish waits for. */
    long address() {
        return ring[first * LONGS];
    }

    long seq() {
        return ring[first * LONGS + 1];
    }

    boolean isRepeated() {
        return (ring[first * LONGS + 5] & FLAG_REPEATED) != 0;
    }

    int reserved() {
        return (int) ring[first * LONGS + 6];
    }

    /** Removes the first publish and sets the receiver of its answer. */
    void take(Publication answer) {
        int at = first * LONGS;
        answer.from((int) (ring[at + 5] >> Integer.SIZE), ring[at + 2], ring[at + 3], ring[at + 4]);
        if ((ring[at + 5] & FLAG_TRACED) != 0) {
            spans.remove().end();
        }
        count--;
        first = count == 0 || (first + 1) * LONGS == ring.length ? 0 : first + 1;
    }
}
