package io.belfry.plan.input;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts as people write them, to numbers. Pure; what cannot be read is {@link Nonsense}. */
public final class Amounts {
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

    private Amounts() {}

    /** {@code 60000000}, {@code 60M}, {@code 60,000,000}, {@code 1e9}: a whole number from 1. */
    public static long count(String name, String text) {
        double number = read(name, text.replaceAll("[,_]", ""), THOUSANDS, "is a number such as 5000, 60M or 1e9");
        if (number < 1 || number > 1e12 || number != Math.rint(number)) {
            throw Nonsense.badValue(name, "is a whole number from 1 to 1e12", text);
        }
        return (long) number;
    }

    /** {@code 1/min}, {@code 10/s}, {@code 1/h}, {@code 20k/s}: times a second. {@code 0} is never. */
    public static double perSecond(String name, String text) {
        String rule = "is a number for a time, such as 10/s, 1/min or 1/h";
        if (text.strip().equals("0")) {
            return 0;
        }
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw Nonsense.badValue(name, rule, text);
        }
        String unit = text.substring(slash + 1).strip().toLowerCase(Locale.ROOT);
        Double seconds = unit.isEmpty() || unit.equals("ms") ? null : TIMES.get(unit);
        if (seconds == null) {
            throw Nonsense.badValue(name, rule, text);
        }
        return read(name, text.substring(0, slash).replaceAll("[,_]", ""), THOUSANDS, rule) / seconds;
    }

    /** {@code 512}, {@code 64 KB}, {@code 8GB}: bytes, each unit 1024 of the one before. */
    public static long bytes(String name, String text) {
        return (long) read(name, text, SIZES, "is a size such as 512, 64KB or 8GB");
    }

    /** {@code 500ms}, {@code 2m}; a bare number is seconds. */
    public static double seconds(String name, String text) {
        return read(name, text, TIMES, "is a time such as 500ms, 30s or 2m");
    }

    /** {@code 10Gbit}, {@code 100Mbit}; a bare number is gigabits a second. */
    public static double bitsPerSecond(String name, String text) {
        return positive(name, text, read(name, text, BITS, "is a bandwidth such as 1Gbit or 25Gbit"));
    }

    /** {@code 30%}, {@code 0.3}. */
    public static double share(String name, String text) {
        double share = read(name, text, SHARES, "is a share such as 30% or 0.3");
        if (share > 1) {
            throw Nonsense.badValue(name, "is a share from 0 to 100%", text);
        }
        return share;
    }

    private static double positive(String name, String text, double number) {
        if (number <= 0) {
            throw Nonsense.badValue(name, "is more than 0", text);
        }
        return number;
    }

    private static double read(String name, String text, Map<String, Double> units, String rule) {
        Matcher form = NUMBER_AND_UNIT.matcher(text.strip());
        Double factor = form.matches() ? units.get(form.group(2).toLowerCase(Locale.ROOT)) : null;
        if (factor == null) {
            throw Nonsense.badValue(name, rule, text);
        }
        return Double.parseDouble(form.group(1)) * factor;
    }
}
