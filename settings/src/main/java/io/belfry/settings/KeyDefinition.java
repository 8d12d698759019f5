package io.belfry.settings;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a {@link Key}. Immutable.
 *
 * @param keyName the name as in a file: {@code MonitorJMX.Listen}
 * @param type the type of the values, with their default unit and bounds
 * @param defaultText the value that applies while the file has none; empty for a setting that is not set by default
 * @param sentence what the key does, for the documentation and the commented files
 */
public record KeyDefinition(String keyName, ValueType<?> type, Optional<String> defaultText, String sentence) {
    /** Creates a definition; the default is null for a setting that is not set by default. */
    public static KeyDefinition of(String keyName, ValueType<?> type, @Nullable String defaultText, String sentence) {
        return new KeyDefinition(keyName, type, Optional.ofNullable(defaultText), sentence);
    }
}
