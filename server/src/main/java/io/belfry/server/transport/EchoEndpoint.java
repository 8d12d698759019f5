package io.belfry.server.transport;

import io.belfry.server.codec.HandshakeResult;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.Refusal;
import io.belfry.server.codec.WebSocketHandshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Serves {@code /echo}, which {@code X.Echo} enables: returns the body of a request, or the messages of a WebSocket. Pure. */
final class EchoEndpoint {
    private static final int BODY_BYTES_MAX = 64 << 20;

    private EchoEndpoint() {}

    static void serve(EndpointExchange http, HttpRequest request) {
        if (request.framing() == HttpRequest.Framing.NONE) {
            echo(http, request, Unpooled.EMPTY_BUFFER);
        } else {
            http.receive(request, BODY_BYTES_MAX, content -> echo(http, request, content));
        }
    }

    private static void echo(EndpointExchange http, HttpRequest request, ByteBuf content) {
        if (!WebSocketHandshake.isWanted(request)) {
            http.answer().content("application/octet-stream", content);
            return;
        }
        switch (http.context().handshakes().check(request)) {
            case Refusal refusal -> http.answer().refuse(refusal);
            case HandshakeResult.Accepted accepted -> {
                http.accept(accepted);
                http.become(new EchoConnection(http.connection(), accepted.isDeflated()));
            }
        }
    }
}
