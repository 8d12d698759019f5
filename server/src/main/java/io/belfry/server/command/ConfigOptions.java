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

/** Where the configuration comes from; read anew by every call. Filled by the command line, then unchanged. */
final class ConfigOptions {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "the configuration file; without it the defaults hold")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "sets a key above the file and the environment; may be repeated")
    private List<String> sets = new ArrayList<>();

    /** Throws a SettingsException that lists everything wrong. */
    EffectiveConfig load() {
        return ConfigLoader.effective(Optional.ofNullable(file), System.getenv(), sets);
    }

    /** The configuration file, where secrets stand in it. */
    Optional<Path> fileWithSecrets(EffectiveConfig config) {
        return Optional.ofNullable(file)
                .filter(present -> Arrays.stream(ConfigKey.values())
                        .filter(ConfigKey::secret)
                        .flatMap(key -> config.settings().entriesOf(key).stream())
                        .anyMatch(entry -> entry.origin() instanceof Origin.FileLine));
    }

    /** For the log. */
    String origin() {
        return file == null ? "no file" : file.toString();
    }

    /** The same options for another process in the same folder, but for what its {@link #environment} has. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        if (file != null) {
            arguments.addAll(List.of("-c", file.toString()));
        }
        sets.stream().filter(set -> variableOf(set).isEmpty()).forEach(set -> arguments.addAll(List.of("--set", set)));
        return arguments;
    }

    /** Secrets for that process: arguments can be read by every user of the machine, the environment by its owner only. */
    Map<String, String> environment() {
        Map<String, String> variables = new HashMap<>();
        sets.forEach(set -> variableOf(set).ifPresent(variable -> variables.put(variable, valueOf(set))));
        return variables;
    }

    /** The names of secrets that stand in the arguments of this process. */
    List<String> secretsInArguments() {
        return sets.stream()
                .filter(set -> keyOf(set).filter(Key::secret).isPresent())
                .map(ConfigOptions::nameOf)
                .distinct()
                .toList();
    }

    /** Names under a pattern key cannot be told by a variable exactly: they stay where they are. */
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
