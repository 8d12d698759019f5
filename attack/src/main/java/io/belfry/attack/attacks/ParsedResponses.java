package io.belfry.attack.attacks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The HTTP responses received on one connection, in order. Immutable. */
public record ParsedResponses(List<Response> all) {
    private static final String HEAD_END = "\r\n\r\n";

    /** One response; header names are in lower case. */
    public record Response(int status, Map<String, String> headers, String body) {}

    /** Splits text by content lengths and chunks, as a client does: text inside a body is no response. */
    public static ParsedResponses of(String text) {
        List<Response> responses = new ArrayList<>();
        String rest = text;
        while (rest.startsWith("HTTP/1.1 ") && rest.contains(HEAD_END)) {
            int headEnd = rest.indexOf(HEAD_END);
            List<String> lines = List.of(rest.substring(0, headEnd).split("\r\n", -1));
            int status = status(lines.getFirst());
            Map<String, String> headers = headers(lines);
            rest = rest.substring(headEnd + HEAD_END.length());
            // An interim response (100 Continue) or a switch of protocols has no body.
            int length = status / 100 == 1 ? 0 : bodyLength(headers, rest);
            responses.add(new Response(status, headers, rest.substring(0, length)));
            rest = rest.substring(length);
        }
        return new ParsedResponses(responses);
    }

    private static Map<String, String> headers(List<String> lines) {
        return lines.stream()
                .skip(1)
                .map(line -> line.split(":", 2))
                .filter(parts -> parts.length == 2)
                .collect(Collectors.toMap(
                        parts -> parts[0].toLowerCase(Locale.ROOT), parts -> parts[1].strip(), (first, last) -> last));
    }

    private static int status(String line) {
        String[] words = line.split(" ", 3);
        return words.length > 1 && words[1].matches("\\d{3}") ? Integer.parseInt(words[1]) : 0;
    }

    private static int bodyLength(Map<String, String> headers, String rest) {
        if (headers.getOrDefault("transfer-encoding", "").equals("chunked")) {
            int last = rest.indexOf("\r\n0\r\n\r\n");
            return last < 0 ? rest.length() : last + 7;
        }
        String length = headers.getOrDefault("content-length", "");
        return length.matches("\\d{1,9}") ? Math.min(rest.length(), Integer.parseInt(length)) : 0;
    }

    /** Returns the status of the first response, 0 if there is none. */
    public int status() {
        return all.isEmpty() ? 0 : all.getFirst().status();
    }

    /** Returns the responses without interim ones (100 Continue). */
    public List<Response> whole() {
        return all.stream().filter(response -> response.status() != 100).toList();
    }

    @Override
    public String toString() {
        return all.isEmpty()
                ? "no response"
                : all.stream().map(each -> Integer.toString(each.status())).collect(Collectors.joining(", "));
    }
}
