package io.belfry.client.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON of the server API: objects as maps of texts, numbers, booleans, lists and objects. Pure. */
final class ApiJson {
    private static final JsonFactory FACTORY = new JsonFactory();

    private ApiJson() {}

    /** Returns the members of an object; throws if the bytes are none. */
    static Map<String, Object> object(byte[] json) throws IOException {
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("the answer is not a JSON object");
            }
            return members(parser);
        }
    }

    private static Map<String, Object> members(JsonParser parser) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            Object value = value(parser);
            if (value != null) {
                members.put(name, value);
            }
        }
        return members;
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> members(parser);
            case START_ARRAY -> list(parser);
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE, VALUE_FALSE -> parser.getBooleanValue();
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }

    private static List<Object> list(JsonParser parser) throws IOException {
        List<Object> list = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            Object each = value(parser);
            if (each != null) {
                list.add(each);
            }
        }
        return list;
    }

    static String text(Map<String, Object> json, String name) {
        String text = textOrNull(json, name);
        return text == null ? "" : text;
    }

    static @Nullable String textOrNull(Map<String, Object> json, String name) {
        return json.get(name) instanceof String text ? text : null;
    }

    static long number(Map<String, Object> json, String name) {
        return json.get(name) instanceof Number number ? number.longValue() : 0;
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> objects(Map<String, Object> json, String name) {
        return json.get(name) instanceof List<?> list
                ? list.stream()
                        .filter(Map.class::isInstance)
                        .map(each -> (Map<String, Object>) each)
                        .toList()
                : List.of();
    }

    /** Writes the members of one object. */
    interface Members {
        void write(JsonGenerator json) throws IOException;
    }

    static byte[] bytes(Members members) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            members.write(json);
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    static void content(JsonGenerator json, ApiContent content) throws IOException {
        if (content.text() != null) {
            json.writeStringField("data", content.text());
        }
        if (content.bytes() != null) {
            json.writeStringField("base64", Base64.getEncoder().encodeToString(content.bytes()));
        }
        if (content.retain()) {
            json.writeBooleanField("retain", true);
        }
        text(json, "msgId", content.msgId());
        if (content.ttlMillis() != 0) {
            json.writeNumberField("ttl", content.ttlMillis());
        }
        if (!content.headers().isEmpty()) {
            json.writeObjectFieldStart("headers");
            for (Map.Entry<String, String> header : content.headers().entrySet()) {
                json.writeStringField(header.getKey(), header.getValue());
            }
            json.writeEndObject();
        }
    }

    static void text(JsonGenerator json, String name, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(name, value);
        }
    }

    static void texts(JsonGenerator json, String name, List<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String each : values) {
            json.writeString(each);
        }
        json.writeEndArray();
    }
}
