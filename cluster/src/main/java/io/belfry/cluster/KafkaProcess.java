package io.belfry.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One Kafka broker, which is also a controller, as a process. Owner: the thread that started it. */
public final class KafkaProcess {
    private static final int CONNECT_MILLIS = 200;
    private static final long POLL_MILLIS = 50;

    private final Path folder;
    private final Path classPath;
    private final int id;
    private final int port;
    private final @Nullable ProxiedListener proxied;
    private final List<String> more;
    private @Nullable Process process;

    /**
     * A second listener of a broker, which clients reach through a proxy. The broker advertises the proxy's port to
     * them, so that they stay on the proxy.
     */
    record ProxiedListener(int port, int advertised) {}

    KafkaProcess(Path folder, Path classPath, int id, int port, @Nullable ProxiedListener proxied, List<String> more) {
        this.folder = folder;
        this.classPath = classPath;
        this.id = id;
        this.port = port;
        this.proxied = proxied;
        this.more = List.copyOf(more);
    }

    /** Writes the broker's configuration and starts formatting its folder. */
    Process beginFormat(String clusterId, String voters, int controllerPort, int brokers) throws IOException {
        Files.createDirectories(folder);
        int internalReplication = Math.min(3, brokers);
        Files.writeString(
                properties(),
                String.join(
                        "\n",
                        "node.id=" + id,
                        "process.roles=broker,controller",
                        "controller.quorum.voters=" + voters,
                        "controller.listener.names=CONTROLLER",
                        "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort
                                + (proxied == null ? "" : ",DETOUR://127.0.0.1:" + proxied.port()),
                        "advertised.listeners=PLAINTEXT://127.0.0.1:" + port
                                + (proxied == null ? "" : ",DETOUR://127.0.0.1:" + proxied.advertised()),
                        "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,DETOUR:PLAINTEXT",
                        "log.dirs=" + folder.resolve("data"),
                        // A dead broker is detected in two seconds, not in nine.
                        "broker.session.timeout.ms=2000",
                        "broker.heartbeat.interval.ms=500",
                        "controller.quorum.election.timeout.ms=500",
                        "controller.quorum.fetch.timeout.ms=1000",
                        "replica.lag.time.max.ms=4000",
                        "auto.create.topics.enable=false",
                        "offsets.topic.num.partitions=1",
                        "offsets.topic.replication.factor=" + internalReplication,
                        "transaction.state.log.num.partitions=1",
                        "transaction.state.log.replication.factor=" + internalReplication,
                        "share.coordinator.state.topic.replication.factor=" + internalReplication,
                        "num.network.threads=2",
                        "num.io.threads=2",
                        "num.replica.fetchers=1",
                        "log.cleaner.dedupe.buffer.size=4194304",
                        "log.segment.bytes=67108864",
                        // Kafka uses the last of several lines for one setting.
                        String.join("\n", more),
                        ""));
        return new ProcessBuilder(command(
                        new BrokerCache(classPath).options(),
                        "kafka.tools.StorageTool",
                        "format",
                        "-t",
                        clusterId,
                        "-c",
                        properties().toString()))
                .redirectErrorStream(true)
                .redirectOutput(log("format"))
                .start();
    }

    /** Waits until the folder is formatted. */
    void endFormat(Process format) throws IOException {
        try {
            if (format.waitFor() != 0) {
                throw new IOException("the broker's folder could not be formatted:\n"
                        + Files.readString(log("format").toPath()));
            }
        } catch (InterruptedException interrupted) {
            format.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    private Path properties() {
        return folder.resolve("broker.properties");
    }

    private java.io.File log(String name) {
        return folder.resolve(name + ".log").toFile();
    }

    private List<String> command(List<String> options, String main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx200m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-Dorg.slf4j.simpleLogger.showDateTime=true",
                "-cp",
                classPath.resolve("*").toString()));
        command.addAll(options);
        command.add(main);
        command.addAll(List.of(arguments));
        return command;
    }

    /** Starts the broker with the data in its folder. Returns at once. Fails if another program listens on its port. */
    public void start() throws IOException {
        start(new BrokerCache(classPath).options());
    }

    /** Starts the broker with these options of the JVM in addition. */
    void start(List<String> options) throws IOException {
        if (answers()) {
            throw new IOException("broker " + id + " cannot listen on port " + port + ": another program does");
        }
        Process started = new ProcessBuilder(
                        command(options, "kafka.Kafka", properties().toString()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log("broker")))
                .start();
        process = started;
        Files.writeString(folder.resolve("pid"), Long.toString(started.pid()));
    }

    /** Whether the broker's port accepts connections. */
    boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return true;
        } catch (IOException closed) {
            return false;
        }
    }

    /** Waits until the broker accepts connections. */
    public void awaitStarted(long seconds) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!answers()) {
            Process started = process;
            if ((started != null && !started.isAlive()) || System.nanoTime() - deadline > 0) {
                throw new IOException("broker " + id + " did not start; its log is " + log("broker"));
            }
            pause();
        }
    }

    private static void pause() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    /** Returns the port for clients. */
    public int port() {
        return port;
    }

    /** Returns the folder with the segments of a partition. */
    public Path partitionFolder(String topic, int partition) {
        return folder.resolve("data").resolve(topic + "-" + partition);
    }

    /** Returns the process id, or -1 before the first start. */
    public long pid() {
        return Optional.ofNullable(process).map(Process::pid).orElse(-1L);
    }

    /** Asks the process to end; returns when it has ended, or after this time. */
    void stop(long seconds) {
        Process running = process;
        if (running != null) {
            running.destroy();
            running.onExit()
                    .completeOnTimeout(running, seconds, TimeUnit.SECONDS)
                    .join();
        }
    }

    /** Kills the process like a power failure; returns when the process is gone. */
    public void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly();
            running.onExit().join();
        }
    }

    /** Suspends or resumes the process. */
    public void hold(boolean held) throws IOException {
        try {
            new ProcessBuilder("kill", held ? "-STOP" : "-CONT", Long.toString(pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }
}
