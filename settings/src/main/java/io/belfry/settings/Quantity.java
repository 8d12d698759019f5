package io.belfry.settings;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A whole number followed by a unit; white space between them is optional, and the unit is kept in lower case.
 * Immutable.
 */
record Quantity(long number, String unit) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18})\\s*([A-Za-z%]*)");

    /** Parses the text, or throws {@link BadValue} with {@code rule}. */
    static Quantity parse(String text, String rule) throws BadValue {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) throw new BadValue(rule);
        return new Quantity(Long.parseLong(form.group(1)), form.group(2).toLowerCase(Locale.ROOT));
    }

    /**
     * Returns the number times {@code factor}, or throws {@link BadValue} with {@code rule} if the product overflows.
     */
    long times(long factor, String rule) throws BadValue {
        try {
            return Math.multiplyExact(number, factor);
        } catch (ArithmeticException tooLarge) {
            throw new BadValue(rule);
        }
    }
}
