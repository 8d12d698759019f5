package io.belfry.server.transport;

import io.belfry.server.codec.HandshakeResult;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.Refusal;
import io.belfry.server.codec.WebSocketHandshake;
import java.util.Optional;

/** Serves {@code /}: the WebSocket handshake, or the index page of {@code DocumentRoot}. Pure. */
final class WebSocketEndpoint {
    private WebSocketEndpoint() {}

    static void serve(EndpointExchange http, HttpRequest request) {
        if (WebSocketHandshake.isWanted(request)) {
            upgrade(http, request);
        } else if (HttpEndpoint.Methods.READ.include(request.method())) {
            index(http, request);
        } else {
            http.answer().refuseMethod(HttpEndpoint.Methods.READ.names());
        }
    }

    private static void upgrade(EndpointExchange http, HttpRequest request) {
        switch (http.context().handshakes().check(request)) {
            case Refusal refusal -> http.answer().refuse(refusal);
            case HandshakeResult.Accepted accepted ->
                http.admit(request, principal -> http.beginWebSocket(accepted, principal));
        }
    }

    private static void index(EndpointExchange http, HttpRequest request) {
        Optional<StaticFiles.Found> page = http.context().files().find("/");
        if (page.isPresent()) {
            http.answer().file(page.get());
        } else if (http.context().handshakes().check(request) instanceof Refusal refusal) {
            http.answer().refuse(refusal);
        }
    }
}
