package io.belfry.fuzz;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Bytes as a network may deliver them: whole, cut in two, and one by one. The first two bytes of an input say where it is
 * cut. Immutable.
 */
public final class Pieces {
    private static final int PREFIX = 2;

    /** Beyond, single bytes take long and show nothing new. */
    private static final int BYTE_BY_BYTE_MAX = 600;

    private final byte[] bytes;
    private final int cut;

    private Pieces(byte[] bytes, int cut) {
        this.bytes = bytes;
        this.cut = cut;
    }

    public static Pieces of(byte[] input) {
        if (input.length < PREFIX) {
            return new Pieces(input, 0);
        }
        byte[] bytes = Arrays.copyOfRange(input, PREFIX, input.length);
        int cut = (input[0] & 0xff) << 8 | (input[1] & 0xff);
        return new Pieces(bytes, cut % (bytes.length + 1));
    }

    /** A reader of such bytes, which tells what it understood. */
    public interface Reader extends Consumer<byte[]> {
        /** Everything so far, as text that can be compared. */
        String told();
    }

    /** However the bytes come, the reader must understand the same. */
    public String readEveryWay(Supplier<? extends Reader> readers) {
        Reader whole = readers.get();
        whole.accept(bytes.clone());
        Reader halves = readers.get();
        halves.accept(Arrays.copyOf(bytes, cut));
        halves.accept(Arrays.copyOfRange(bytes, cut, bytes.length));
        requireSame(whole, halves, "cut at " + cut);
        if (bytes.length <= BYTE_BY_BYTE_MAX) {
            Reader single = readers.get();
            for (byte each : bytes) {
                single.accept(new byte[] {each});
            }
            requireSame(whole, single, "byte by byte");
        }
        return whole.told();
    }

    private static void requireSame(Reader whole, Reader other, String how) {
        if (!whole.told().equals(other.told())) {
            throw new AssertionError(how + ": " + other.told() + "\ninstead of " + whole.told());
        }
    }

    static void require(boolean condition, String promise) {
        if (!condition) {
            throw new AssertionError(promise);
        }
    }
}
