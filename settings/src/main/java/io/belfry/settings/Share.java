package io.belfry.settings;

/** So many bytes, or a percentage of a whole that is known later. Immutable. */
public sealed interface Share {
    long of(long wholeBytes);

    record Bytes(long bytes) implements Share {
        @Override
        public long of(long wholeBytes) {
            return bytes;
        }
    }

    record Percent(int percent) implements Share {
        @Override
        public long of(long wholeBytes) {
            // In two parts, so that nothing overflows.
            return wholeBytes / 100 * percent + wholeBytes % 100 * percent / 100;
        }
    }
}
