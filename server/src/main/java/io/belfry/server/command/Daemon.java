package io.belfry.server.command;

import io.belfry.server.config.LogConfig;
import io.belfry.server.config.ServerConfig;
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
import java.util.List;
import java.util.Map;

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

    /** Time until the pid is known, which is milliseconds on an idle machine. */
    private static final Duration PID_MAX = Duration.ofSeconds(20);

    /** Prints the pid and becomes the command, with its output in the file of the first argument. */
    private static final String START = "echo $$; output=$1; shift; exec \"$@\" </dev/null >\"$output\" 2>&1";

    static Daemon of(Instance instance, ServerConfig config, ConfigOptions options, Duration timeout) {
        LogConfig log = config.process().log();
        List<String> command = new ArrayList<>();
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
     * program nohup is no alternative: it ignores SIGHUP, so the JVM could not use SIGHUP to reload. With {@code -f} it also ends at once:
     * while a JVM has a child process, a thread waits for it, and the JVM's own end then takes 0.3 s. BusyBox has no such option.
     */
    private static List<String> ownSession() throws IOException {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            Path program = Path.of(folder, "setsid");
            if (Files.isExecutable(program)) {
                return program.toRealPath().endsWith("busybox")
                        ? List.of(program.toString())
                        : List.of(program.toString(), "-f");
            }
        }
        return List.of();
    }

    /** Starts the server; returns an exit code when it is ready, has died or has not become ready in time. */
    int start(PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        instance.folder().clear();
        long pid = spawn();
        boolean settled = Instance.await(timeout, () -> instance.answers() || !Instance.isAlive(pid));
        if (!Instance.isAlive(pid)) {
            err.println(instance.name() + " did not start; the last lines of " + output + ":");
            tail().forEach(line -> err.println("  " + line));
            return Exit.FAILED;
        }
        if (!settled) {
            err.println(instance.name() + " is not ready after " + timeout.toSeconds() + " s, pid " + pid
                    + "; it is still starting, see " + log);
            return Exit.FAILED;
        }
        out.println(instance.describe() + ", log " + log);
        return Exit.WELL;
    }

    /** Starts the process and returns its pid. */
    private long spawn() throws IOException, InterruptedException {
        Files.createDirectories(output.toAbsolutePath().getParent());
        if (Files.exists(output)) {
            // The output of a crashed server is kept for diagnosis.
            Path previous = output.resolveSibling(output.getFileName() + ".previous");
            Files.move(output, previous, StandardCopyOption.REPLACE_EXISTING);
        }
        List<String> starting = new ArrayList<>(ownSession());
        starting.addAll(List.of("/bin/sh", "-c", START, "sh", output.toString()));
        starting.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(starting);
        builder.environment().putAll(environment);
        // Not a pipe: the JDK closes its end when setsid ends, and the shell may print later.
        Path pid = output.resolveSibling(output.getFileName() + ".pid");
        builder.redirectOutput(pid.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!Instance.await(PID_MAX, () -> Files.readString(pid).endsWith("\n"))) {
                throw new IOException("the server could not be started with its output in " + output);
            }
            return Long.parseLong(Files.readString(pid).strip());
        } finally {
            Files.deleteIfExists(pid);
        }
    }

    private List<String> tail() throws IOException {
        List<String> lines = new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                .lines()
                .toList();
        return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    }
}
