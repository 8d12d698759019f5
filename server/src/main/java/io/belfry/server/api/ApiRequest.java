package io.belfry.server.api;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.sun.net.httpserver.HttpExchange;
import io.belfry.protocol.Code;
import io.belfry.server.monitor.HttpRefusal;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One call: the values of its path, its parameters and its body. Owner: the thread of the request. */
final class ApiRequest {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final int MEMBERS_MAX = 100;
    private static final int ELEMENTS_MAX = 1000;

    private final HttpExchange exchange;
    private final String key;
    private final Map<String, String> path;
    private final Map<String, String> parameters = new HashMap<>();
    private final int bodyBytesMax;
    private byte @Nullable [] body;

    ApiRequest(HttpExchange exchange, ApiKey key, Map<String, String> path, Set<String> allowed, int bodyBytesMax) {
        this.exchange = exchange;
        this.key = key.name();
        this.path = Map.copyOf(path);
        this.bodyBytesMax = bodyBytesMax;
        String query = exchange.getRequestURI().getRawQuery();
        if (query == null || query.isEmpty()) {
            return;
        }
        for (String pair : query.split("&", -1)) {
            int end = pair.indexOf('=');
            String name = decoded(end < 0 ? pair : pair.substring(0, end));
            if (!allowed.contains(name)) {
                throw new HttpRefusal(
                        Code.BAD_REQUEST,
                        allowed.isEmpty()
                                ? "the call has no parameters"
                                : "the parameters of the call are "
                                        + String.join(
                                                ", ", allowed.stream().sorted().toList()));
            }
            if (parameters.put(name, end < 0 ? "" : decoded(pair.substring(end + 1))) != null) {
                throw new HttpRefusal(Code.BAD_REQUEST, "the parameter " + name + " is given twice");
            }
        }
    }

    static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new HttpRefusal(Code.BAD_REQUEST, "the target has a malformed percent-encoding");
        }
    }

    /** Returns the name of the key that the call presented. */
    String key() {
        return key;
    }

    String address() {
        return exchange.getRemoteAddress().getAddress().getHostAddress();
    }

    String path(String name) {
        return path.getOrDefault(name, "");
    }

    /** Returns a parameter that is present and not empty. */
    Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name)).filter(text -> !text.isEmpty());
    }

    /** Returns a whole number from 1 to {@code max}, or the default. */
    int number(String name, int otherwise, int max) {
        return parameter(name)
                .map(text -> {
                    try {
                        int number = Integer.parseInt(text);
                        if (number >= 1 && number <= max) {
                            return number;
                        }
                    } catch (NumberFormatException notANumber) {
                        // Answered below.
                    }
                    throw new HttpRefusal(Code.BAD_REQUEST, name + " must be a whole number from 1 to " + max);
                })
                .orElse(otherwise);
    }

    /** Returns whether the body has one object per line; throws if it is neither that nor JSON. */
    boolean hasLines() {
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        String media = type == null ? "" : type.split(";", -1)[0].strip().toLowerCase(Locale.ROOT);
        if (!media.equals(ApiReply.JSON) && !media.equals(ApiReply.LINES)) {
            throw new HttpRefusal(
                    Code.BAD_REQUEST,
                    "Content-Type must be " + ApiReply.JSON + ", or " + ApiReply.LINES + " for a batch");
        }
        return media.equals(ApiReply.LINES);
    }

    String method() {
        return exchange.getRequestMethod();
    }

    /** Returns the path and the query as they were sent. */
    String target() {
        String query = exchange.getRequestURI().getRawQuery();
        return exchange.getRequestURI().getRawPath() + (query == null ? "" : "?" + query);
    }

    /** Returns a header, or an empty text. */
    String header(String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    /** Returns whether another node sent the call, which then concerns this node only. */
    boolean isForwarded() {
        return exchange.getRequestHeaders().containsKey(PeerNodes.FORWARDED);
    }

    byte[] body() throws IOException {
        byte[] known = body;
        if (known == null) {
            known = readBody();
            body = known;
        }
        return known;
    }

    private byte[] readBody() throws IOException {
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        if (length != null && (length.length() > 18 || Long.parseLong(length) > bodyBytesMax)) {
            throw tooLarge();
        }
        byte[] read = exchange.getRequestBody().readNBytes(bodyBytesMax + 1);
        if (read.length > bodyBytesMax) {
            throw tooLarge();
        }
        return read;
    }

    private HttpRefusal tooLarge() {
        return new HttpRefusal(Code.BODY_TOO_LARGE, "the body exceeds Api.BodyBytes, " + bodyBytesMax + " bytes");
    }

    /** Reads a body that is one JSON object of texts, numbers, booleans and lists of texts. */
    ApiArguments arguments() throws IOException {
        if (hasLines()) {
            throw new HttpRefusal(Code.BAD_REQUEST, "this call takes one JSON object");
        }
        Map<String, Object> members = new HashMap<>();
        try (JsonParser json = FACTORY.createParser(new String(body(), StandardCharsets.UTF_8))) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new HttpRefusal(Code.BAD_JSON, "the body is not a JSON object");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                value(json, name).ifPresent(value -> members.put(name, value));
                if (members.size() > MEMBERS_MAX) {
                    throw new HttpRefusal(Code.BAD_JSON, "the object has more than " + MEMBERS_MAX + " members");
                }
            }
            if (json.nextToken() != null) {
                throw new HttpRefusal(Code.BAD_JSON, "the body has characters after the JSON object");
            }
        } catch (JacksonException malformed) {
            throw new HttpRefusal(Code.BAD_JSON, "the body is not JSON: " + malformed.getOriginalMessage());
        }
        return new ApiArguments(members);
    }

    private static Optional<Object> value(JsonParser json, String name) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_STRING -> Optional.of(json.getText());
            case VALUE_TRUE, VALUE_FALSE -> Optional.of(json.getBooleanValue());
            case VALUE_NUMBER_INT -> Optional.of(wholeNumber(json, name));
            case VALUE_NULL -> Optional.empty();
            case START_ARRAY -> Optional.of(texts(json, name));
            default -> throw new HttpRefusal(Code.BAD_REQUEST, name + " has a value of the wrong kind");
        };
    }

    private static Long wholeNumber(JsonParser json, String name) throws IOException {
        try {
            return json.getLongValue();
        } catch (JacksonException tooLarge) {
            throw new HttpRefusal(Code.BAD_REQUEST, name + " is too large a number");
        }
    }

    private static List<String> texts(JsonParser json, String name) throws IOException {
        List<String> texts = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() != JsonToken.VALUE_STRING || texts.size() == ELEMENTS_MAX) {
                throw new HttpRefusal(Code.BAD_REQUEST, name + " must be a list of at most " + ELEMENTS_MAX + " texts");
            }
            texts.add(json.getText());
        }
        return texts;
    }
}
