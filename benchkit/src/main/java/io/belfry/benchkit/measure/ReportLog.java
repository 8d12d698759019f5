package io.belfry.benchkit.measure;

import java.io.PrintStream;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Prints lines as {@code [2013-06-18, 15:03:11] [INFO] line}; the lines of one call are not interrupted by others. Any
 * thread.
 */
public record ReportLog(PrintStream out, Supplier<LocalDateTime> now) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd, HH:mm:ss", Locale.ROOT);

    /** Returns a log on standard output. */
    public static ReportLog standard() {
        return new ReportLog(System.out, LocalDateTime::now);
    }

    /** Prints one line of level INFO. */
    public void info(String line) {
        info(List.of(line));
    }

    /** Prints lines of level INFO. */
    public void info(List<String> lines) {
        print("INFO", lines);
    }

    /** Prints one line of level ERROR. */
    public void error(String line) {
        print("ERROR", List.of(line));
    }

    private synchronized void print(String level, List<String> lines) {
        String head = "[" + TIME.format(now.get()) + "] [" + level + "] ";
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            text.append(head).append(line).append('\n');
        }
        out.print(text);
        out.flush();
    }
}
