package io.belfry.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Collects the lines of a report. Owner: one report. */
@SuppressWarnings("AnnotateFormatMethod") // The annotation would need a dependency; tests print every format.
final class ReportText {
    private static final int FORMAT = 1;

    private final List<String> lines = new ArrayList<>();

    void line(String format, Object... values) {
        lines.add(format(format, values).stripTrailing());
    }

    String text() {
        return String.join("\n", lines);
    }

    static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** Returns the beginning of a report for programs. */
    static ObjectNode json(String kind) {
        return JsonNodeFactory.instance.objectNode().put("format", FORMAT).put("kind", kind);
    }
}
