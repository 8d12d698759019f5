package io.belfry.settings;

/** Units of times. */
public enum TimeScale {
    MS("ms", 1),
    S("s", 1_000),
    M("m", 60_000),
    H("h", 3_600_000);

    private final String symbol;
    private final long millis;

    TimeScale(String symbol, long millis) {
        this.symbol = symbol;
        this.millis = millis;
    }

    /** Returns the unit as it is written: {@code ms}. */
    public String symbol() {
        return symbol;
    }

    /** Returns the number of milliseconds of one unit. */
    public long millis() {
        return millis;
    }

    /** Returns the text for a time, in seconds or milliseconds: {@code 180 s}. */
    public static String write(long millis) {
        return millis % S.millis == 0 ? millis / S.millis + " s" : millis + " ms";
    }
}
