package io.belfry.server.command;

import io.belfry.server.config.ConfigKey;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.EffectiveConfig;
import io.belfry.settings.Key;
import io.belfry.settings.Origin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Sources of the configuration; each call reads them again. Filled by the command line, then unchanged. */
final class ConfigOptions {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "reads the configuration from this file; without it every key has its default")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "sets a key and overrides the file and the environment; may be repeated")
    private List<String> sets = new ArrayList<>();

    /** Creates options for picocli to fill. */
    ConfigOptions() {}

    /** Creates filled options. */
    ConfigOptions(@Nullable Path file, List<String> sets) {
        this.file = file;
        this.sets = List.copyOf(sets);
    }

    /** Loads the configuration. Throws a SettingsException that lists all problems. */
    EffectiveConfig load() {
        return ConfigLoader.effective(Optional.ofNullable(file), System.getenv(), sets);
    }

    /** Returns the configuration file if it contains secrets. */
    Optional<Path> fileWithSecrets(EffectiveConfig config) {
        return Optional.ofNullable(file)
                .filter(present -> Arrays.stream(ConfigKey.values())
                        .filter(ConfigKey::secret)
                        .flatMap(key -> config.settings().entriesOf(key).stream())
                        .anyMatch(entry -> entry.origin() instanceof Origin.FileLine));
    }

    /** Returns the name of the configuration file for the log. */
    String origin() {
        return file == null ? "no file" : file.toString();
    }

    /** Returns the same options for another process in the same folder, except those in {@link #environment}. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        if (file != null) {
            arguments.addAll(List.of("-c", file.toString()));
        }
        sets.stream().filter(set -> variableOf(set).isEmpty()).forEach(set -> arguments.addAll(List.of("--set", set)));
        return arguments;
    }

    /** Returns secrets as environment variables for that process, because every local user can read its arguments. */
    Map<String, String> environment() {
        Map<String, String> variables = new HashMap<>();
        sets.forEach(set -> variableOf(set).ifPresent(variable -> variables.put(variable, valueOf(set))));
        return variables;
    }

    /** Returns the names of secret keys that were set in this process's arguments. */
    List<String> secretsInArguments() {
        return sets.stream()
                .filter(set -> keyOf(set).filter(Key::secret).isPresent())
                .map(ConfigOptions::nameOf)
                .distinct()
                .toList();
    }

    /** Returns the variable of a secret key. A name under a pattern key has no exact variable and stays an argument. */
    private static Optional<String> variableOf(String set) {
        return keyOf(set)
                .filter(key -> key.secret() && !key.pattern() && !valueOf(set).isEmpty())
                .map(ConfigLoader.KEYS::variableOf);
    }

    private static Optional<Key> keyOf(String set) {
        return ConfigLoader.KEYS.find(nameOf(set));
    }

    private static String nameOf(String set) {
        return set.substring(0, Math.max(0, set.indexOf('='))).strip();
    }

    private static String valueOf(String set) {
        return set.substring(set.indexOf('=') + 1).strip();
    }
}
