package io.belfry.benchkit.measure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The faults that a delivery check found: the first of each kind, and the number of each kind per stream. The lists are
 * bounded; the counts are complete. Owner: one loop, or the reporting thread.
 */
public final class Findings {
    /** Maximum number of listed findings of each kind. */
    public static final int FIRST_MAX = 20;

    private static final int STREAMS_MAX = 10_000;

    /** The kinds of faults. */
    public enum Kind {
        LOST,
        DUPLICATED,
        REORDERED
    }

    /** A fault of the messages {@code from} to {@code to} of one stream at one client. */
    public record Finding(String subject, int publisher, int client, long from, long to) {
        private StreamFaults faults(Kind kind) {
            long messages = to - from + 1;
            return new StreamFaults(
                    subject,
                    publisher,
                    kind == Kind.LOST ? messages : 0,
                    kind == Kind.DUPLICATED ? messages : 0,
                    kind == Kind.REORDERED ? messages : 0);
        }
    }

    /** The number of faulty messages of one stream, summed over the clients. */
    public record StreamFaults(String subject, int publisher, long lost, long duplicated, long reordered) {
        private StreamFaults plus(StreamFaults other) {
            return new StreamFaults(
                    subject, publisher, lost + other.lost, duplicated + other.duplicated, reordered + other.reordered);
        }

        private long sum() {
            return lost + duplicated + reordered;
        }
    }

    private final Map<Kind, List<Finding>> first = new EnumMap<>(Kind.class);
    private final Map<String, StreamFaults> streams = new LinkedHashMap<>();

    /** Adds one finding. */
    public void note(Kind kind, Finding finding) {
        list(kind, finding);
        count(finding.faults(kind));
    }

    /** Adds the other findings to these. */
    public void add(Findings other) {
        other.first.forEach((kind, found) -> found.forEach(finding -> list(kind, finding)));
        other.streams.values().forEach(this::count);
    }

    private void list(Kind kind, Finding finding) {
        List<Finding> ofKind = first.computeIfAbsent(kind, k -> new ArrayList<>());
        if (ofKind.size() < FIRST_MAX) {
            ofKind.add(finding);
        }
    }

    private void count(StreamFaults faults) {
        String stream = faults.publisher() + faults.subject();
        if (streams.size() < STREAMS_MAX || streams.containsKey(stream)) {
            streams.merge(stream, faults, StreamFaults::plus);
        }
    }

    /** The first findings of one kind. */
    public List<Finding> first(Kind kind) {
        return List.copyOf(first.getOrDefault(kind, List.of()));
    }

    /** Returns the streams with most faults, the worst first. */
    public List<StreamFaults> worstStreams(int most) {
        return streams.values().stream()
                .sorted(Comparator.comparingLong(StreamFaults::sum).reversed())
                .limit(most)
                .toList();
    }

    /** Number of streams with faults, 10,000 at most. */
    public int streams() {
        return streams.size();
    }
}
