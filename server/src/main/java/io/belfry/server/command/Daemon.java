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
 * A server to start as a separate process, which keeps running after the calling process ends. Immutable.
 *
 * @param environment variables to add to the environment of the calling process
 */
record Daemon(
        Instance instance,
        List<String> command,
        Map<String, String> environment,
        Path output,
        Path log,
        Duration timeout) {
    /** Number of output lines to print after a failed start; they fit on one screen. */
    private static final int TAIL_LINES = 20;

    static Daemon of(Instance instance, ServerConfig config, ConfigOptions options, Duration timeout) {
        LogConfig log = config.process().log();
        List<String> command = new ArrayList<>();
        ownSession().ifPresent(command::add);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(new JvmOptions(InstallFolder.path(), System.getenv()).of(config));
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), InstallFolder.MAIN_CLASS, "run", "--daemon"));
        command.addAll(List.of("--name", instance.name()));
        command.addAll(options.arguments());
        return new Daemon(
                instance,
                List.copyOf(command),
                options.environment(),
                log.folder().resolve(instance.name() + ".out"),
                LogSetup.file(log, instance.name()),
                timeout);
    }

    /** Returns a text without the values of the environment, because they contain secrets. */
    @Override
    public String toString() {
        return "Daemon[" + instance + ", environment=" + environment.keySet() + "]";
    }

    /**
     * Returns the program that starts the server in a new session, so that signals of the terminal do not reach it. The
     * program nohup is no alternative: it ignores SIGHUP, so the JVM could not use SIGHUP to reload.
     */
    private static Optional<String> ownSession() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, "setsid"))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    /** Starts the server; returns an exit code when it is ready, has died or has not become ready in time. */
    int start(PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        instance.folder().clear();
        Process process = spawn();
        boolean settled = Instance.await(timeout, () -> !process.isAlive() || answers());
        if (!process.isAlive()) {
            err.println(instance.name() + " did not start; the last lines of " + output + ":");
            tail().forEach(line -> err.println("  " + line));
            return Exit.FAILED;
        }
        if (!settled) {
            err.println(instance.name() + " is not ready after " + timeout.toSeconds() + " s, pid " + process.pid()
                    + "; it is still starting, see " + log);
            return Exit.FAILED;
        }
        out.println(instance.describe() + ", log " + log);
        return Exit.WELL;
    }

    private Process spawn() throws IOException {
        Files.createDirectories(output.toAbsolutePath().getParent());
        if (Files.exists(output)) {
            // The output of a crashed server is kept for diagnosis.
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
            return false; // still starting
        }
    }

    private List<String> tail() throws IOException {
        List<String> lines = new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                .lines()
                .toList();
        return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    }
}
