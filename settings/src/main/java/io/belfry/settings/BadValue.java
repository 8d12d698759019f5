package io.belfry.settings;

/**
 * Thrown when a text is not a valid value of its type; the message is the rule that the text breaks. Has no stack
 * trace, because invalid values are an expected outcome.
 */
public final class BadValue extends Exception {
    public BadValue(String rule) {
        super(rule, null, false, false);
    }

    /** Returns the rule that the text breaks, for example {@code must be true or false}. */
    public String rule() {
        return String.valueOf(getMessage());
    }
}
