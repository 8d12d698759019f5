package io.belfry.server.entitlement;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a JSON object from a peer that is not trusted: of limited depth, without repeated members, in strict UTF-8. Pure. */
final class JsonObjects {
    private static final int DEPTH_MAX = 16;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
            .build();

    private JsonObjects() {}

    /** Returns the members; values are maps, lists, strings, numbers and booleans. Throws for anything else than one object. */
    static Map<String, Object> read(byte[] text) throws IOException {
        try (JsonParser json = FACTORY.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new JsonParseException(json, "not an object");
            }
            Map<String, Object> members = members(json);
            if (json.nextToken() != null) {
                throw new JsonParseException(json, "data after the object");
            }
            return members;
        }
    }

    private static Map<String, Object> members(JsonParser json) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            Object value = value(json);
            if (value != null) {
                members.put(name, value);
            }
        }
        return members;
    }

    private static List<Object> elements(JsonParser json) throws IOException {
        List<Object> elements = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            Object value = value(json);
            elements.add(value == null ? false : value);
        }
        return elements;
    }

    private static @Nullable Object value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> members(json);
            case START_ARRAY -> elements(json);
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case null, default -> throw new JsonParseException(json, "the object ends early");
        };
    }
}
