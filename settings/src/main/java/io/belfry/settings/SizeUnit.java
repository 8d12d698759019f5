package io.belfry.settings;

/** Units of sizes; each unit is 1,024 times the one before. */
public enum SizeUnit {
    B(1),
    KB(1L << 10),
    MB(1L << 20),
    GB(1L << 30),
    TB(1L << 40);

    private final long bytes;

    SizeUnit(long bytes) {
        this.bytes = bytes;
    }

    /** Returns the number of bytes of one unit. */
    public long bytes() {
        return bytes;
    }

    /** Returns the shortest exact text for a size: {@code 64 KB}. */
    public static String write(long bytes) {
        SizeUnit unit = B;
        for (SizeUnit larger : values()) {
            if (bytes != 0 && bytes % larger.bytes == 0) unit = larger;
        }
        return unit == B ? Long.toString(bytes) : bytes / unit.bytes + " " + unit;
    }
}
