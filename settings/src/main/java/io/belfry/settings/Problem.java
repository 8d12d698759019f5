package io.belfry.settings;

/** One error in the settings: its source, the text found there, and the rule that the text breaks. Immutable. */
public record Problem(String where, String what, String rule) {
    /** Creates a problem with a written value; the value of a secret is not shown. */
    public static Problem of(Entry entry, boolean secret, String rule) {
        String shown = secret ? Settings.HIDDEN : entry.value();
        return new Problem(entry.origin().toString(), entry.name() + " = " + shown, rule);
    }

    @Override
    public String toString() {
        return where + ": " + what + ": " + rule;
    }
}
