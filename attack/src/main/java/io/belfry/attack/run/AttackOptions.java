package io.belfry.attack.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that the operator wants to have attacked. Immutable.
 *
 * @param home the folder that contains {@code bin}
 * @param file the configuration file; empty: the defaults
 * @param sets overrides, each {@code KEY=VALUE}
 * @param token for servers that do not issue their own tokens; null: none was given
 */
public record AttackOptions(
        Path home,
        Optional<Path> file,
        List<String> sets,
        @Nullable String token) {
    public AttackOptions {
        sets = List.copyOf(sets);
    }
}
