package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** A connection for requests one after the other, each answered in its turn. Immutable. */
public final class HttpCalls implements Opening {
    private final String host;
    private final @Nullable String token;

    private HttpCalls(String host, @Nullable String token) {
        this.host = host;
        this.token = token;
    }

    public static HttpCalls to(String host, @Nullable String token) {
        // Told here and not with the first request, where nobody would expect it.
        RequestHead.of("GET", "/", host, token);
        return new HttpCalls(host, token);
    }

    /** Writes a whole POST request, to be appended to such a connection. */
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
