package io.belfry.integration;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads events from the JSON of HTTP answers with a parser independent of the server's. Pure. */
final class JsonEvents {
    private JsonEvents() {}

    static Event event(JsonNode json) {
        String subject = json.path("subject").asText();
        return switch (json.path("op").asText()) {
            case "message" -> message(subject, json);
            case "gap" ->
                new Event.Gap(
                        subject,
                        written(json, "from"),
                        required(written(json, "to"), json),
                        json.path("reason").asText());
            case "subscribed" -> new Event.Subscribed(-1, subject, position(json), recovery(json));
            case "reconnect" ->
                new Event.Reconnect(
                        json.path("after").asLong(), json.path("reason").asText());
            case "error" ->
                new Event.Failed(
                        -1,
                        json.path("code").asText(),
                        json.path("reason").asText(),
                        subject,
                        json.path("after").asLong());
            default -> throw new AssertionError("an unknown event: " + json);
        };
    }

    private static Event message(String subject, JsonNode json) {
        String data = json.has("data")
                ? json.path("data").asText()
                : new String(Base64.getDecoder().decode(json.path("base64").asText()), StandardCharsets.ISO_8859_1);
        String type = json.path("type").asText("live").toUpperCase(Locale.ROOT);
        return new Event.Message(
                subject,
                data,
                required(position(json), json),
                json.path("prev").asLong(-1),
                MessageType.valueOf(type),
                json.path("retained").asBoolean(),
                headers(json.path("headers")));
    }

    private static Map<String, String> headers(JsonNode json) {
        Map<String, String> headers = new LinkedHashMap<>();
        json.properties()
                .forEach(each -> headers.put(each.getKey(), each.getValue().asText()));
        return headers;
    }

    private static Position required(@Nullable Position position, JsonNode json) {
        if (position == null) {
            throw new AssertionError("no position: " + json);
        }
        return position;
    }

    private static Recovery recovery(JsonNode json) {
        return Recovery.valueOf(json.path("recovery").asText().toUpperCase(Locale.ROOT));
    }

    /** Returns the members epoch and seq as a position, or null for a pattern, which has none. */
    static @Nullable Position position(JsonNode json) {
        return json.has("epoch")
                ? new Position(json.path("epoch").asLong(-1), json.path("seq").asLong(-1))
                : null;
    }

    private static @Nullable Position written(JsonNode json, String name) {
        return json.has(name) ? Position.parse(json.path(name).asText()) : null;
    }
}
