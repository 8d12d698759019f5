package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.belfry.protocol.Subprotocols;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Performs the server's part of the opening handshake (RFC 6455, section 4.2). If compression is enabled,
 * permessage-deflate is negotiated by {@link DeflateOffer}. The origin is checked by {@link OriginPolicy}, not here.
 * Owner: one loop, because the digest object is reused.
 */
public final class WebSocketHandshake {
    private static final byte[] GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".getBytes(StandardCharsets.US_ASCII);
    private static final int KEY_CHARS = 24;

    /**
     * Valid last characters of a key: 16 bytes are 22 base64 characters and two of padding, and the lowest four bits
     * of the last character must be zero.
     */
    private static final String LAST_KEY_CHARS = "AQgw";

    private final MessageDigest sha1;

    private final boolean compression;

    /** Names of the subprotocols; a client that names none gets the first. */
    private final List<String> subprotocols;

    /** Creates the handshake of Belfry's own subprotocols. */
    public WebSocketHandshake(boolean compression) {
        this(compression, List.of(Subprotocols.JSON, Subprotocols.BINARY));
    }

    public WebSocketHandshake(boolean compression, List<String> subprotocols) {
        this.compression = compression;
        this.subprotocols = subprotocols;
        try {
            sha1 = MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-1 is not available", e);
        }
    }

    /** Returns whether the request asks for a WebSocket, even if the handshake is invalid. */
    public static boolean isWanted(HttpRequest request) {
        return request.headerHasToken("Upgrade", "websocket");
    }

    /** Checks the request and negotiates subprotocol and compression. */
    public HandshakeResult check(HttpRequest request) {
        Refusal fault = faultOf(request);
        if (fault != null) {
            return fault;
        }
        String key = request.header("Sec-WebSocket-Key");
        if (key == null || !isKey(key)) {
            return Refusal.of(Code.BAD_REQUEST, "Sec-WebSocket-Key must be 16 bytes in base64");
        }
        String extensions = compression ? DeflateOffer.answerTo(request.header("Sec-WebSocket-Extensions")) : null;
        String asked = request.header("Sec-WebSocket-Protocol");
        if (asked == null) {
            return new HandshakeResult.Accepted(subprotocols.getFirst(), false, acceptKey(key), extensions);
        }
        String chosen = firstKnown(asked);
        return chosen == null
                ? Refusal.of(Code.BAD_REQUEST, "the subprotocol must be " + String.join(" or ", subprotocols))
                : new HandshakeResult.Accepted(chosen, true, acceptKey(key), extensions);
    }

    private static @Nullable Refusal faultOf(HttpRequest request) {
        if (!isWanted(request)) {
            return Refusal.of(Code.UPGRADE_REQUIRED, "this path requires a WebSocket handshake");
        }
        if (request.method() != HttpMethod.GET) {
            return Refusal.of(Code.METHOD_NOT_ALLOWED, "a WebSocket handshake must use GET");
        }
        if (!request.http11()) {
            return Refusal.of(Code.BAD_REQUEST, "a WebSocket handshake must use HTTP/1.1");
        }
        if (!request.headerHasToken("Connection", "upgrade")) {
            return Refusal.of(Code.BAD_REQUEST, "the Connection field must contain upgrade");
        }
        // The bytes of a body would be decoded as frames.
        if (request.framing() != HttpRequest.Framing.NONE) {
            return Refusal.of(Code.BAD_REQUEST, "a WebSocket handshake must not have a body");
        }
        if (!"13".equals(request.header("Sec-WebSocket-Version"))) {
            return Refusal.of(Code.UPGRADE_REQUIRED, "the WebSocket version is not supported; use 13");
        }
        return null;
    }

    /** Writes the 101 response. */
    public static void writeAccept(ByteBuf out, HandshakeResult.Accepted accepted) {
        HttpChars.write(out, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
        HttpChars.write(out, "Sec-WebSocket-Accept: ");
        HttpChars.write(out, accepted.acceptKey());
        if (accepted.named()) {
            HttpChars.write(out, "\r\nSec-WebSocket-Protocol: ");
            HttpChars.write(out, accepted.subprotocol());
        }
        if (accepted.extensions() != null) {
            HttpChars.write(out, "\r\nSec-WebSocket-Extensions: ");
            HttpChars.write(out, accepted.extensions());
        }
        HttpChars.write(out, "\r\n\r\n");
    }

    private String acceptKey(String key) {
        sha1.update(key.getBytes(StandardCharsets.ISO_8859_1));
        return Base64.getEncoder().encodeToString(sha1.digest(GUID));
    }

    private static boolean isKey(String key) {
        if (key.length() != KEY_CHARS || !key.endsWith("==") || LAST_KEY_CHARS.indexOf(key.charAt(21)) < 0) {
            return false;
        }
        for (int i = 0; i < 21; i++) {
            char c = key.charAt(i);
            if (!HttpChars.isAlphanumeric(c) && c != '+' && c != '/') {
                return false;
            }
        }
        return true;
    }

    /** Returns the first supported subprotocol of the list; clients list subprotocols in order of preference.
     * The comparison is exact, as in browsers (RFC 6455, section 4.1). */
    private @Nullable String firstKnown(String asked) {
        for (String name : asked.split(",", -1)) {
            if (subprotocols.contains(name.strip())) {
                return name.strip();
            }
        }
        return null;
    }
}
