package io.belfry.settings;

/**
 * Thrown by the constructor of a configuration record for a value that breaks a rule. It names the setting, so that
 * {@link Problems} can say in which file and line it stands.
 */
public final class InvalidSetting extends IllegalArgumentException {
    private final String keyName;
    private final String rule;

    /** The message has no value: for secrets and for what is wrong with the whole. */
    public InvalidSetting(String keyName, String rule) {
        super(keyName + ": " + rule);
        this.keyName = keyName;
        this.rule = rule;
    }

    public InvalidSetting(String keyName, Object value, String rule) {
        super(keyName + " = " + value + ": " + rule);
        this.keyName = keyName;
        this.rule = rule;
    }

    /** For compact constructors: {@code unless(cacheSize >= 0, "CacheSize", cacheSize, "must be 0 or more")}. */
    public static void unless(boolean holds, String keyName, Object value, String rule) {
        if (!holds) throw new InvalidSetting(keyName, value, rule);
    }

    /** A whole number within its bounds. */
    public static void unlessWithin(long min, long max, String keyName, long value) {
        unless(value >= min && value <= max, keyName, value, NumberType.boundsRule(min, max));
    }

    public String keyName() {
        return keyName;
    }

    public String rule() {
        return rule;
    }
}
