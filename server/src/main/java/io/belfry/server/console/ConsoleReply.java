package io.belfry.server.console;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.belfry.protocol.Code;
import io.belfry.server.json.JsonBytes;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** An HTTP response of the console. */
final class ConsoleReply {
    private static final Map<String, String> HEADERS = Map.of(
            "Referrer-Policy", "no-referrer",
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Cross-Origin-Opener-Policy", "same-origin");

    private final int status;
    private final byte[] body;
    private final Map<String, String> headers = new LinkedHashMap<>();

    private ConsoleReply(int status, byte[] body) {
        this.status = status;
        this.body = body;
    }

    static ConsoleReply of(int status, String contentType, byte[] body) {
        return new ConsoleReply(status, body).with("Content-Type", contentType);
    }

    static ConsoleReply json(int status, byte[] object) {
        return of(status, "application/json; charset=utf-8", object)
                .with("Cache-Control", "no-store")
                .with("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    }

    static ConsoleReply json(JsonBytes.Part members) {
        return json(200, JsonBytes.object(members));
    }

    static ConsoleReply empty(int status) {
        return new ConsoleReply(status, new byte[0]).with("Cache-Control", "no-store");
    }

    static ConsoleReply refusal(Code code, String reason) {
        return refusal(code.httpStatus(), code.text(), reason);
    }

    static ConsoleReply refusal(int status, String code, String reason) {
        return json(status, JsonBytes.object(json -> {
            json.writeStringField("code", code);
            json.writeStringField("reason", reason);
        }));
    }

    ConsoleReply with(String header, String value) {
        headers.put(header, value);
        return this;
    }

    void send(HttpExchange exchange) throws IOException {
        Headers sent = exchange.getResponseHeaders();
        HEADERS.forEach(sent::set);
        headers.forEach(sent::set);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        if (head || body.length == 0) {
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /** Begins a response of unknown length. */
    static OutputStream stream(HttpExchange exchange, String contentType) throws IOException {
        Headers sent = exchange.getResponseHeaders();
        HEADERS.forEach(sent::set);
        sent.set("Content-Type", contentType);
        sent.set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }
}
