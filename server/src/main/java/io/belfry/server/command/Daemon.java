package io.belfry.server.command;

import io.belfry.server.config.LogConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.control.ControlRequest;
import io.belfry.server.log.LogSetup;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A server to be started as a process of its own, that outlives the one that starts it. Immutable.
 *
 * @param environment what it gets beside that of the one who starts it
 */
record Daemon(
        Instance instance,
        List<String> command,
        Map<String, String> environment,
        Path output,
        Path log,
        Duration patience) {
    /** As much of its last words as fits a screen. */
    private static final int TAIL_LINES = 20;

    static Daemon of(Instance instance, ServerConfig config, ConfigOptions options, Duration patience) {
        LogConfig log = config.log();
        List<String> command = new ArrayList<>();
        ownSession().ifPresent(command::add);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(new JvmOptions(Home.folder(), System.getenv()).of(config));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Home.MAIN_CLASS, "run", "--daemon"));
        command.addAll(List.of("--name", instance.name()));
        command.addAll(options.arguments());
        return new Daemon(
                instance,
                List.copyOf(command),
                options.environment(),
                log.folder().resolve(instance.name() + ".out"),
                LogSetup.file(log, instance.name()),
                patience);
    }

    /** The environment has secrets. */
    @Override
    public String toString() {
        return "Daemon[" + instance + ", environment=" + environment.keySet() + "]";
    }

    /**
     * The program that gives the server a session of its own, so that what the terminal sends to its programs does not
     * reach it. Not nohup: with SIGHUP ignored the JVM could not take it as the wish to reload.
     */
    private static Optional<String> ownSession() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, "setsid"))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    /** Returns when it answers, has died, or takes longer than it should: an exit code. */
    int start(PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        instance.folder().clear();
        Process process = spawn();
        boolean settled = Instance.await(patience, () -> !process.isAlive() || answers());
        if (!process.isAlive()) {
            err.println(instance.name() + " did not start; the last lines of " + output + ":");
            tail().forEach(line -> err.println("  " + line));
            return Exit.FAILED;
        }
        if (!settled) {
            err.println(instance.name() + " is not ready after " + patience.toSeconds() + " s, pid " + process.pid()
                    + "; it goes on starting, see " + log);
            return Exit.FAILED;
        }
        out.println(instance.describe() + ", log " + log);
        return Exit.WELL;
    }

    private Process spawn() throws IOException {
        Files.createDirectories(output.toAbsolutePath().getParent());
        if (Files.exists(output)) {
            // Whatever the last one said when it died is worth more than the space.
            Path previous = output.resolveSibling(output.getFileName() + ".previous");
            Files.move(output, previous, StandardCopyOption.REPLACE_EXISTING);
        }
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(output.toFile())
                .redirectErrorStream(true)
                .start();
    }

    private boolean answers() {
        try {
            return instance.ask(new ControlRequest.Status()).ok();
        } catch (IOException e) {
            return false; // not yet
        }
    }

    private List<String> tail() throws IOException {
        List<String> lines = new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                .lines()
                .toList();
        return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    }
}
