package io.belfry.server.command;

import io.belfry.server.control.RunFolder;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The plain forms of {@code run}, {@code start} and {@code jvm-options}: {@code -c FILE}, {@code --set KEY=VALUE}, {@code --name NAME} and
 * {@code --daemon}, each followed by its value. They are executed without picocli, which takes 0.2 s of each start: its classes have a
 * format that the JVM cannot store in the AOT cache. Any other command line, valid or not, is left to picocli.
 */
final class PlainCommand {
    private static final Duration START_TIMEOUT = new StartOptions().timeout();

    private final String command;
    private final List<String> sets = new ArrayList<>();
    private @Nullable Path file;
    private @Nullable String name;
    private boolean daemon;

    private PlainCommand(String command) {
        this.command = command;
    }

    /** Executes the command line and returns its exit code; empty if it is not plain, and nothing was done. */
    static OptionalInt execute(ServerLauncher launcher, String... arguments) {
        Iterator<String> words = List.of(arguments).iterator();
        PlainCommand plain = new PlainCommand(words.hasNext() ? words.next() : "");
        if (!plain.takes(words)) {
            return OptionalInt.empty();
        }
        Optional<Instance> instance = plain.instance();
        return instance.isEmpty() ? OptionalInt.empty() : plain.execute(launcher, instance.get());
    }

    private boolean takes(Iterator<String> words) {
        while (words.hasNext()) {
            String option = words.next();
            if (option.equals("--daemon") && !daemon && !command.equals("start")) {
                daemon = true;
            } else if (!words.hasNext() || !takes(option, words.next())) {
                return false;
            }
        }
        return true;
    }

    /** Takes an option with its value. picocli gives a meaning to some beginnings and ends of values, so these are not plain. */
    private boolean takes(String option, String value) {
        if (value.isEmpty() || "-@'\"".indexOf(value.charAt(0)) >= 0) {
            return false;
        }
        switch (option) {
            case "--set" -> sets.add(value);
            case "-c", "--config" -> {
                if (file != null) {
                    return false;
                }
                file = Path.of(value);
            }
            case "--name" -> {
                if (name != null) {
                    return false;
                }
                name = value;
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Returns the selected server; empty if its name is invalid, which picocli reports with the usage. */
    private Optional<Instance> instance() {
        try {
            return Optional.of(new Instance(new RunFolder(InstallFolder.runFolder(), name == null ? "belfry" : name)));
        } catch (IllegalArgumentException invalid) {
            return Optional.empty();
        }
    }

    private OptionalInt execute(ServerLauncher launcher, Instance instance) {
        PrintWriter out = new PrintWriter(System.out, true, System.out.charset());
        PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
        ConfigOptions options = new ConfigOptions(file, sets);
        try {
            return switch (command) {
                case "run" -> OptionalInt.of(new ServerRun(launcher, instance, options, daemon, err).run());
                case "start" -> OptionalInt.of(new ServerStart(instance, options, START_TIMEOUT, out, err).start());
                case "jvm-options" -> OptionalInt.of(JvmOptionsCommand.print(options, out, err));
                default -> OptionalInt.empty();
            };
        } catch (Exception failure) {
            return OptionalInt.of(report(failure, err));
        }
    }

    private static int report(Exception failure, PrintWriter err) {
        try {
            return FailedCommand.report(failure, err);
        } catch (Exception defect) {
            defect.printStackTrace(err);
            return Exit.FAILED;
        }
    }
}
