package io.belfry.benchkit.client;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The WebSocket handshake with one server, prepared once for all connections to it: a key need only differ from what a
 * cache between might hold, so all connections of a run share one. Immutable.
 */
public final class Upgrade {
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int SHOWN_MAX = 200;

    private final String subprotocol;
    private final byte[] request;
    private final String accept;

    private Upgrade(String subprotocol, byte[] request, String accept) {
        this.subprotocol = subprotocol;
        this.request = request;
        this.accept = accept;
    }

    /** {@code host} as it stands in the Host header; {@code token} goes as a bearer token. */
    public static Upgrade to(String host, String subprotocol, @Nullable String token) {
        byte[] random = new byte[16];
        ThreadLocalRandom.current().nextBytes(random);
        String key = Base64.getEncoder().encodeToString(random);
        String request = "GET / HTTP/1.1\r\nHost: " + host
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                + key
                + "\r\nSec-WebSocket-Protocol: " + subprotocol
                + (token == null ? "" : "\r\nAuthorization: Bearer " + token)
                + "\r\n\r\n";
        return new Upgrade(subprotocol, request.getBytes(StandardCharsets.UTF_8), accept(key));
    }

    /** What a server answers to {@code key}. */
    public static String accept(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            byte[] digest = sha1.digest((key + GUID).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    void write(ByteBuf out) {
        out.writeBytes(request);
    }

    /** Where the answer's head ends, its blank line included, or -1 while that has not come. */
    static int headEnd(ByteBuf in) {
        int end = in.writerIndex() - 3;
        for (int i = in.readerIndex(); i < end; i++) {
            if (in.getInt(i) == 0x0d0a0d0a) {
                return i + 4;
            }
        }
        return -1;
    }

    /** What is wrong with the answer that ends at {@code headEnd}, null if it opens a WebSocket. */
    @Nullable
    String problem(ByteBuf in, int headEnd) {
        String head = in.toString(in.readerIndex(), headEnd - in.readerIndex(), StandardCharsets.ISO_8859_1);
        String[] lines = head.split("\r\n", -1);
        if (!lines[0].startsWith("HTTP/1.1 101")) {
            String body = in.toString(headEnd, in.writerIndex() - headEnd, StandardCharsets.UTF_8);
            return "the server answered \"" + shown(lines[0]) + "\"" + (body.isBlank() ? "" : ": " + shown(body));
        }
        if (!accept.equals(header(lines, "sec-websocket-accept"))) {
            return "the server's Sec-WebSocket-Accept is wrong";
        }
        String agreed = header(lines, "sec-websocket-protocol");
        return subprotocol.equals(agreed) ? null : "the server does not speak " + subprotocol + " but " + agreed;
    }

    private static @Nullable String header(String[] lines, String name) {
        for (String line : lines) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).toLowerCase(Locale.ROOT).equals(name)) {
                return line.substring(colon + 1).strip();
            }
        }
        return null;
    }

    private static String shown(String text) {
        String oneLine = text.strip().replaceAll("\\p{Cntrl}+", " ");
        return oneLine.length() <= SHOWN_MAX ? oneLine : oneLine.substring(0, SHOWN_MAX) + "...";
    }
}
