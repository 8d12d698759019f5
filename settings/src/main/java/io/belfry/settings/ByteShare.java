package io.belfry.settings;

/** A number of bytes, or a percentage of a total that is known at run time. Immutable. */
public sealed interface ByteShare {
    /** Returns the number of bytes of a total of {@code wholeBytes}. */
    long of(long wholeBytes);

    /** A number of bytes, independent of the total. */
    record Bytes(long bytes) implements ByteShare {
        @Override
        public long of(long wholeBytes) {
            return bytes;
        }
    }

    /** A percentage of the total. */
    record Percent(int percent) implements ByteShare {
        @Override
        public long of(long wholeBytes) {
            // Split into two products, so that neither overflows.
            return wholeBytes / 100 * percent + wholeBytes % 100 * percent / 100;
        }
    }
}
