package io.belfry.server.console;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.sun.net.httpserver.HttpExchange;
import io.belfry.protocol.Code;
import io.belfry.server.monitor.BasicLogin;
import io.belfry.server.monitor.HttpRefusal;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads a request to the console; throws an HttpRefusal if the request is invalid. Owner: the request's thread. */
record ConsoleRequest(HttpExchange exchange) {
    private static final int BODY_BYTES_MAX = 4096;
    private static final JsonFactory JSON = new JsonFactory();

    String method() {
        return exchange.getRequestMethod();
    }

    /** Returns the part of the path after a prefix. */
    String after(String prefix) {
        return exchange.getRequestURI().getPath().substring(prefix.length());
    }

    String address() {
        return exchange.getRemoteAddress().getAddress().getHostAddress();
    }

    private Optional<String> header(String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name));
    }

    /** Returns whether a program or a page of the console sent this POST. Pages of other origins cannot send JSON. */
    boolean isOwnPost() {
        return header("Content-Type").orElse("").toLowerCase(Locale.ROOT).startsWith("application/json")
                && header("Sec-Fetch-Site").orElse("same-origin").equals("same-origin");
    }

    Optional<String> cookie(String name) {
        return exchange.getRequestHeaders().getOrDefault("Cookie", List.of()).stream()
                .flatMap(field -> Arrays.stream(field.split(";", -1)))
                .map(String::strip)
                .filter(pair -> pair.startsWith(name + "="))
                .map(pair -> pair.substring(name.length() + 1))
                .findFirst();
    }

    /** Returns the name and the password of HTTP Basic authentication, which programs use. */
    Optional<BasicLogin> basic() {
        return header("Authorization").map(BasicLogin::read);
    }

    /** Returns a parameter of the query, or an empty text if it is missing. */
    String parameter(String name) {
        String raw = Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("");
        try {
            return Arrays.stream(raw.split("&", -1))
                    .filter(pair -> pair.startsWith(name + "="))
                    .map(pair -> URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8))
                    .findFirst()
                    .orElse("");
        } catch (IllegalArgumentException malformed) {
            throw new HttpRefusal(Code.BAD_REQUEST, "the query is malformed");
        }
    }

    /** Returns a parameter that is a whole number; 0 if it is missing. */
    long number(String name, long max) {
        String text = parameter(name);
        if (!text.matches("\\d{0,18}")) {
            throw new HttpRefusal(Code.BAD_REQUEST, name + " must be a whole number of 0 or more");
        }
        long number = text.isEmpty() ? 0 : Long.parseLong(text);
        if (number > max) {
            throw new HttpRefusal(Code.BAD_REQUEST, name + " must be at most " + max);
        }
        return number;
    }

    /** Returns the members of the body, which is a small JSON object with texts. */
    Map<String, String> body() throws IOException {
        byte[] bytes = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
        if (bytes.length > BODY_BYTES_MAX) {
            throw new HttpRefusal(Code.BAD_REQUEST, "the body is larger than " + BODY_BYTES_MAX + " bytes");
        }
        Map<String, String> values = new HashMap<>();
        try (JsonParser parser = JSON.createParser(bytes)) {
            boolean object = parser.nextToken() == JsonToken.START_OBJECT;
            while (object && parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                object = parser.nextToken() == JsonToken.VALUE_STRING;
                values.put(name, parser.getText());
            }
            if (!object) {
                throw new HttpRefusal(Code.BAD_JSON, "the body must be a JSON object with texts");
            }
        } catch (JacksonException malformed) {
            throw new HttpRefusal(Code.BAD_JSON, "the body must be a JSON object with texts");
        }
        return values;
    }
}
