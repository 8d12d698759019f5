package io.belfry.bench;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as the command line has them. Pure. */
final class Times {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*(ms|s|m|h|)");

    private Times() {}

    /** {@code 500ms}, {@code 30s}, {@code 2m}; a bare number is seconds. */
    static double seconds(String option, String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(option + " needs a time such as 30s or 2m, not " + text);
        }
        double number = Double.parseDouble(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> number / 1000;
            case "m" -> number * 60;
            case "h" -> number * 3600;
            default -> number;
        };
    }
}
