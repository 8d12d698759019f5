package io.belfry.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A server that is killed and restarted with the same settings, each time on other ports. Owner: the test's thread; any
 * thread may read the ports.
 */
final class RestartedServer implements AutoCloseable {
    private final String[] settings;
    private final List<ServerProcess> killed = new ArrayList<>();
    private ServerProcess server;
    private volatile int port;
    private volatile int encryptedPort;

    RestartedServer(String... settings) {
        this.settings = settings.clone();
        server = ServerProcess.startUnwatched(settings);
        port = server.port();
        encryptedPort = server.encryptedPort();
    }

    int port() {
        return port;
    }

    int encryptedPort() {
        return encryptedPort;
    }

    /** Returns the number of sessions that the current process closed as slow consumers. */
    long slowConsumers() {
        return server.stats().path("closes").path("slow-consumer").asLong();
    }

    long sessions() {
        return server.stats().path("connectedSessions").asLong();
    }

    /** Drains the sessions to other servers within this time. */
    void drain(long overMillis) {
        server.drain(overMillis);
    }

    /** Kills the server, as {@code kill -9} does. */
    void kill() {
        server.kill();
        killed.add(server);
    }

    /** Returns the number of kills. */
    int deaths() {
        return killed.size();
    }

    /** Stops the server in an orderly way. */
    void stop() {
        server.close();
    }

    void start() {
        server = ServerProcess.startUnwatched(settings);
        port = server.port();
        encryptedPort = server.encryptedPort();
    }

    /** Returns the CPU time that the current process has used. */
    Duration cpuTime() {
        return server.cpuTime();
    }

    @Override
    public void close() {
        try {
            server.close();
        } finally {
            killed.forEach(ServerProcess::close);
        }
    }
}
