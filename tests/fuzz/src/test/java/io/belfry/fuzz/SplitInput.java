package io.belfry.fuzz;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An input that is split as a network may split it: whole, in two parts, and byte by byte. The first two bytes of the input
 * determine where the two parts are split. Immutable.
 */
public final class SplitInput {
    private static final int PREFIX = 2;

    /** Longer inputs are not read byte by byte, because that is slow and finds nothing more. */
    private static final int BYTE_BY_BYTE_MAX = 600;

    private final byte[] bytes;
    private final int splitAt;

    private SplitInput(byte[] bytes, int splitAt) {
        this.bytes = bytes;
        this.splitAt = splitAt;
    }

    /** Removes the first two bytes and takes them as the place of the split. */
    public static SplitInput of(byte[] input) {
        if (input.length < PREFIX) {
            return new SplitInput(input, 0);
        }
        byte[] bytes = Arrays.copyOfRange(input, PREFIX, input.length);
        int splitAt = (input[0] & 0xff) << 8 | (input[1] & 0xff);
        return new SplitInput(bytes, splitAt % (bytes.length + 1));
    }

    /** Reads the bytes and collects a result. */
    public interface Reader extends Consumer<byte[]> {
        /** Returns everything read so far, as text for comparison. */
        String result();
    }

    /** Reads the input in all splits; throws if the results differ. */
    public String readInAllSplits(Supplier<? extends Reader> readers) {
        Reader whole = readers.get();
        whole.accept(bytes.clone());
        Reader halves = readers.get();
        halves.accept(Arrays.copyOf(bytes, splitAt));
        halves.accept(Arrays.copyOfRange(bytes, splitAt, bytes.length));
        requireSame(whole, halves, "split at " + splitAt);
        if (bytes.length <= BYTE_BY_BYTE_MAX) {
            Reader single = readers.get();
            for (byte each : bytes) {
                single.accept(new byte[] {each});
            }
            requireSame(whole, single, "byte by byte");
        }
        return whole.result();
    }

    private static void requireSame(Reader whole, Reader other, String how) {
        if (!whole.result().equals(other.result())) {
            throw new AssertionError(how + ": " + other.result() + "\ninstead of " + whole.result());
        }
    }

    /** Throws with this description of the failure unless the condition holds. */
    static void require(boolean condition, String failure) {
        if (!condition) {
            throw new AssertionError(failure);
        }
    }
}
