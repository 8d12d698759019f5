package io.belfry.server.history;

import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;

/**
 * The retained message of each subject. Owner: the lane's loop. Retained messages are independent of the history's
 * bounds and have a bound of their own, {@code Limit.RetainedBytes}: a publish that would exceed it is refused, and no
 * message is evicted.
 */
public final class Retained {
    /** The cursor of a reader that has read everything. */
    public static final long END = -1;

    /** Estimated bytes of an entry beside its data, counted against the bound. */
    private static final int OVERHEAD = 96;

    /** An empty map with at most this many entries of capacity is kept. */
    private static final int ENTRIES_FEW = 1024;

    /** Receives retained messages one by one. */
    public interface Reader {
        /** Called for a subject; returns whether to continue. Nothing may be put during the call. */
        boolean onRetained(int subject);
    }

    private record Entry(long seq, long time, long number, ByteBuf data) {
        int cost() {
            return OVERHEAD + data.capacity();
        }
    }

    private final long epoch;
    private final long bytesMax;
    private Map<Integer, Entry> entries = new HashMap<>();
    private int entriesMost;
    private final RetainedOrder order = new RetainedOrder();
    private long bytes;

    public Retained(long epoch, long bytesMax) {
        this.epoch = epoch;
        this.bytesMax = bytesMax;
    }

    public boolean has(int subject) {
        return !entries.isEmpty() && entries.containsKey(subject);
    }

    public int size() {
        return entries.size();
    }

    public long bytes() {
        return bytes;
    }

    /** Returns the seq of the retained message, or -1 if there is none. */
    public long seq(int subject) {
        Entry entry = entries.isEmpty() ? null : entries.get(subject);
        return entry == null ? -1 : entry.seq;
    }

    /** Returns the bytes that keeping a message of this size would add; negative if it takes less than the present one. */
    public int growth(int subject, int dataLength) {
        Entry before = entries.get(subject);
        return (dataLength == 0 ? 0 : OVERHEAD + dataLength) - (before == null ? 0 : before.cost());
    }

    public long bytesMax() {
        return bytesMax;
    }

    /** Returns whether a message of this size fits for this subject; an empty one, which clears, always does. */
    public boolean fits(int subject, int dataLength) {
        if (dataLength == 0) {
            return true;
        }
        Entry before = entries.get(subject);
        return bytes - (before == null ? 0 : before.cost()) + OVERHEAD + dataLength <= bytesMax;
    }

    /** Keeps a copy of the message; an empty message clears the kept one. */
    public void put(int subject, long seq, long time, ByteBuf data, int dataAt, int dataLength) {
        Entry before = dataLength == 0
                ? entries.remove(subject)
                : entries.put(subject, new Entry(seq, time, order.add(subject), copy(data, dataAt, dataLength)));
        if (before != null) {
            order.remove(before.number);
        }
        bytes += (dataLength == 0 ? 0 : OVERHEAD + dataLength) - (before == null ? 0 : before.cost());
        giveBack();
    }

    /** Replaces an empty map, because a map never shrinks on its own. */
    private void giveBack() {
        entriesMost = Math.max(entriesMost, entries.size());
        if (entriesMost > ENTRIES_FEW && entries.size() < entriesMost / 8) {
            entries = new HashMap<>(entries);
            entriesMost = entries.size();
        }
    }

    void remove(int subject) {
        put(subject, 0, 0, Unpooled.EMPTY_BUFFER, 0, 0);
    }

    private static ByteBuf copy(ByteBuf data, int dataAt, int dataLength) {
        byte[] bytes = new byte[dataLength];
        data.getBytes(dataAt, bytes);
        return Unpooled.wrappedBuffer(bytes);
    }

    /** Fills the view with the retained message; returns whether there is one. */
    public boolean show(int subject, MessageView view) {
        Entry entry = entries.isEmpty() ? null : entries.get(subject);
        if (entry == null) {
            return false;
        }
        view.data(entry.data, 0, entry.data.capacity())
                .position(epoch, 0, entry.seq)
                .time(entry.time)
                .retained(true);
        return true;
    }

    /**
     * Continues reading after a cursor, which starts at 0, in the order in which messages were put, and visits at most this many
     * entries. Returns the cursor to continue from, or {@link #END} when nothing is left. A reader that reaches
     * the end has the latest message of every subject, whatever was put or cleared between two calls.
     */
    public long readAfter(long cursor, int visitsMax, Reader reader) {
        int from = order.indexAfter(cursor);
        int until = (int) Math.min(order.end(), from + (long) visitsMax);
        for (int at = from; at < until; at++) {
            int subject = order.subject(at);
            if (subject >= 0 && !reader.onRetained(subject)) {
                return at + 1 == order.end() ? END : order.number(at);
            }
        }
        return until == order.end() ? END : order.number(until - 1);
    }
}
