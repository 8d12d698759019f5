package io.belfry.server.command;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.control.ControlRequest;
import io.belfry.server.control.RunFolder;
import io.belfry.server.training.TrainingLoad;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Records the AOT caches. For that of a server, it starts one on free ports of loopback, as {@code run} does, sends it the traffic of
 * {@link TrainingLoad} and stops it; its JVM then writes the cache. For that of the short commands, it executes {@code start}. Owner: the
 * thread of the command.
 *
 * @param server the cache of servers with the profile
 * @param commands the cache of short commands
 * @param home the folder above bin/
 * @param profile the profile of JVM options
 */
record AotRecorder(AotCache server, AotCache commands, Path home, String profile, PrintWriter err) {
    private static final Duration START_MAX = Duration.ofSeconds(60);
    private static final Duration WRITE_MAX = Duration.ofMinutes(3);
    private static final String NAME = "training";
    private static final Pattern LISTENING = Pattern.compile("listening on \\S+:(\\d+)");
    private static final Pattern MONITOR = Pattern.compile("HTTP monitor: http://\\S+:(\\d+)/");

    /**
     * The training has the defaults of a server, with its own addresses. Its port for JMX is free too. The history becomes full and
     * pings are due within its seconds, as they do within minutes on other servers: code that a profile has never seen is left out
     * of compiled methods, and when it is needed first, these methods are interpreted until they are compiled again. For the same
     * reason the maximum message is large: a segment of the history must have room for it, so the first one begins small and grows.
     */
    private static final List<String> SETTINGS = List.of(
            "Listen=127.0.0.1:0",
            "Monitor=JMX, HTTP",
            "MonitorHTTP.Listen=127.0.0.1:0",
            "MonitorJMX.Listen=127.0.0.1:0",
            "CacheMemory=1 MB",
            "MaxMessageSize=500 KB",
            "PingInterval=2s");

    /** The settings of the server that the command starts. */
    private static final List<String> SETTINGS_OF_COMMAND =
            List.of("Listen=127.0.0.1:0", "MonitorJMX.Listen=127.0.0.1:0");

    static AotRecorder of(Path home, String profile, PrintWriter err) {
        AotCache server = AotCache.of(home, profile);
        return new AotRecorder(server, server.ofCommands(), home, profile, err);
    }

    /** Records the caches for the profile in use, if the environment allows it and one is missing. */
    static void prepare(Path home, Map<String, String> environment, PrintWriter err)
            throws IOException, InterruptedException {
        if (AotCache.wanted(environment) && AotCache.mayBeRecorded(environment)) {
            String profile = JvmOptions.profile(environment);
            of(home, profile, err).recordIfNeeded();
        }
    }

    /** Records the caches if one is not current, and they can be written. Only one process records them; others wait. */
    void recordIfNeeded() throws IOException, InterruptedException {
        if (areCurrent() || !server.isWritable()) {
            return;
        }
        Path lock = server.file().resolveSibling(server.file().getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (channel.tryLock() == null) {
                err.println("belfry: waiting for another process that is recording the AOT caches");
                channel.lock();
            }
            if (!areCurrent()) {
                err.println("belfry: recording the AOT caches for fast starts, once for this build; takes about 15 s");
                record();
            }
        }
    }

    private boolean areCurrent() {
        return server.isCurrent() && commands.isCurrent();
    }

    /** Records the caches; returns an exit code. A failure is printed and leaves no cache. */
    int record() throws IOException, InterruptedException {
        boolean serverRecorded = record(server, this::train);
        // The command starts its server with the first cache.
        boolean commandsRecorded = record(commands, this::trainCommand);
        return serverRecorded && commandsRecorded ? Exit.WELL : Exit.FAILED;
    }

