package io.belfry.fuzz;

import io.belfry.protocol.DeltaEncoder;
import io.belfry.protocol.FossilDelta;
import io.belfry.protocol.Utf8;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * Deltas. The input is a base and, after the first zero byte, a delta, which is applied or refused. The encoder then makes a delta
 * from the base to the same bytes, which becomes them, and is UTF-8 if they are.
 */
public final class DeltaTarget {
    private static final int RESULT_MAX = 1 << 16;
    private static final DeltaEncoder ENCODER = new DeltaEncoder();

    private DeltaTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        int split = 0;
        while (split < input.length && input[split] != 0) {
            split++;
        }
        byte[] base = Arrays.copyOf(input, split);
        byte[] rest = Arrays.copyOfRange(input, Math.min(split + 1, input.length), input.length);
        byte[] result = FossilDelta.apply(base, rest, RESULT_MAX);
        SplitInput.require(result == null || result.length <= RESULT_MAX, "the result is too long");
        check(base, rest);
        if (result != null) {
            check(base, result);
        }
    }

    private static void check(byte[] base, byte[] data) {
        int bytesMax = 2 * data.length + 64;
        int length = ENCODER.encode(base, base.length, data, data.length, bytesMax);
        SplitInput.require(length >= 0 && length <= bytesMax, "the delta is too long");
        byte[] delta = Arrays.copyOf(ENCODER.bytes(), length);
        SplitInput.require(Arrays.equals(FossilDelta.apply(base, delta, data.length), data), "the data changed");
        SplitInput.require(!isUtf8(data) || isUtf8(delta), "the delta of text is no text");
    }

    private static boolean isUtf8(byte[] bytes) {
        return Utf8.valid(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    }
}
