package io.belfry.benchkit.measure;

import java.io.PrintStream;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Prints lines as {@code [2013-06-18, 15:03:11] [INFO] line}. Any thread; the lines of one call stay together.
 */
public final class ReportLog {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd, HH:mm:ss", Locale.ROOT);

    private final PrintStream out;
    private final Supplier<LocalDateTime> now;

    public ReportLog(PrintStream out, Supplier<LocalDateTime> now) {
        this.out = out;
        this.now = now;
    }

    public static ReportLog standard() {
        return new ReportLog(System.out, LocalDateTime::now);
    }

    public void info(String line) {
        info(List.of(line));
    }

    public void info(List<String> lines) {
        print("INFO", lines);
    }

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
