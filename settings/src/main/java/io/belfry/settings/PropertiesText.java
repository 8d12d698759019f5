package io.belfry.settings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parsed text of a properties file: its entries in the order written, and its errors. {@code #} begins a comment at
 * the beginning of a line or after white space; a trailing {@code \} continues the value on the next line. Immutable.
 */
public record PropertiesText(List<Entry> entries, List<Problem> problems) {
    public PropertiesText {
        entries = List.copyOf(entries);
        problems = List.copyOf(problems);
    }

    /** Parses the text and never throws; {@code file} is the file name used in problems. */
    public static PropertiesText parse(String file, String text) {
        return new Reader(file).read(text);
    }

    /** The state of one call of {@link #parse}. Owner: that call. */
    private static final class Reader {
        private final String file;
        private final List<Entry> entries = new ArrayList<>();
        private final List<Problem> problems = new ArrayList<>();
        private final Map<String, Origin.FileLine> firstLines = new HashMap<>();

        Reader(String file) {
            this.file = file;
        }

        PropertiesText read(String text) {
            List<String> lines = text.lines().toList();
            int next = 0;
            while (next < lines.size()) next = readLogicalLine(lines, next);
            return new PropertiesText(entries, problems);
        }

        private int readLogicalLine(List<String> lines, int first) {
            StringBuilder whole = new StringBuilder();
            int next = first;
            boolean continued = true;
            while (continued && next < lines.size()) {
                String raw = next == 0 ? withoutByteOrderMark(lines.get(0)) : lines.get(next);
                String line = withoutComment(raw).strip();
                boolean commentInside = next > first && line.isEmpty() && !raw.isBlank();
                next++;
                // A comment line inside a continued value does not end the value.
                if (commentInside) continue;
                continued = line.endsWith("\\");
                whole.append(continued ? line.substring(0, line.length() - 1) : line);
            }
            if (!whole.toString().isBlank()) readEntry(whole.toString(), new Origin.FileLine(file, first + 1));
            return next;
        }

        private void readEntry(String line, Origin.FileLine origin) {
            int equals = line.indexOf('=');
            String name = equals < 0 ? "" : line.substring(0, equals).strip();
            if (name.isEmpty()) {
                // The problem omits the text, which may be a secret without its name.
                problems.add(new Problem(origin.toString(), "this line", "must be written Name = value"));
                return;
            }
            Origin.@Nullable FileLine earlier = firstLines.putIfAbsent(name.toLowerCase(Locale.ROOT), origin);
            if (earlier != null) {
                problems.add(
                        new Problem(origin.toString(), name, "already set at " + earlier + "; keep one of the two"));
                return;
            }
            entries.add(new Entry(name, line.substring(equals + 1).strip(), origin));
        }

        private static String withoutComment(String line) {
            for (int i = line.indexOf('#'); i >= 0; i = line.indexOf('#', i + 1)) {
                if (i == 0 || Character.isWhitespace(line.charAt(i - 1))) return line.substring(0, i);
            }
            return line;
        }

        private static String withoutByteOrderMark(String line) {
            return line.startsWith("\uFEFF") ? line.substring(1) : line;
        }
    }
}
