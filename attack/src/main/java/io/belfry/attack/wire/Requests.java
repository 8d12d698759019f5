package io.belfry.attack.wire;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** HTTP requests as text, well-formed but for what the caller adds. Immutable; {@code token} null: none is sent. */
public record Requests(String host, @Nullable String token) {
    private static final String END = "\r\n";

    public String get(String target, String... headers) {
        return head("GET", target, headers) + END;
    }

    /** Asks for WebSocket with the JSON encoding. */
    public String upgrade(String... headers) {
        List<String> all = new ArrayList<>(List.of(
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="));
        all.addAll(List.of(headers));
        return head("GET", "/", all.toArray(String[]::new)) + END;
    }

    /** Data is sent as it is, in ASCII. */
    public String publish(String subject, String data, String... headers) {
        return publishHead(subject, data.length(), headers) + data;
    }

    /** Announces so much data. */
    public String publishHead(String subject, long bytes, String... headers) {
        return head("POST", "/publish?subject=" + encoded(subject), headers) + "Content-Length: " + bytes + END + END;
    }

    public static String encoded(String subject) {
        return URLEncoder.encode(subject, StandardCharsets.UTF_8);
    }

    /** Without the empty line that ends it. */
    public String head(String method, String target, String... headers) {
        StringBuilder head = new StringBuilder(method)
                .append(' ')
                .append(target)
                .append(" HTTP/1.1")
                .append(END)
                .append("Host: ")
                .append(host)
                .append(END);
        if (token != null) {
            head.append("Authorization: Bearer ").append(token).append(END);
        }
        for (String header : headers) {
            head.append(header).append(END);
        }
        return head.toString();
    }
}
