package io.belfry.integration;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** HTTP over a raw connection: sends requests as text and parses answers. Owner: the test's thread. */
public final class Http implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A complete answer; header names are in lower case. */
    public record Answer(int status, Map<String, String> headers, String body) {
        public JsonNode json() {
            return Http.json(body);
        }

        /** Returns the reason code of an error. */
        public String code() {
            return json().path("code").asText();
        }
    }

    private final RawConnection connection;

    Http(RawConnection connection) {
        this.connection = connection;
    }

    public static Http to(int port) {
        return new Http(RawConnection.to(port));
    }

    public static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("not JSON: " + text, e);
        }
    }

    RawConnection raw() {
        return connection;
    }

    public Answer get(String target, String... headers) {
        return request("GET", target, "", headers);
    }

    public Answer post(String target, String body, String... headers) {
        return request("POST", target, body, headers);
    }

    Answer request(String method, String target, String body, String... headers) {
        connection.send(text(method, target, body, headers));
        return answer();
    }

    /** Requests a stream and reads the head of the answer; the caller reads the body. */
    Answer stream(String target, String... headers) {
        connection.send(text("GET", target, "", headers));
        return head();
    }

    static String text(String method, String target, String body, String... headers) {
        StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        if (Arrays.stream(headers).noneMatch(header -> header.startsWith("Host: "))) {
            request.append("Host: localhost\r\n");
        }
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        if (!body.isEmpty() || method.equals("POST")) {
            request.append("Content-Length: ")
                    .append(body.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n");
        }
        return request.append("\r\n").append(body).toString();
    }

    /** Returns the next answer on this connection; reads its body by length or chunks. */
    Answer answer() {
        return whole(head());
    }

    /** Reads the body that follows this head and returns the complete answer. */
    Answer whole(Answer head) {
        if (head.headers().getOrDefault("transfer-encoding", "").equals("chunked")) {
            StringBuilder body = new StringBuilder();
            for (String chunk = chunk(); !chunk.isEmpty(); chunk = chunk()) {
                body.append(chunk);
            }
            return new Answer(head.status(), head.headers(), body.toString());
        }
        int length = Integer.parseInt(head.headers().getOrDefault("content-length", "0"));
        byte[] body = connection.read(length);
        return new Answer(head.status(), head.headers(), new String(body, StandardCharsets.UTF_8));
    }

    /** Returns the head of the next answer, for an answer without a body or without an end. */
    Answer head() {
        String statusLine = connection.line();
        Map<String, String> headers = new TreeMap<>();
        for (String line = connection.line(); !line.isEmpty(); line = connection.line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new Answer(Integer.parseInt(statusLine.split(" ", 3)[1]), headers, "");
    }

    /** Returns the next chunk of a stream, or an empty string for the last one. */
    private String chunk() {
        int length = Integer.parseInt(connection.line(), 16);
        byte[] bytes = connection.read(length);
        connection.line();
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns the lines of a chunked stream, independent of the boundaries of its chunks. */
    LineSource lines() {
        return new LineSource();
    }

    /** Reads lines across chunks. Owner: the test's thread. */
    final class LineSource {
        private String pending = "";

        private LineSource() {}

        /** Returns the next line without its end. */
        String next() {
            while (pending.indexOf('\n') < 0) {
                String chunk = chunk();
                if (chunk.isEmpty()) {
                    throw new RawConnection.Ended("with its last chunk, after " + pending);
                }
                pending += chunk;
            }
            int end = pending.indexOf('\n');
            String line = pending.substring(0, end);
            pending = pending.substring(end + 1);
            return line;
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
