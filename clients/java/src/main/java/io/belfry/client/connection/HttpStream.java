package io.belfry.client.connection;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Opens a stream of events with {@code GET /subscribe?...}. One instance serves all connections with the same request.
 * Immutable.
 */
public final class HttpStream implements Opening {
    private final byte[] request;
    private final boolean serverSentEvents;

    private HttpStream(byte[] request, boolean serverSentEvents) {
        this.request = request;
        this.serverSentEvents = serverSentEvents;
    }

    /** Opens a stream of JSON lines: {@code application/x-ndjson}. */
    public static HttpStream lines(String host, String target, @Nullable String token) {
        return new HttpStream(request(host, target, token, "application/x-ndjson"), false);
    }

    /** Opens a stream of server-sent events: {@code text/event-stream}. */
    public static HttpStream serverSentEvents(String host, String target, @Nullable String token) {
        return new HttpStream(request(host, target, token, "text/event-stream"), true);
    }

    private static byte[] request(String host, String target, @Nullable String token, String accept) {
        return RequestHead.ended(RequestHead.of("GET", target, host, token)
                .append("\r\nAccept: ")
                .append(accept));
    }

    @Override
    public SocketConnection connection(ClientLoop loop, ConnectionListener listener, Channel channel) {
        return new HttpStreamClientConnection(loop, request, serverSentEvents, listener, channel);
    }
}
