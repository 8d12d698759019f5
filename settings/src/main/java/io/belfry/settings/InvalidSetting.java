package io.belfry.settings;

/**
 * Thrown by the constructor of a configuration record for a value that breaks a rule. It names the setting, so that
 * {@link Problems} can report the file and line of the value.
 */
public final class InvalidSetting extends IllegalArgumentException {
    private final String keyName;
    private final String rule;

    /** An error without a value in its message: for secrets, and for rules on several settings together. */
    public InvalidSetting(String keyName, String rule) {
        super(keyName + ": " + rule);
        this.keyName = keyName;
        this.rule = rule;
    }

    /** An error whose message shows the value. */
    public InvalidSetting(String keyName, Object value, String rule) {
        super(keyName + " = " + value + ": " + rule);
        this.keyName = keyName;
        this.rule = rule;
    }

    /**
     * Throws unless {@code holds}. Used in compact constructors: {@code unless(cacheSize >= 0, "CacheSize", cacheSize,
     * "must be 0 or more")}.
     */
    public static void unless(boolean holds, String keyName, Object value, String rule) {
        if (!holds) throw new InvalidSetting(keyName, value, rule);
    }

    /** Throws unless the value is from {@code min} to {@code max}. */
    public static void unlessWithin(long min, long max, String keyName, long value) {
        if (value < min || value > max) throw new InvalidSetting(keyName, value, NumberType.boundsRule(min, max));
    }

    /** Returns the name of the setting. */
    public String keyName() {
        return keyName;
    }

    /** Returns the rule that the value breaks. */
    public String rule() {
        return rule;
    }
}
