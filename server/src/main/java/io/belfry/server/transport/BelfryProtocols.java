package io.belfry.server.transport;

import io.belfry.protocol.BelfryFormat;
import java.util.List;

/** The list of the server's protocols. A new protocol is added here. Pure. */
final class BelfryProtocols {
    private BelfryProtocols() {}

    /** Returns all protocols; {@code echo} enables the path for conformance suites. */
    static ClientProtocols all(boolean echo) {
        return new ClientProtocols(list(echo), HttpEndpoint.read("", FileEndpoint::serve));
    }

    /** Returns the protocols in the order in which they are asked; a WebSocket that names none uses the first subprotocol. */
    static List<ClientProtocol> list(boolean echo) {
        return List.of(
                BelfryMessages.JSON,
                BelfryMessages.BINARY,
                webSocket(),
                streams(),
                calls(),
                poll(),
                health(),
                echo(echo));
    }

    private static ClientProtocol webSocket() {
        return new HttpProtocol(
                "WebSocket", HttpEndpoint.any("/", HttpEndpoint.Body.SKIPPED, WebSocketEndpoint::serve));
    }

    /** Server-sent events and NDJSON share a path; the field Accept selects one of them. */
    private static ClientProtocol streams() {
        HttpEndpoint subscribe = HttpEndpoint.read(
                "/subscribe", SubscribeEndpoint::serve, "subject", "from", "history", "conflate", "ping", "token");
        return new HttpProtocol(
                "streams",
                List.of(subscribe),
                List.of(
                        BelfryFormat.SSE,
                        BelfryFormat.SSE_OF_PATTERNS,
                        BelfryFormat.NDJSON,
                        BelfryFormat.SSE_UNCHUNKED,
                        BelfryFormat.SSE_OF_PATTERNS_UNCHUNKED,
                        BelfryFormat.NDJSON_UNCHUNKED));
    }

    private static ClientProtocol calls() {
        return new HttpProtocol(
                "calls",
                HttpEndpoint.post(
                                "/publish", PublishCall::serve, "subject", "msgId", "retain", "ttl", "origin", "header")
                        .withTracing(),
                HttpEndpoint.read("/history", HistoryCall::serve, "subject", "from", "count")
                        .withTracing());
    }

    private static ClientProtocol poll() {
        return new HttpProtocol(
                "long poll",
                HttpEndpoint.read("/poll", PollCall::serve, "subject", "from", "wait", "token")
                        .withTracing());
    }

    private static ClientProtocol health() {
        return new HttpProtocol(
                "health",
                HttpEndpoint.read("/health/live", HealthEndpoint::live),
                HttpEndpoint.read("/health/ready", HealthEndpoint::ready));
    }

    private static ClientProtocol echo(boolean enabled) {
        return new HttpProtocol(
                "echo",
                enabled
                        ? HttpEndpoint.any("/echo", HttpEndpoint.Body.FIRST, EchoEndpoint::serve)
                        : HttpEndpoint.any("/echo", HttpEndpoint.Body.SKIPPED, FileEndpoint::refuse));
    }
}
