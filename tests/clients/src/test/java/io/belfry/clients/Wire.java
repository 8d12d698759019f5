package io.belfry.clients;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/** A transport with its encoding, in the names of the driver protocol. */
enum Wire {
    BINARY("WebSocket with binary frames", "webSocket", "binary"),
    JSON("WebSocket with JSON", "webSocket", "json"),
    LINES("an NDJSON stream", "httpStream", ""),
    EVENTS("server-sent events", "sse", ""),
    POLL("long polling", "longPoll", "");

    private final String text;
    private final String transport;
    private final String encoding;

    Wire(String text, String transport, String encoding) {
        this.text = text;
        this.transport = transport;
        this.encoding = encoding;
    }

    String text() {
        return text;
    }

    String transport() {
        return transport;
    }

    /** Returns the capabilities that a client needs for this wire. */
    Set<String> needs() {
        return encoding.isEmpty() ? Set.of(transport) : Set.of(transport, encoding);
    }

    void addTo(ObjectNode plan) {
        plan.putArray("transports").add(transport);
        if (!encoding.isEmpty()) {
            plan.put("encoding", encoding);
        }
    }
}
