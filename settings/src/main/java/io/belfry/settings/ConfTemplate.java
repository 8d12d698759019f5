package io.belfry.settings;

import java.util.List;
import java.util.stream.Stream;

/**
 * Generates a configuration file that lists every key of a program. Each key has its sentence as a comment and its
 * default commented out, so that the unedited file changes nothing. Pure.
 */
public final class ConfTemplate {
    private static final int WIDTH = 100;

    private ConfTemplate() {}

    /** Returns the text of the file, which begins with {@code introduction} as a comment. */
    public static String of(String introduction, KeySet keys) {
        StringBuilder text = new StringBuilder();
        appendComment(text, introduction);
        String chapter = "";
        for (Key key : keys.keys()) {
            if (!key.chapter().equals(chapter)) {
                chapter = key.chapter();
                text.append("\n\n# --- ").append(chapter).append(" ---\n");
            }
            text.append('\n');
            appendComment(text, key.sentence().replace("`", ""));
            text.append(('#' + key.keyName() + " = " + key.defaultText().orElse("")).strip())
                    .append('\n');
        }
        return text.toString();
    }

    private static void appendComment(StringBuilder text, String paragraph) {
        for (String line : wrap(paragraph)) text.append("# ").append(line).append('\n');
    }

    private static List<String> wrap(String paragraph) {
        Stream.Builder<String> lines = Stream.builder();
        StringBuilder line = new StringBuilder();
        for (String word : paragraph.split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > WIDTH - 2) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        return lines.add(line.toString()).build().toList();
    }
}
