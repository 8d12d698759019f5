package io.belfry.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Writes deltas in the format of {@link FossilDelta}. Owner: one loop.
 *
 * <p>The base is indexed by the eight bytes at every fourth place. The data is then read once: where its next eight bytes are
 * in the base, first at the distance of the previous copy and then by the index, the bytes around them are copied. Each step is
 * bounded, so the time grows with the lengths of base and data only, whatever they contain.
 *
 * <p>A part begins and ends between two characters. If the data is UTF-8, so is each literal, and so is the delta.
 */
public final class DeltaEncoder {
    /** Returned instead of a length if the delta would be longer than allowed. */
    public static final int TOO_LONG = -1;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private static final int KEY_BYTES = Long.BYTES;
    private static final int STRIDE = 4;
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    /** A shorter copy saves nothing: it takes up to seven bytes, and the literal after it two more. */
    private static final int COPY_MIN = 10;

    /** The bytes after the first one of a character. */
    private static final int CONTINUATIONS_MAX = 3;

    /** The most bytes of a checksum with its operator. */
    private static final int END_BYTES = 7;

    /** The index of the base: the place of a key plus one, or 0. */
    private int[] places = new int[0];

    private int bits;

    private byte[] out = new byte[0];
    private int length;
    private int lengthMax;

    /**
     * Makes a delta of at most this number of bytes; returns its length, or {@link #TOO_LONG}. The arrays are not changed; their
     * first bytes are used.
     */
    public int encode(byte[] base, int baseLength, byte[] data, int dataLength, int bytesMax) {
        if (out.length < bytesMax) {
            out = new byte[Math.max(bytesMax, 2 * out.length)];
        }
        lengthMax = bytesMax - END_BYTES;
        if (lengthMax < END_BYTES) {
            return TOO_LONG;
        }
        length = FossilDelta.number(out, 0, dataLength);
        out[length++] = '\n';
        index(base, baseLength);
        if (!parts(base, baseLength, data, dataLength)) {
            return TOO_LONG;
        }
        length = FossilDelta.number(out, length, FossilDelta.checksum(data, dataLength));
        out[length++] = ';';
        return length;
    }

    /** Returns the array with the bytes of the last delta; valid until the next call. */
    public byte[] bytes() {
        return out;
    }

    private void index(byte[] base, int baseLength) {
        bits = Math.max(4, Integer.SIZE - Integer.numberOfLeadingZeros(baseLength / STRIDE));
        if (places.length < 1 << bits) {
            places = new int[1 << bits];
        } else {
            Arrays.fill(places, 0, 1 << bits, 0);
        }
        for (int at = 0; at + KEY_BYTES <= baseLength; at += STRIDE) {
            places[slot((long) LONGS.get(base, at))] = at + 1;
        }
    }

    private int slot(long key) {
        return (int) ((key * MULTIPLIER) >>> (Long.SIZE - bits));
    }

    /** Writes the copies and literals; returns false if they are too long. */
    private boolean parts(byte[] base, int baseLength, byte[] data, int dataLength) {
        int written = 0;
        int at = 0;
        int distance = 0;
        while (at + KEY_BYTES <= dataLength) {
            int found = find(base, baseLength, (long) LONGS.get(data, at), at + distance);
            if (found < 0) {
                at++;
                continue;
            }
            int shift = found - at;
            int start = at;
            while (start > written && start + shift > 0 && base[start + shift - 1] == data[start - 1]) {
                start--;
            }
            int equal = Arrays.mismatch(data, at + KEY_BYTES, dataLength, base, found + KEY_BYTES, baseLength);
            int end = equal < 0 ? dataLength : at + KEY_BYTES + equal;
            start = after(data, start, end);
            end = before(data, start, end, dataLength);
            if (end - start < COPY_MIN) {
                at++;
                continue;
            }
            if (!literal(data, written, start) || !copy(end - start, start + shift)) {
                return false;
            }
            written = end;
            at = end;
            distance = shift;
        }
        return literal(data, written, dataLength);
    }

    /** Returns a place of the base with these eight bytes, or -1; the expected place is preferred. */
    private int find(byte[] base, int baseLength, long key, int expected) {
        if (expected >= 0 && expected + KEY_BYTES <= baseLength && (long) LONGS.get(base, expected) == key) {
            return expected;
        }
        int place = places[slot(key)] - 1;
        return place >= 0 && (long) LONGS.get(base, place) == key ? place : -1;
    }

    /** Returns the first place from {@code start} at which a character begins. */
    private static int after(byte[] data, int start, int end) {
        int at = start;
        for (int i = 0; i < CONTINUATIONS_MAX && at < end && isContinuation(data[at]); i++) {
            at++;
        }
        return at;
    }

    /** Returns the last place up to {@code end} at which a character begins or the data ends. */
    private static int before(byte[] data, int start, int end, int dataLength) {
        int at = end;
        for (int i = 0; i < CONTINUATIONS_MAX && at < dataLength && at > start && isContinuation(data[at]); i++) {
            at--;
        }
        return at;
    }

    private static boolean isContinuation(byte b) {
        return (b & 0xc0) == 0x80;
    }

    private boolean literal(byte[] data, int from, int to) {
        int count = to - from;
        if (count == 0) {
            return true;
        }
        if (FossilDelta.digits(count) + 1 + count > lengthMax - length) {
            return false;
        }
        length = FossilDelta.number(out, length, count);
        out[length++] = ':';
        System.arraycopy(data, from, out, length, count);
        length += count;
        return true;
    }

    private boolean copy(int count, int from) {
        if (FossilDelta.digits(count) + FossilDelta.digits(from) + 2 > lengthMax - length) {
            return false;
        }
        length = FossilDelta.number(out, length, count);
        out[length++] = '@';
        length = FossilDelta.number(out, length, from);
        out[length++] = ',';
        return true;
    }
}
