package io.belfry.settings;

import java.util.Optional;

/**
 * One setting a program understands. Each program has an enum of them, and everything else (parsing, checking, the
 * documentation) is derived from it. Names are matched without regard to case.
 */
public interface Key {
    /** As written in a file: {@code MonitorJMX.Listen}; a pattern key ends with {@code .*} and takes any last part. */
    String keyName();

    /** What a value may look like; carries the default unit and the bounds. */
    ValueType<?> type();

    /** The value, as it would be written, that counts while nothing is written; empty: the setting is then not set. */
    Optional<String> defaultText();

    /** What it does, for docs/configuration.md and the commented files. */
    String sentence();

    /** The heading under which it is documented; keys of one chapter stand together. */
    default String chapter() {
        return "";
    }

    /** Whether a running program takes a new value; otherwise it needs a restart. */
    default boolean reloadable() {
        return false;
    }

    /** Whether the value must never be shown. */
    default boolean secret() {
        return false;
    }

    default boolean pattern() {
        return keyName().endsWith(".*");
    }
}
