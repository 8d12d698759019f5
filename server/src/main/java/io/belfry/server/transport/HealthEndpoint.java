package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.HttpRequest;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Serves the probes: {@code /health/live} and {@code /health/ready}. Pure. */
final class HealthEndpoint {
    private HealthEndpoint() {}

    static void live(EndpointExchange http, HttpRequest request) {
        http.answer().json(Unpooled.wrappedBuffer("{\"status\":\"ok\"}".getBytes(StandardCharsets.US_ASCII)));
    }

    static void ready(EndpointExchange http, HttpRequest request) {
        http.context()
                .health()
                .notReady()
                .ifPresentOrElse(reason -> http.answer().refuse(Code.NOT_READY, reason), () -> live(http, request));
    }
}
