package io.belfry.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The delta format of Fossil, which docs/protocol.md defines: the length of the result, copies from the base, literals, and a
 * checksum. Reads deltas; {@link DeltaEncoder} writes them. Pure.
 */
public final class FossilDelta {
    /** The name of the format in commands and events. */
    public static final String NAME = "fossil";

    private static final byte[] DIGITS =
            JsonText.ascii("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~");
    private static final byte[] VALUES = values();
    private static final int BITS = 6;
    private static final int DIGITS_MAX = 6;
    private static final long INVALID = -1;
    private static final int INVALID_OPERATOR = -1;
    private static final long U32_MAX = 0xffff_ffffL;

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN)
            .withInvokeExactBehavior();

    private FossilDelta() {}

    private static byte[] values() {
        byte[] values = new byte[128];
        Arrays.fill(values, (byte) -1);
        for (int i = 0; i < DIGITS.length; i++) {
            values[DIGITS[i]] = (byte) i;
        }
        return values;
    }

    /**
     * Returns what the delta makes of the base, or null if the delta is malformed, does not fit the base, or announces more than
     * this number of bytes. Allocates nothing but the result, and that only after its length was checked.
     */
    public static byte @Nullable [] apply(byte[] base, byte[] delta, int bytesMax) {
        return new Reader(delta).apply(base, bytesMax);
    }

    /** Reads one delta. Owner: the caller. */
    private static final class Reader {
        private final byte[] delta;
        private int at;

        Reader(byte[] delta) {
            this.delta = delta;
        }

        byte @Nullable [] apply(byte[] base, int bytesMax) {
            long length = number();
            if (length == INVALID || length > bytesMax || operator() != '\n') {
                return null;
            }
            byte[] result = new byte[(int) length];
            int filled = 0;
            while (true) {
                long number = number();
                if (number == INVALID) {
                    return null;
                }
                switch (operator()) {
                    case '@' -> {
                        long from = number();
                        if (operator() != ','
                                || from == INVALID
                                || from + number > base.length
                                || number > result.length - filled) {
                            return null;
                        }
                        System.arraycopy(base, (int) from, result, filled, (int) number);
                        filled += (int) number;
                    }
                    case ':' -> {
                        if (number > delta.length - at || number > result.length - filled) {
                            return null;
                        }
                        System.arraycopy(delta, at, result, filled, (int) number);
                        at += (int) number;
                        filled += (int) number;
                    }
                    case ';' -> {
                        boolean whole = filled == result.length && at == delta.length;
                        return whole && number == checksum(result, result.length) ? result : null;
                    }
                    default -> {
                        return null;
                    }
                }
            }
        }

        /** Returns the number of one to six digits at the present place, or -1 if there is none below 2^32. */
        private long number() {
            long number = 0;
            int start = at;
            while (at < delta.length && at - start <= DIGITS_MAX && delta[at] >= 0 && VALUES[delta[at]] >= 0) {
                number = number << BITS | VALUES[delta[at++]];
            }
            return at == start || at - start > DIGITS_MAX || number > U32_MAX ? INVALID : number;
        }

        private int operator() {
            return at < delta.length ? delta[at++] : INVALID_OPERATOR;
        }
    }

    /** Returns the sum of the data as numbers of 32 bits, the last one filled with zeros, modulo 2^32. */
    static long checksum(byte[] data, int length) {
        long sum = 0;
        int whole = length & ~3;
        for (int i = 0; i < whole; i += 4) {
            sum += (int) INTS.get(data, i);
        }
        for (int i = whole; i < length; i++) {
            sum += (data[i] & 0xffL) << (24 - 8 * (i & 3));
        }
        return sum & U32_MAX;
    }

    /** Writes the digits of a number below 2^32 and returns the index after them. */
    static int number(byte[] out, int at, long number) {
        int digits = digits(number);
        long rest = number;
        for (int i = at + digits - 1; i >= at; i--) {
            out[i] = DIGITS[(int) (rest & 0x3f)];
            rest >>>= BITS;
        }
        return at + digits;
    }

    /** Returns the number of digits of a number below 2^32. */
    static int digits(long number) {
        int digits = 1;
        for (long rest = number >>> BITS; rest > 0; rest >>>= BITS) {
            digits++;
        }
        return digits;
    }
}
