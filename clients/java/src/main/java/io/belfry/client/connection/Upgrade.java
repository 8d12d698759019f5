package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The WebSocket handshake with one server, prepared once for all connections. They share one key: its purpose is only
 * to differ from what a cache between might hold. Immutable.
 */
public final class Upgrade implements Opening {
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private final String subprotocol;
    private final byte[] request;
    private final String accept;
    private final boolean compression;

    private Upgrade(String subprotocol, byte[] request, String accept, boolean compression) {
        this.subprotocol = subprotocol;
        this.request = request;
        this.accept = accept;
        this.compression = compression;
    }

    /** Prepares a handshake; {@code host} is the value of the Host header, {@code token} is sent as a bearer token. */
    public static Upgrade to(String host, String subprotocol, @Nullable String token) {
        return to(host, "/", subprotocol, token, false);
    }

    /**
     * Prepares a handshake for a server behind another path. With {@code compression}, both sides may compress
     * messages.
     */
    public static Upgrade to(
            String host, String path, String subprotocol, @Nullable String token, boolean compression) {
        byte[] random = new byte[16];
        ThreadLocalRandom.current().nextBytes(random);
        String key = Base64.getEncoder().encodeToString(random);
        StringBuilder head = RequestHead.of("GET", path, host, token)
                .append(
                        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ")
                .append(key)
                .append("\r\nSec-WebSocket-Protocol: ")
                .append(subprotocol);
        if (compression) {
            head.append("\r\nSec-WebSocket-Extensions: ").append(Deflation.OFFER);
        }
        return new Upgrade(subprotocol, RequestHead.ended(head), accept(key), compression);
    }

    /** Returns the Sec-WebSocket-Accept that belongs to {@code key}. */
    public static String accept(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            byte[] digest = sha1.digest((key + GUID).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    @Override
    public SocketConnection connection(ClientLoop loop, ConnectionListener listener, Channel channel) {
        return new WebSocketClientConnection(loop, this, listener, channel);
    }

    void write(ByteBuf out) {
        out.writeBytes(request);
    }

    /** Whether a valid response accepts compression. */
    static boolean isDeflated(AnswerHead answer) {
        return answer.header("sec-websocket-extensions") != null;
    }

    /** Returns what is wrong with a response of status 101, or null if it is valid. */
    @Nullable
    String problem(AnswerHead answer) {
        if (!accept.equals(answer.header("sec-websocket-accept"))) {
            return "the server's Sec-WebSocket-Accept is wrong";
        }
        String extensions = answer.header("sec-websocket-extensions");
        if (extensions != null && !(compression && Deflation.isTaken(extensions))) {
            return "the server accepted extensions that were not offered: " + extensions;
        }
        String agreed = answer.header("sec-websocket-protocol");
        return subprotocol.equals(agreed)
                ? null
                : "the server chose the subprotocol " + agreed + " instead of " + subprotocol;
    }
}
