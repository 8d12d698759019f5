package io.belfry.server.transport;

import java.util.List;

/** The HTTP paths of the listeners. Every other path is that of a file. Pure. */
final class ListenerPaths {
    private ListenerPaths() {}

    /** Returns the endpoint of each path; {@code echo} enables the path for conformance suites. */
    static HttpEndpoints endpoints(boolean echo) {
        List<HttpEndpoint> endpoints = List.of(
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
                        : HttpEndpoint.any("/echo", HttpEndpoint.Body.SKIPPED, FileEndpoint::refuse));
        return new HttpEndpoints(endpoints, HttpEndpoint.read("", FileEndpoint::serve));
    }
}
