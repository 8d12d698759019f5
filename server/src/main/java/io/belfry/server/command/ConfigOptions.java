package io.belfry.server.command;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.EffectiveConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    /** For the log. */
    String origin() {
        return file == null ? "no file" : file.toString();
    }

    /** The same options for another process in the same folder. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        if (file != null) {
            arguments.addAll(List.of("-c", file.toString()));
        }
        sets.forEach(set -> arguments.addAll(List.of("--set", set)));
        return arguments;
    }
}