    private boolean record(AotCache cache, Training training) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("belfry");
        try {
            training.in(folder);
        } catch (IOException e) {
            err.println("belfry: the AOT cache " + cache.file() + " was not recorded, so starts are slower: "
                    + FailedCommand.explain(e));
        } finally {
            delete(folder);
        }
        return cache.replace();
    }

    /** Lets a JVM record a cache; the folder is empty, and deleted afterwards. */
    @FunctionalInterface
    private interface Training {
        void in(Path folder) throws IOException, InterruptedException;
    }

    private void train(Path folder) throws IOException, InterruptedException {
        Instance instance = new Instance(new RunFolder(folder, NAME));
        Process trained = startServer(folder);
        try {
            if (!Instance.await(START_MAX, () -> !trained.isAlive() || instance.answers()) || !trained.isAlive()) {
                throw new IOException("the server of the training did not start: " + output(folder));
            }
            String log = Files.readString(folder.resolve(NAME + ".log"));
            String password =
                    Files.readString(folder.resolve("monitor.password")).strip();
            new TrainingLoad(port(LISTENING, log), port(MONITOR, log), password).run();
            instance.ask(new ControlRequest.Stop());
            if (!trained.waitFor(WRITE_MAX) || !Files.exists(server.unfinished())) {
                throw new IOException("the JVM of the training wrote no cache: " + output(folder));
            }
        } finally {
            kill(trained);
        }
    }

    private Process startServer(Path folder) throws IOException {
        // Without the user's options, which may open a port, or have a log file that a running server writes.
        List<String> options = new JvmOptions(home, Map.of("BELFRY_JVM_PROFILE", profile, "BELFRY_AOT_CACHE", "off"))
                .of(ConfigLoader.load(Optional.empty(), Map.of(), inFolder(SETTINGS, folder)));
        options.addAll(server.recordingOptions());
        return execute(folder, options, List.of("run", "--daemon"), SETTINGS);
    }

    /** Starts a server as bin/belfry does, and ends it. The JVM of the command writes its cache when it ends. */
    private void trainCommand(Path folder) throws IOException, InterruptedException {
        Instance instance = new Instance(new RunFolder(folder, NAME));
        List<String> options = new ArrayList<>();
        options.add("@" + home.resolve("tuning").resolve("jvm").resolve("command.options"));
        options.add("-Dbelfry.home=" + home);
        options.addAll(commands.recordingOptions());
        // The server has a session of its own, so Ctrl-C does not reach it.
        Thread atExit = new Thread(() -> end(instance));
        Runtime.getRuntime().addShutdownHook(atExit);
        Process command = execute(folder, options, List.of("start"), SETTINGS_OF_COMMAND);
        try {
            if (!command.waitFor(WRITE_MAX) || !Files.exists(commands.unfinished())) {
                throw new IOException("the JVM of the command wrote no cache: " + output(folder));
            }
        } finally {
            kill(command);
            end(instance);
            Runtime.getRuntime().removeShutdownHook(atExit);
        }
    }

    /** Kills a JVM, and the process with which it writes a cache. */
    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Ends the server if it runs. It has nothing to save. */
    private static void end(Instance instance) {
        try {
            instance.pid().stream()
                    .mapToObj(ProcessHandle::of)
                    .flatMap(Optional::stream)
                    .forEach(process -> {
                        process.destroyForcibly();
                        process.onExit().join();
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> inFolder(List<String> settings, Path folder) {
        List<String> all = new ArrayList<>(settings);
        all.add("LogFolder=" + folder);
        return all;
    }

    private Process execute(Path folder, List<String> options, List<String> words, List<String> settings)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), InstallFolder.MAIN_CLASS));
        command.addAll(words);
        command.addAll(List.of("--name", NAME));
        inFolder(settings, folder).forEach(setting -> command.addAll(List.of("--set", setting)));
        ProcessBuilder builder = new ProcessBuilder(command);
        // Variables of the user could set keys.
        builder.environment().keySet().removeIf(variable -> variable.startsWith("BELFRY_"));
        builder.environment()
                .putAll(Map.of(
                        "BELFRY_RUN_FOLDER",
                        folder.toString(),
                        "BELFRY_JVM_PROFILE",
                        profile,
                        "BELFRY_AOT_CACHE",
                        "keep"));
        return builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(folder.resolve("output").toFile())
                .redirectErrorStream(true)
                .start();
    }

    private static int port(Pattern line, String log) throws IOException {
        Matcher found = line.matcher(log);
        if (!found.find()) {
            throw new IOException("the log of the training's server lacks '" + line + "'");
        }
        return Integer.parseInt(found.group(1));
    }

    private static String output(Path folder) throws IOException {
        return Files.readString(folder.resolve("output")).strip();
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
