package io.belfry.server.subject;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/** A subject's bytes and hash, ready for a lookup on any lane. A flyweight that is set again for each use. Owner: one loop. */
public final class SubjectKey {
    private static final int CAPACITY = 255;

    private final byte[] bytes = new byte[CAPACITY];
    private final ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
    private final long seed;
    private int length;
    private long hash;

    public SubjectKey(long seed) {
        this.seed = seed;
    }

    public SubjectKey set(ByteBuf from, int offset, int length) {
        from.getBytes(offset, bytes, 0, length);
        return hashed(length);
    }

    public SubjectKey set(byte[] from) {
        System.arraycopy(from, 0, bytes, 0, from.length);
        return hashed(from.length);
    }

    public SubjectKey set(SubjectTable table, int id) {
        return hashed(table.copyKey(id, bytes));
    }

    private SubjectKey hashed(int length) {
        this.length = length;
        hash = SubjectTable.hash(bytes, length, seed);
        return this;
    }

    public byte[] bytes() {
        return bytes;
    }

    /** Returns the subject's bytes as a buffer, from index 0. */
    public ByteBuf buffer() {
        return buffer;
    }

    public int length() {
        return length;
    }

    public long hash() {
        return hash;
    }

    /** Returns the lane that is the subject's home, computed from hash bits that the table uses neither for segments nor first for slots. */
    public int home(int lanes) {
        return lanes == 1 ? 0 : (int) ((hash >>> 24 & 0xFFFF) % lanes);
    }

    public byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }
}
