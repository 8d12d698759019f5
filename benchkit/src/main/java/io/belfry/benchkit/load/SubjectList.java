package io.belfry.benchkit.load;

import io.belfry.protocol.Subjects;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The subjects of a test, end to end in one array and found by their bytes: a million of them cost some 25 MB and no
 * object each. Immutable once built, so any thread may read.
 */
public final class SubjectList {
    private static final int NONE = -1;

    private final ByteBuf bytes;
    private final int[] ends;

    /** Open addressing: the index of a subject at or after the place of its hash. */
    private final int[] table;

    private SubjectList(byte[] bytes, int[] ends) {
        this.bytes = Unpooled.wrappedBuffer(bytes);
        this.ends = ends;
        this.table = new int[Integer.highestOneBit(Math.max(ends.length, 4)) << 2];
        Arrays.fill(table, NONE);
        for (int i = 0; i < ends.length; i++) {
            enter(i);
        }
    }

    /**
     * All of {@code subjects}, each behind {@code prefix}.
     *
     * @throws IllegalArgumentException when one is not a subject, stands twice, or there are none
     */
    public static SubjectList of(String prefix, Iterable<String> subjects) {
        byte[] bytes = new byte[1024];
        int[] ends = new int[64];
        int count = 0;
        int used = 0;
        for (String text : subjects) {
            byte[] subject = (prefix + text).getBytes(StandardCharsets.UTF_8);
            mustBeSubject(prefix + text, subject);
            if (used + subject.length > bytes.length) {
                bytes = Arrays.copyOf(bytes, bytes.length * 2);
            }
            if (count == ends.length) {
                ends = Arrays.copyOf(ends, count * 2);
            }
            System.arraycopy(subject, 0, bytes, used, subject.length);
            used += subject.length;
            ends[count++] = used;
        }
        if (count == 0) {
            throw new IllegalArgumentException("there are no subjects");
        }
        return new SubjectList(Arrays.copyOf(bytes, used), Arrays.copyOf(ends, count));
    }

    private static void mustBeSubject(String text, byte[] subject) {
        @Nullable String problem = Subjects.problem(subject, 0, subject.length, false);
        if (problem != null) {
            throw new IllegalArgumentException(text + ": " + problem);
        }
    }

    private void enter(int index) {
        int place = place(bytes, offset(index), length(index));
        if (table[place] != NONE) {
            throw new IllegalArgumentException(text(index) + " stands twice among the subjects");
        }
        table[place] = index;
    }

    public int size() {
        return ends.length;
    }

    /** Where all of them lie; see {@link #offset} and {@link #length}. */
    public ByteBuf bytes() {
        return bytes;
    }

    public int offset(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    public int length(int index) {
        return ends[index] - offset(index);
    }

    public String text(int index) {
        return bytes.toString(offset(index), length(index), StandardCharsets.UTF_8);
    }

    /** The bytes of one subject, the caller's own. */
    public byte[] copy(int index) {
        byte[] subject = new byte[length(index)];
        bytes.getBytes(offset(index), subject);
        return subject;
    }

    public boolean is(int index, ByteBuf other, int offset, int length) {
        return length == length(index) && ByteBufUtil.equals(bytes, offset(index), other, offset, length);
    }

    /** The index of the subject with these bytes, -1 if it is not among them. */
    public int indexOf(ByteBuf other, int offset, int length) {
        return table[place(other, offset, length)];
    }

    /** Where the subject is, or the free place where it would be. */
    private int place(ByteBuf other, int offset, int length) {
        int mask = table.length - 1;
        int place = hash(other, offset, length) & mask;
        while (table[place] != NONE && !is(table[place], other, offset, length)) {
            place = (place + 1) & mask;
        }
        return place;
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
