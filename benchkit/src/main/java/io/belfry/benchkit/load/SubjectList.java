package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Require;
import io.belfry.protocol.Subjects;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The subjects of a test, stored one after another in one array and found by their bytes: a million subjects use about
 * 25 MB and no object each. Immutable, so any thread may read.
 */
public final class SubjectList {
    private static final int NONE = -1;

    private final ByteBuf bytes;
    private final int[] ends;

    /** Hash table with open addressing: the index of a subject, at or after the slot of its hash. */
    private final int[] table;

    private SubjectList(ByteBuf bytes, int[] ends) {
        this.bytes = bytes;
        this.ends = ends;
        this.table = new int[Integer.highestOneBit(Math.max(ends.length, 4)) << 2];
        Arrays.fill(table, NONE);
        for (int i = 0; i < ends.length; i++) {
            enter(i);
        }
    }

    /**
     * Makes a list of {@code subjects}, each with {@code prefix} before it.
     *
     * @throws IllegalArgumentException if a subject is invalid or repeated, or if there are none
     */
    public static SubjectList of(String prefix, Iterable<String> subjects) {
        ByteBuf bytes = Unpooled.buffer(1024);
        int[] ends = new int[64];
        int count = 0;
        for (String text : subjects) {
            byte[] subject = (prefix + text).getBytes(StandardCharsets.UTF_8);
            @Nullable String problem = Subjects.problem(subject, 0, subject.length, false);
            if (problem != null) {
                throw new IllegalArgumentException(prefix + text + ": " + problem);
            }
            if (count == ends.length) {
                ends = Arrays.copyOf(ends, count * 2);
            }
            bytes.writeBytes(subject);
            ends[count++] = bytes.readableBytes();
        }
        Require.that(count > 0, "there are no subjects");
        return new SubjectList(bytes.copy(), Arrays.copyOf(ends, count));
    }

    private void enter(int index) {
        int slot = slot(bytes, offset(index), length(index));
        if (table[slot] != NONE) {
            throw new IllegalArgumentException(text(index) + " is repeated among the subjects");
        }
        table[slot] = index;
    }

    /** Number of subjects. */
    public int size() {
        return ends.length;
    }

    /** The bytes of all subjects; see {@link #offset} and {@link #length}. */
    public ByteBuf bytes() {
        return bytes;
    }

    /** The offset of a subject in {@link #bytes}. */
    public int offset(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    /** The length of a subject in bytes. */
    public int length(int index) {
        return ends[index] - offset(index);
    }

    /** The subject as text. */
    public String text(int index) {
        return bytes.toString(offset(index), length(index), StandardCharsets.UTF_8);
    }

    /** Returns a copy of the bytes of one subject. */
    public byte[] copy(int index) {
        byte[] subject = new byte[length(index)];
        bytes.getBytes(offset(index), subject);
        return subject;
    }

    /** Whether these bytes are the subject of this index. */
    public boolean is(int index, ByteBuf other, int offset, int length) {
        return length == length(index) && ByteBufUtil.equals(bytes, offset(index), other, offset, length);
    }

    /** Returns the index of the subject with these bytes, or -1 if the list does not contain it. */
    public int indexOf(ByteBuf other, int offset, int length) {
        return table[slot(other, offset, length)];
    }

    /** Returns the slot of the subject in the table, or the free slot where it would be inserted. */
    private int slot(ByteBuf other, int offset, int length) {
        int mask = table.length - 1;
        int slot = hash(other, offset, length) & mask;
        while (table[slot] != NONE && !is(table[slot], other, offset, length)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private static int hash(ByteBuf buffer, int offset, int length) {
        int hash = length;
        for (int i = offset; i < offset + length; i++) {
            hash = hash * 31 + buffer.getByte(i);
        }
        hash *= 0x9E3779B1;
        return hash ^ (hash >>> 15);
    }
}
