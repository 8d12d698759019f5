package io.belfry.server.history;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

    /** The content is the block of headers, if there is one, and the data. */
    private record Entry(long seq, long time, long number, ByteBuf content, int headersLength) {
        /** Returns whether the message may end by itself; the headers alone determine when. */
        boolean mayEnd() {
            return MessageHeaders.hasTtl(content, 0, headersLength);
        }

        int cost() {
            return OVERHEAD + content.capacity();
        }
    }

    private final long epoch;
    private final long bytesMax;
    private Map<Integer, Entry> entries = new HashMap<>();
    private int entriesMost;
    private final RetainedOrder order = new RetainedOrder();
    private long bytes;

    /** The number of messages with a time to live. */
    private int ending;

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

    /**
     * Returns the bytes that keeping a message of this size would add; negative if it takes less than the present one. The size is
     * 0 for a message without data, which clears, and otherwise the bytes of headers and data.
     */
    public int growth(int subject, int size) {
        Entry before = entries.get(subject);
        return (size == 0 ? 0 : OVERHEAD + size) - (before == null ? 0 : before.cost());
    }

    public long bytesMax() {
        return bytesMax;
    }

    /** Returns whether a message of this size fits for this subject; an empty one, which clears, always does. */
    public boolean fits(int subject, int size) {
        if (size == 0) {
            return true;
        }
        Entry before = entries.get(subject);
        return bytes - (before == null ? 0 : before.cost()) + OVERHEAD + size <= bytesMax;
    }

    /** Keeps a copy of a message without headers; an empty message clears the kept one. */
    public void put(int subject, long seq, long time, ByteBuf data, int dataAt, int dataLength) {
        put(subject, seq, time, data, dataAt, dataLength, 0);
    }

    /**
     * Keeps a copy of the message; a message without data clears the kept one. The data begins at {@code dataAt}, and the block of
     * headers, of {@code headersLength} bytes, ends there.
     */
    public void put(int subject, long seq, long time, ByteBuf bytes, int dataAt, int dataLength, int headersLength) {
        if (dataLength == 0) {
            replaced(entries.remove(subject), null);
        } else {
            ByteBuf content = copy(bytes, dataAt - headersLength, headersLength + dataLength);
            Entry kept = new Entry(seq, time, order.add(subject), content, headersLength);
            replaced(entries.put(subject, kept), kept);
        }
        giveBack();
    }

    /** Keeps a copy of a message whose headers may be in another buffer than its data. */
    public void put(int subject, MessageView message) {
        int headersLength = message.headersLength();
        if (headersLength == 0 || message.dataLength() == 0) {
            put(
                    subject,
                    message.seq(),
                    message.timeMillis(),
                    message.data(),
                    message.dataOffset(),
                    message.dataLength());
            return;
        }
        ByteBuf content = Unpooled.buffer(message.contentLength());
        content.writeBytes(message.headers(), message.headersOffset(), headersLength);
        content.writeBytes(message.data(), message.dataOffset(), message.dataLength());
        put(subject, message.seq(), message.timeMillis(), content, headersLength, message.dataLength(), headersLength);
    }

    private void replaced(@Nullable Entry before, @Nullable Entry after) {
        if (before != null) {
            order.remove(before.number);
            bytes -= before.cost();
            ending -= before.mayEnd() ? 1 : 0;
        }
        if (after != null) {
            bytes += after.cost();
            ending += after.mayEnd() ? 1 : 0;
        }
    }

    /** Replaces an empty map, because a map never shrinks on its own. */
    private void giveBack() {
        entriesMost = Math.max(entriesMost, entries.size());
        if (entriesMost > ENTRIES_FEW && entries.size() < entriesMost / 8) {
            entries = new HashMap<>(entries);
            entriesMost = entries.size();
        }
    }

    /** Returns whether a message has a time to live. */
    public boolean mayEnd() {
        return ending > 0;
    }

    /** Removes the message of a subject, if it has one. */
    public void remove(int subject) {
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
        int headers = entry.headersLength;
        view.data(entry.content, headers, entry.content.capacity() - headers)
                .headers(entry.content, 0, headers)
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
