package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** Opens a connection for requests, which are answered in their order. Immutable. */
public final class HttpCalls implements Opening {
    private final String host;
    private final @Nullable String token;

    private HttpCalls(String host, @Nullable String token) {
        this.host = host;
        this.token = token;
    }

    /** Opens connections to a host; {@code token} is sent as a bearer token. */
    public static HttpCalls to(String host, @Nullable String token) {
        // Checks host and token now rather than with the first request.
        RequestHead.of("GET", "/", host, token);
        return new HttpCalls(host, token);
    }

    /** Appends a complete POST request, for {@link ServerConnection#append}. */
    public void post(ByteBuf out, String target, ByteBuf body) {
        StringBuilder head = RequestHead.of("POST", target, host, token)
                .append("\r\nContent-Type: application/octet-stream\r\nContent-Length: ")
                .append(body.readableBytes());
        out.writeBytes(RequestHead.ended(head)).writeBytes(body, body.readerIndex(), body.readableBytes());
    }

    @Override
    public SocketConnection connection(ClientLoop loop, ConnectionListener listener, Channel channel) {
        return new HttpCallConnection(loop, listener, channel);
    }
}
