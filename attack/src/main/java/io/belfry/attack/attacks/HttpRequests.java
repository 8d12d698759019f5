package io.belfry.attack.attacks;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds HTTP requests as text, valid except for headers that the caller adds. Immutable.
 *
 * @param token sent as a bearer token; null: none is sent
 */
public record HttpRequests(String host, @Nullable String token) {
    private static final String END = "\r\n";

    /** Returns a complete GET request. */
    public String get(String target, String... headers) {
        return head("GET", target, headers) + END;
    }

    /** Returns a WebSocket upgrade request for the JSON encoding. */
    public String upgrade(String... headers) {
        Stream<String> upgrade = Stream.of(
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
        return get("/", Stream.concat(upgrade, Stream.of(headers)).toArray(String[]::new));
    }

    /** Returns a publish request; the data is ASCII and sent unchanged. */
    public String publish(String subject, String data, String... headers) {
        return publishHead(subject, data.length(), headers) + data;
    }

    /** Returns the head of a publish request that announces this many bytes of data. */
    public String publishHead(String subject, long bytes, String... headers) {
        String target = "/publish?subject=" + URLEncoder.encode(subject, StandardCharsets.UTF_8);
        return head("POST", target, headers) + "Content-Length: " + bytes + END + END;
    }

    /** Returns a request head without the empty line that ends it. */
    public String head(String method, String target, String... headers) {
        String more = Stream.of(headers).map(header -> header + END).collect(Collectors.joining());
        return method + " " + target + " HTTP/1.1" + END + "Host: " + host + END + authorization() + more;
    }

    /** Returns the header line with the token; empty without one. */
    String authorization() {
        return token == null ? "" : "Authorization: Bearer " + token + END;
    }
}
