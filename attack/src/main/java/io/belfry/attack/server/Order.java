package io.belfry.attack.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the operator asked for. Immutable.
 *
 * @param home the folder above {@code bin}
 * @param file the configuration; empty: the defaults
 * @param sets each {@code KEY=VALUE}
 * @param token for servers whose tokens are made elsewhere; null: none was given
 */
public record Order(
        Path home,
        Optional<Path> file,
        List<String> sets,
        @Nullable String token) {
    public Order {
        sets = List.copyOf(sets);
    }
}
