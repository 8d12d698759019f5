package io.belfry.clients;

import io.belfry.integration.Await;
import io.belfry.integration.Http;
import io.belfry.integration.TestServer;
import java.util.ArrayList;
import java.util.List;

/** A server of one check, whose metrics the check reads. Any thread. */
record MeasuredServer(TestServer server) implements AutoCloseable {
    static MeasuredServer start(String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "CacheSize=10000",
                // A check opens its connections before it starts the client, which takes seconds on a busy machine.
                "Limit.HandshakeTime=1 m",
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false"));
        all.addAll(List.of(settings));
        return new MeasuredServer(TestServer.start(all.toArray(String[]::new)));
    }

    int port() {
        return server.port();
    }

    /** Uses a connection of its own, because the monitor closes one that is quiet for some seconds. */
    int metric(String name) {
        try (Http monitor = Http.to(server.monitorHttpPort())) {
            return monitor.get("/metrics")
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToInt(line -> (int) Double.parseDouble(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no metric " + name));
        }
    }

    void await(String name, int value) {
        Await.until(name + " is " + value, () -> metric(name) == value);
    }

    @Override
    public void close() {
        server.close();
    }
}
