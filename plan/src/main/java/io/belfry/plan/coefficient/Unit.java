package io.belfry.plan.coefficient;

import java.util.Locale;

/** Units of amounts, and how a person reads them. */
public enum Unit {
    /** Things, or a factor. */
    COUNT(""),
    BYTES("bytes"),
    /** Of CPU. */
    MICROS("us"),
    NANOS("ns"),
    CORES("cores"),
    PER_SECOND("1/s"),
    BITS_PER_SECOND("bit/s"),
    BYTES_PER_SECOND("bytes/s"),
    SECONDS("s"),
    SHARE("share");

    private static final double HUNDRED = 100;
    private static final int TEN = 10;
    private static final double LITTLE = 0.001;

    private final String symbol;

    Unit(String symbol) {
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }

    public String show(long amount) {
        return show((double) amount);
    }

    public String show(double amount) {
        return switch (this) {
            case COUNT -> plain(amount);
            case PER_SECOND -> plain(amount) + "/s";
            case BYTES -> bytes(amount);
            case BYTES_PER_SECOND -> scaled(amount, 0x1p20, "MB/s");
            case BITS_PER_SECOND -> scaled(amount, 1e9, "Gbit/s");
            case MICROS -> plain(amount) + " us";
            case NANOS -> plain(amount) + " ns";
            case CORES -> cores(amount);
            case SECONDS -> plain(amount) + " s";
            case SHARE -> plain(amount * HUNDRED) + "%";
        };
    }

    private static String plain(double amount) {
        if (amount == Math.rint(amount) || Math.abs(amount) >= HUNDRED * TEN) {
            return String.format(Locale.ROOT, "%,.0f", amount);
        }
        return amount >= 1
                ? String.format(Locale.ROOT, "%.2f", amount).replaceAll("\\.?0+$", "")
                : String.format(Locale.ROOT, "%.3g", amount).replaceAll("0+$", "");
    }

    private static String bytes(double amount) {
        if (Math.abs(amount) >= 0x1p30) {
            return scaled(amount, 0x1p30, "GB");
        }
        if (Math.abs(amount) >= 0x1p20) {
            return scaled(amount, 0x1p20, "MB");
        }
        return plain(Math.rint(amount)) + " B";
    }

    private static String cores(double amount) {
        if (amount > 0 && amount == Math.rint(amount)) {
            return String.format(Locale.ROOT, "%,.0f cores", amount);
        }
        return amount > 0 && amount < LITTLE
                ? "<" + LITTLE + " cores"
                : String.format(Locale.ROOT, amount < TEN ? "%.3f cores" : "%,.1f cores", amount);
    }

    private static String scaled(double amount, double unit, String name) {
        double number = amount / unit;
        boolean whole = number == Math.rint(number) || number >= HUNDRED;
        return String.format(Locale.ROOT, whole ? "%,.0f %s" : number < TEN ? "%.2f %s" : "%.1f %s", number, name);
    }
}
