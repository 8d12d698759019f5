package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * Settings of deltas. Immutable.
 *
 * @param bytesMin minimum size of data of which a delta is made
 * @param bytesMax maximum size of data of which a delta is made
 * @param memoryMax maximum bytes of the messages that deltas are made from
 */
public record DeltaConfig(boolean enabled, int bytesMin, int bytesMax, long memoryMax) {
    public static final DeltaConfig DEFAULT = new DeltaConfig(true, 64, 256 << 10, 64L << 20);

    /** Maximum of {@code bytesMax}; the loop makes a delta of that size in some milliseconds. */
    static final int MAX_BYTES = 1 << 20;

    public DeltaConfig {
        InvalidSetting.unlessWithin(1, MAX_BYTES, "Delta.MinBytes", bytesMin);
        InvalidSetting.unlessWithin(1, MAX_BYTES, "Delta.MaxBytes", bytesMax);
        InvalidSetting.unlessWithin(0, Long.MAX_VALUE, "Limit.DeltaBytes", memoryMax);
    }

    /** Returns the part of the memory that applies to one of this many lanes. */
    public DeltaConfig shareOf(int lanes) {
        return new DeltaConfig(enabled, bytesMin, bytesMax, Math.ceilDiv(memoryMax, lanes));
    }
}
