package io.belfry.plan.model;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The units of amounts: how options are parsed and how amounts are printed for people. */
public enum Unit {
    /** A plain number; in an option a whole number from 1: {@code 60000000}, {@code 60M}, {@code 60,000,000}, {@code 1e9}. */
    COUNT(""),
    /** In an option {@code 512}, {@code 64 KB} or {@code 8GB}; units are powers of 1024. */
    BYTES("bytes"),
    /** Microseconds of CPU time. */
    MICROS("us"),
    NANOS("ns"),
    CORES("cores"),
    /** In an option {@code 1/min}, {@code 10/s}, {@code 1/h} or {@code 20k/s}; {@code 0} is never. */
    PER_SECOND("1/s"),
    /** In an option {@code 10Gbit} or {@code 100Mbit}; a number without unit is Gbit per second. */
    BITS_PER_SECOND("bit/s"),
    BYTES_PER_SECOND("bytes/s"),
    /** In an option {@code 500ms} or {@code 2m}; a number without unit is seconds. */
    SECONDS("s"),
    /** From 0 to 1; in an option {@code 30%} or {@code 0.3}. */
    SHARE("share");

    private static final double HUNDRED = 100;
    private static final int TEN = 10;
    private static final double LITTLE = 0.001;

    private static final Pattern NUMBER_AND_UNIT =
            Pattern.compile("(\\d+(?:\\.\\d+)?(?:[eE]\\d{1,2})?)\\s*([A-Za-z/%]*)");
    private static final Map<String, Double> THOUSANDS = Map.of("", 1.0, "k", 1e3, "m", 1e6, "g", 1e9);
    private static final Map<String, Double> SIZES =
            Map.of("", 1.0, "b", 1.0, "kb", 0x1p10, "mb", 0x1p20, "gb", 0x1p30, "tb", 0x1p40);
    private static final Map<String, Double> TIMES =
            Map.of("", 1.0, "ms", 1e-3, "s", 1.0, "m", 60.0, "min", 60.0, "h", 3600.0, "d", 86_400.0);
    private static final Map<String, Double> BITS =
            Map.of("", 1e9, "k", 1e3, "m", 1e6, "g", 1e9, "kbit", 1e3, "mbit", 1e6, "gbit", 1e9);
    private static final Map<String, Double> SHARES = Map.of("", 1.0, "%", 0.01);

    private final String symbol;

    Unit(String symbol) {
        this.symbol = symbol;
    }

    /** Returns the unit as it stands in JSON. */
    @JsonValue
    public String symbol() {
        return symbol;
    }

    /** Parses the text of an option; {@code name} is its name for the {@link PlanError} of an invalid text. */
    public double parse(String name, String text) {
        return switch (this) {
            case COUNT, CORES -> {
                double number = number(name, separated(text), THOUSANDS, "must be a number such as 5000, 60M or 1e9");
                boolean whole = number >= 1 && number <= 1e12 && number == Math.rint(number);
                yield require(whole, number, name, "must be a whole number from 1 to 1e12", text);
            }
            case BYTES, BYTES_PER_SECOND ->
                Math.floor(number(name, text, SIZES, "must be a size such as 512, 64KB or 8GB"));
            case PER_SECOND -> text.strip().equals("0") ? 0 : perSecond(name, text);
            case BITS_PER_SECOND -> {
                double bits = number(name, text, BITS, "must be a bandwidth such as 1Gbit or 25Gbit");
                yield require(bits > 0, bits, name, "must be more than 0", text);
            }
            case SECONDS, MICROS, NANOS -> number(name, text, TIMES, "must be a time such as 500ms, 30s or 2m");
            case SHARE -> {
                double share = number(name, text, SHARES, "must be a share such as 30% or 0.3");
                yield require(share <= 1, share, name, "must be a share from 0 to 100%", text);
            }
        };
    }

    private static double perSecond(String name, String text) {
        String rule = "must be a number per time, such as 10/s, 1/min or 1/h";
        String[] parts = text.split("/", 2);
        String unit = parts.length < 2 ? "" : parts[1].strip().toLowerCase(Locale.ROOT);
        double seconds = unit.isEmpty() || unit.equals("ms") ? 0 : TIMES.getOrDefault(unit, 0.0);
        require(seconds > 0, seconds, name, rule, text);
        return number(name, separated(parts[0]), THOUSANDS, rule) / seconds;
    }

    private static String separated(String text) {
        return text.replaceAll("[,_]", "");
    }

    private static double number(String name, String text, Map<String, Double> units, String rule) {
        Matcher form = NUMBER_AND_UNIT.matcher(text.strip());
        Double factor = form.matches() ? units.get(form.group(2).toLowerCase(Locale.ROOT)) : null;
        if (factor == null) {
            throw PlanError.badValue(name, rule, text);
        }
        return Double.parseDouble(form.group(1)) * factor;
    }

    private static double require(boolean valid, double number, String name, String rule, String text) {
        if (!valid) {
            throw PlanError.badValue(name, rule, text);
        }
        return number;
    }

    /** Returns an amount with its unit. */
    public String show(double amount) {
        return switch (this) {
            case COUNT -> plain(amount);
            case PER_SECOND -> plain(amount) + "/s";
            case BYTES -> bytes(amount);
            case BYTES_PER_SECOND -> scaled(amount, 0x1p20, "MB/s");
            case BITS_PER_SECOND -> scaled(amount, 1e9, "Gbit/s");
            case MICROS, NANOS, SECONDS -> plain(amount) + " " + symbol;
            case CORES -> cores(amount);
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
        return Math.abs(amount) >= 0x1p20 ? scaled(amount, 0x1p20, "MB") : plain(Math.rint(amount)) + " B";
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
