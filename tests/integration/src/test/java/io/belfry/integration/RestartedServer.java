package io.belfry.integration;

import java.util.ArrayList;
import java.util.List;

/**
 * A server that dies and is started again with the same settings, each time at other ports. Owner: the test's thread; the
 * ports are for any.
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

    /** How many sessions this one ended for being too slow. */
    long slowConsumers() {
        return server.stats().path("closes").path("slow-consumer").asLong();
    }

    long sessions() {
        return server.stats().path("connectedSessions").asLong();
    }

    /** Sends the sessions elsewhere, over so long. */
    void drain(long overMillis) {
        server.drain(overMillis);
    }

    /** As {@code kill -9}. */
    void kill() {
        server.kill();
        killed.add(server);
    }

    /** How often it was killed. */
    int deaths() {
        return killed.size();
    }

    /** In good order. */
    void stop() {
        server.close();
    }

    void start() {
        server = ServerProcess.startUnwatched(settings);
        port = server.port();
        encryptedPort = server.encryptedPort();
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
