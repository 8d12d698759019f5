package io.belfry.bench.report;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * A histogram log of a load generator, in the format of HdrHistogram's tools with values in microseconds. Immutable.
 *
 * <p>A generator that was killed leaves an incomplete line. Each line is therefore read separately: an unreadable line is
 * reported in {@link #notes} and does not affect the others.
 *
 * @param intervals in the order of the file
 */
public record HistogramLog(String name, List<Interval> intervals, List<String> notes) {
    /** The tag of the times to connect; message latencies have none. */
    public static final String CONNECT = "connect";

    /**
     * The values of an interval; times are in milliseconds since 1970.
     *
     * @param tag empty for none
     */
    public record Interval(String tag, long fromMillis, long toMillis, Histogram micros) {
        long middleMillis() {
            return fromMillis + (toMillis - fromMillis) / 2;
        }
    }

    /** Reads a file. */
    public static HistogramLog read(Path file) throws IOException {
        return parse(String.valueOf(file.getFileName()), Files.readString(file, StandardCharsets.ISO_8859_1));
    }

    static HistogramLog parse(String name, String text) {
        List<Interval> intervals = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        StringBuilder head = new StringBuilder();
        String[] lines = text.split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            String line = lines[i].strip();
            boolean complete = i < lines.length - 1;
            if (line.startsWith("#") && complete) {
                head.append(line).append('\n');
            } else if (!complete && !line.isEmpty()) {
                notes.add("the last line is incomplete and was skipped");
            } else if (!line.isEmpty() && !line.startsWith("#") && !line.startsWith("\"StartTimestamp\"")) {
                Optional<Interval> interval = interval(head + line + "\n");
                interval.ifPresent(intervals::add);
                if (interval.isEmpty()) {
                    notes.add("line " + (i + 1) + " cannot be read and was skipped");
                }
            }
        }
        return new HistogramLog(name, List.copyOf(intervals), List.copyOf(notes));
    }

    private static Optional<Interval> interval(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        try (HistogramLogReader reader = new HistogramLogReader(new ByteArrayInputStream(bytes))) {
            EncodableHistogram read = reader.nextIntervalHistogram();
            if (!(read instanceof Histogram micros)) {
                return Optional.empty();
            }
            String tag = micros.getTag() == null ? "" : micros.getTag();
            return Optional.of(new Interval(tag, micros.getStartTimeStamp(), micros.getEndTimeStamp(), micros));
        } catch (RuntimeException e) {
            // The decoder throws various exceptions for damaged input; all of them mean that the line is unreadable.
            return Optional.empty();
        }
    }
}
