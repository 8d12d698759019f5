package io.belfry.server.transport;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The table of HTTP paths. Every other path is that of a file. Immutable; one object per loop. */
final class HttpEndpoints {
    private final Map<String, HttpEndpoint> byPath = new HashMap<>();
    private final HttpEndpoint files = HttpEndpoint.read("", FileEndpoint::serve);

    /** {@code echo} enables the path for conformance suites. */
    HttpEndpoints(boolean echo) {
        List.of(
                        HttpEndpoint.any("/", HttpEndpoint.Body.SKIPPED, WebSocketEndpoint::serve),
                        HttpEndpoint.post("/publish", PublishCall::serve, "subject", "msgId", "retain")
                                .withTracing(),
                        HttpEndpoint.read("/history", HistoryCall::serve, "subject", "from", "count")
                                .withTracing(),
                        HttpEndpoint.read("/poll", PollCall::serve, "subject", "from", "wait", "token")
                                .withTracing(),
                        HttpEndpoint.read(
                                "/subscribe",
                                SubscribeEndpoint::serve,
                                "subject",
                                "from",
                                "history",
                                "conflate",
                                "ping",
                                "token"),
                        HttpEndpoint.read("/health/live", HealthEndpoint::live),
                        HttpEndpoint.read("/health/ready", HealthEndpoint::ready),
                        echo
                                ? HttpEndpoint.any("/echo", HttpEndpoint.Body.FIRST, EchoEndpoint::serve)
                                : HttpEndpoint.any("/echo", HttpEndpoint.Body.SKIPPED, FileEndpoint::refuse))
                .forEach(endpoint -> byPath.put(endpoint.path(), endpoint));
    }

    /** Returns what serves a decoded path. */
    HttpEndpoint of(String path) {
        return byPath.getOrDefault(path, files);
    }

    Collection<HttpEndpoint> all() {
        return byPath.values();
    }
}
