package io.belfry.server.control;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The answer to a control request: {@code ok} or {@code error} on the first line, then more lines. Immutable. */
public record ControlAnswer(boolean ok, List<String> lines) {
    public ControlAnswer {
        lines = List.copyOf(lines);
    }

    static ControlAnswer ok(List<String> lines) {
        return new ControlAnswer(true, lines);
    }

    static ControlAnswer error(String reason) {
        return new ControlAnswer(false, reason.lines().toList());
    }

    String toWire() {
        return Stream.concat(Stream.of(ok ? "ok" : "error"), lines.stream())
                .map(line -> line + "\n")
                .collect(Collectors.joining());
    }

    /** Parses an answer; an empty or invalid text becomes an error answer that says so. */
    static ControlAnswer parse(String text) {
        List<String> all = text.lines().toList();
        if (all.isEmpty()) {
            return error("the server closed the control connection without an answer");
        }
        return switch (all.getFirst()) {
            case "ok" -> new ControlAnswer(true, all.subList(1, all.size()));
            case "error" -> new ControlAnswer(false, all.subList(1, all.size()));
            default -> error("not an answer of a Belfry server: " + all.getFirst());
        };
    }
}
