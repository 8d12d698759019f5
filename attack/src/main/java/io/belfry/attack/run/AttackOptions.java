package io.belfry.attack.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that the operator wants to have attacked, and the limits of each attack. Immutable.
 *
 * @param home the folder that contains {@code bin}
 * @param file the configuration file; empty: the defaults
 * @param sets overrides, each {@code KEY=VALUE}
 * @param token for servers that do not issue their own tokens; null: none was given
 * @param perAttack maximum duration, except for the time limits of the server that an attack waits for
 * @param p99MaxMillis limit of the regular clients' p99
 * @param releaseMax time that the server has to return memory after an attack, before growth counts as a fault
 * @param folder existing folder for all files of the servers
 */
public record AttackOptions(
        Path home,
        Optional<Path> file,
        List<String> sets,
        @Nullable String token,
        Duration perAttack,
        double p99MaxMillis,
        Duration releaseMax,
        Path folder) {
    /** The event loops and the C library keep unused memory for a minute. */
    public static final Duration RELEASE_MAX = Duration.ofSeconds(150);
}
