package io.belfry.server.command;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.control.ControlRequest;
import io.belfry.server.control.RunFolder;
import io.belfry.server.training.TrainingLoad;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
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
 * Records an AOT cache: starts a server on free ports of loopback, as {@code run} does, sends it the traffic of {@link TrainingLoad}
 * and stops it; its JVM then writes the cache. Owner: the thread of the command.
 *
 * @param home the folder above bin/
 * @param profile the profile of JVM options
 */
record AotRecorder(AotCache cache, Path home, String profile, PrintWriter err) {
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

    /** Records the cache of the profile in use, if the environment allows a cache and there is none. */
    static void prepare(Path home, Map<String, String> environment, PrintWriter err)
            throws IOException, InterruptedException {
        if (AotCache.wanted(environment) && AotCache.mayBeRecorded(environment)) {
            String profile = JvmOptions.profile(environment);
            new AotRecorder(AotCache.of(home, profile), home, profile, err).recordIfNeeded();
        }
    }

    /** Records the cache if it is not current and can be written. Only one process records it; others wait. */
    void recordIfNeeded() throws IOException, InterruptedException {
        if (cache.isCurrent() || !cache.isWritable()) {
            return;
        }
        Path lock = cache.file().resolveSibling(cache.file().getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (channel.tryLock() == null) {
                err.println("belfry: waiting for another process that is recording the AOT cache");
                channel.lock();
            }
            if (!cache.isCurrent()) {
                err.println("belfry: recording the AOT cache for fast starts, once for this build; takes about 15 s");
                record();
            }
        }
    }

    /** Records the cache; returns an exit code. A failure is printed and leaves no cache. */
    int record() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("belfry");
        Path unfinished = cache.file()
                .resolveSibling(cache.file().getFileName() + "."
                        + ProcessHandle.current().pid());
        try {
            train(folder, unfinished);
        } catch (IOException e) {
            err.println("belfry: the AOT cache was not recorded, so starts are slower: " + FailedCommand.explain(e));
        } finally {
            delete(folder);
        }
        // Remains of a JVM that was ended while it recorded.
        Files.deleteIfExists(unfinished.resolveSibling(unfinished.getFileName() + ".config"));
        boolean recorded = Files.exists(unfinished);
        cache.replaceBy(unfinished);
        return recorded ? Exit.WELL : Exit.FAILED;
    }

    private void train(Path folder, Path unfinished) throws IOException, InterruptedException {
        Instance instance = new Instance(new RunFolder(folder, NAME));
        Process server = start(folder, unfinished);
        try {
            if (!Instance.await(START_MAX, () -> !server.isAlive() || instance.answers()) || !server.isAlive()) {
                throw new IOException("the server of the training did not start: " + output(folder));
            }
            String log = Files.readString(folder.resolve(NAME + ".log"));
            String password =
                    Files.readString(folder.resolve("monitor.password")).strip();
            new TrainingLoad(port(LISTENING, log), port(MONITOR, log), password).run();
            instance.ask(new ControlRequest.Stop());
            if (!server.waitFor(WRITE_MAX) || !Files.exists(unfinished)) {
                throw new IOException("the JVM of the training wrote no cache: " + output(folder));
            }
        } finally {
            server.descendants().forEach(ProcessHandle::destroyForcibly);
            server.destroyForcibly();
        }
    }

    private Process start(Path folder, Path unfinished) throws IOException {
        List<String> settings = new ArrayList<>(SETTINGS);
        settings.add("LogFolder=" + folder);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Without the user's options, which may open a port, or have a log file that a running server writes.
        command.addAll(new JvmOptions(home, Map.of("BELFRY_JVM_PROFILE", profile, "BELFRY_AOT_CACHE", "off"))
                .of(ConfigLoader.load(Optional.empty(), Map.of(), settings)));
        command.addAll(cache.recordingOptions(unfinished));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), InstallFolder.MAIN_CLASS));
        command.addAll(List.of("run", "--daemon", "--name", NAME));
        settings.forEach(setting -> command.addAll(List.of("--set", setting)));
        ProcessBuilder builder = new ProcessBuilder(command);
        // Variables of the user could set keys.
        builder.environment().keySet().removeIf(variable -> variable.startsWith("BELFRY_"));
        builder.environment().put("BELFRY_RUN_FOLDER", folder.toString());
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
