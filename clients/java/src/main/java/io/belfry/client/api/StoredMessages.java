package io.belfry.client.api;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Stored messages of a subject, oldest first. Immutable.
 *
 * @param seq seq of the latest message of the subject
 * @param more whether later messages follow these
 */
public record StoredMessages(String subject, long epoch, long seq, List<StoredMessage> messages, boolean more) {
    /**
     * A stored message. Immutable.
     *
     * @param timeMillis time of the publish, in ms since 1970
     * @param headers headers of the message, those of the server too
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    public record StoredMessage(
            long seq, long timeMillis, boolean retained, Map<String, String> headers, byte[] data) {}

    static StoredMessages of(Map<String, Object> json) {
        return new StoredMessages(
                ApiJson.text(json, "subject"),
                ApiJson.number(json, "epoch"),
                ApiJson.number(json, "seq"),
                ApiJson.objects(json, "messages").stream()
                        .map(StoredMessages::message)
                        .toList(),
                Boolean.TRUE.equals(json.get("more")));
    }

    private static Map<String, String> headers(Map<String, Object> json) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (json.get("headers") instanceof Map<?, ?> map) {
            map.forEach((name, value) -> headers.put(String.valueOf(name), String.valueOf(value)));
        }
        return headers;
    }

    private static StoredMessage message(Map<String, Object> json) {
        String base64 = ApiJson.textOrNull(json, "base64");
        return new StoredMessage(
                ApiJson.number(json, "seq"),
                ApiJson.number(json, "time"),
                Boolean.TRUE.equals(json.get("retained")),
                headers(json),
                base64 == null
                        ? ApiJson.text(json, "data").getBytes(StandardCharsets.UTF_8)
                        : Base64.getDecoder().decode(base64));
    }
}
