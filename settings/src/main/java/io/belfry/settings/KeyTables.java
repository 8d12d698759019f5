package io.belfry.settings;

/** Generates the documentation of a program's keys as Markdown, with one table for each chapter. Pure. */
public final class KeyTables {
    private KeyTables() {}

    /** Returns the tables of all keys. */
    public static String of(KeySet keys) {
        StringBuilder text = new StringBuilder();
        String chapter = "";
        for (Key key : keys.keys()) {
            if (!key.chapter().equals(chapter) || text.isEmpty()) {
                chapter = key.chapter();
                appendHead(text, chapter);
            }
            appendRow(text, key);
        }
        return text.toString();
    }

    private static void appendHead(StringBuilder text, String chapter) {
        if (!text.isEmpty()) text.append('\n');
        if (!chapter.isEmpty()) text.append("## ").append(chapter).append("\n\n");
        text.append("| key | value | default | reload | meaning |\n|---|---|---|---|---|\n");
    }

    private static void appendRow(StringBuilder text, Key key) {
        text.append("| `")
                .append(key.keyName())
                .append("` | ")
                .append(cell(key.type().form()))
                .append(" | ")
                .append(key.defaultText().map(value -> '`' + value + '`').orElse("not set"))
                .append(" | ")
                .append(key.reloadable() ? "yes" : "no")
                .append(" | ")
                .append(cell(key.sentence()))
                .append(key.secret() ? " Secret: never shown." : "")
                .append(" |\n");
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
