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
 * A file in the format of HdrHistogram's tools, as the load generators write it, with values in microseconds. Immutable.
 *
 * <p>A generator that was killed leaves a line unfinished. Each line is therefore read for itself: what cannot be read is
 * told in {@link #notes} and costs no other line.
 *
 * @param stretches in the order of the file
 */
public record HistogramLog(String name, List<Stretch> stretches, List<String> notes) {
    /** The tag of the times to connect; latencies of messages have none. */
    public static final String CONNECT = "connect";

    /**
     * The values of some time. Times are milliseconds since 1970.
     *
     * @param tag empty for none
     */
    public record Stretch(String tag, long fromMillis, long toMillis, Histogram micros) {
        boolean isOf(String wanted) {
            return tag.equals(wanted);
        }

        long middleMillis() {
            return fromMillis + (toMillis - fromMillis) / 2;
        }
    }

    public HistogramLog {
        stretches = List.copyOf(stretches);
        notes = List.copyOf(notes);
    }

    public static HistogramLog read(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        return parse(String.valueOf(file.getFileName()), text);
    }

    static HistogramLog parse(String name, String text) {
        List<Stretch> stretches = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        StringBuilder head = new StringBuilder();
        String[] lines = text.split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            String line = lines[i].strip();
            boolean finished = i < lines.length - 1;
            if (line.startsWith("#") && finished) {
                head.append(line).append('\n');
            } else if (!finished && !line.isEmpty()) {
                notes.add("the last line is unfinished and was left out");
            } else if (isData(line)) {
                stretch(head, line).ifPresentOrElse(stretches::add, unreadable(notes, i + 1));
            }
        }
        return new HistogramLog(name, stretches, notes);
    }

    private static Runnable unreadable(List<String> notes, int number) {
        return () -> notes.add("line " + number + " cannot be read and was left out");
    }

    private static boolean isData(String line) {
        return !line.isEmpty() && !line.startsWith("#") && !line.startsWith("\"StartTimestamp\"");
    }

    private static Optional<Stretch> stretch(CharSequence head, String line) {
        byte[] bytes = (head + line + "\n").getBytes(StandardCharsets.ISO_8859_1);
        try (HistogramLogReader reader = new HistogramLogReader(new ByteArrayInputStream(bytes))) {
            EncodableHistogram read = reader.nextIntervalHistogram();
            return read instanceof Histogram micros
                    ? Optional.of(new Stretch(
                            micros.getTag() == null ? "" : micros.getTag(),
                            micros.getStartTimeStamp(),
                            micros.getEndTimeStamp(),
                            micros))
                    : Optional.empty();
        } catch (RuntimeException e) {
            // The reader meets damage with whatever its decoding runs into; each of them means the same here.
            return Optional.empty();
        }
    }

    public boolean isEmpty() {
        return stretches.isEmpty();
    }
}
