package io.belfry.settings;

/** The text is no value of its type; the message is the rule it breaks. An expected outcome, hence without a stack. */
public final class BadValue extends Exception {
    public BadValue(String rule) {
        super(rule, null, false, false);
    }

    public String rule() {
        return String.valueOf(getMessage());
    }
}
