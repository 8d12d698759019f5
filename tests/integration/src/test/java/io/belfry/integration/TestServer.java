package io.belfry.integration;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A server on free loopback ports for one test. Closing fails the test if the server logged an error or leaked a
 * buffer. Owner: the test that started the server and closes it.
 */
public abstract class TestServer implements AutoCloseable {
    /** Settings of every server in a test; the settings that a test passes come after these and win. */
    static final List<String> DEFAULTS =
            List.of("Listen=127.0.0.1:0", "Monitor=none", "Workgroups=2", "IoThreads=2", "Stats.LogInterval=0");

    /**
     * Starts a server in the JVM of the test, which costs a tenth of a process. A test that kills or stops its server,
     * or measures memory or speed, starts a {@link ServerProcess} instead.
     *
     * @param settings each {@code Key=value}
     */
    public static TestServer start(String... settings) {
        return ServerInJvm.start(settings);
    }

    /** Returns all ports for clients, the plain ones before the encrypted ones. */
    abstract List<Integer> ports();

    /** Returns the port of the HTTP monitor. */
    public abstract int monitorHttpPort();

    abstract int jmxPort();

    /** Returns the port of the server API; only a server in this JVM knows it. */
    public int apiPort() {
        throw new UnsupportedOperationException("the server runs in another process");
    }

    /** Asks every session to reconnect elsewhere within this time; returns when the drain has begun. */
    abstract void drain(long overMillis);

    /** Changes a setting that can change at run time; a refused change leaves the settings as they were. */
    abstract void reload(String setting);

    /** Makes {@link #close} accept errors in the log. */
    abstract void expectErrors();

    /** Returns the log lines so far. */
    abstract String logText();

    /** Stops the server, then fails if its log shows an unexpected error or a leaked buffer. */
    @Override
    public abstract void close();

    public int port() {
        return ports().getFirst();
    }

    /** Returns the TLS port of a server that has one. */
    int encryptedPort() {
        return ports().getLast();
    }

    /** Returns the figures of {@code /stats}; the server's HTTP monitor must be open without a password. */
    JsonNode stats() {
        try (Http http = Http.to(monitorHttpPort())) {
            return http.get("/stats", "Connection: close").json();
        }
    }
}
