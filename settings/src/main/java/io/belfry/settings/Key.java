package io.belfry.settings;

import java.util.Optional;

/**
 * One setting of a program. Each program has an enum of its keys; parsing, checking and the documentation are derived
 * from it. Names are compared without regard to case.
 */
public interface Key {
    /** Returns the name, type, default and sentence of the key. */
    KeyDefinition definition();

    /**
     * Returns the name as written in a file: {@code MonitorJMX.Listen}. The name of a pattern key ends with {@code .*},
     * and any last part may be written in its place.
     */
    default String keyName() {
        return definition().keyName();
    }

    /** Returns the type of the values, with their default unit and bounds. */
    default ValueType<?> type() {
        return definition().type();
    }

    /** Returns the text of the default value; empty if the setting has no value unless one is written. */
    default Optional<String> defaultText() {
        return definition().defaultText();
    }

    /** Returns the sentence that describes the setting in docs/configuration.md and in the configuration files. */
    default String sentence() {
        return definition().sentence();
    }

    /** Returns the heading under which the key is documented; keys of one chapter follow each other. */
    default String chapter() {
        return "";
    }

    /** Whether a running program applies a new value on reload; otherwise the value takes effect after a restart. */
    default boolean reloadable() {
        return false;
    }

    /** Whether the value must never be shown. */
    default boolean secret() {
        return false;
    }

    /** Whether this is a pattern key, such as {@code Kafka.Common.*}. */
    default boolean pattern() {
        return keyName().endsWith(".*");
    }
}
