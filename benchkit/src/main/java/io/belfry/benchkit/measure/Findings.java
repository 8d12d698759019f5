package io.belfry.benchkit.measure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a check found, one by one: the first of each kind, and how many of each kind for each subject and publisher.
 * Costs nothing while nothing is found; bounded, for the counts tell the whole. Owner: one loop, or whoever reports.
 */
public final class Findings {
    /** Of each kind so many are listed. */
    public static final int FIRST_MAX = 20;

    private static final int STREAMS_MAX = 10_000;

    /** What may be found. */
    public enum Kind {
        LOST,
        DUPLICATED,
        REORDERED
    }

    /** The messages {@code from} to {@code to} of a publisher to a subject, at one client; the subject by its index. */
    public record Finding(Kind kind, int subject, int publisher, int client, long from, long to) {
        long messages() {
            return to - from + 1;
        }
    }

    /** A publisher's messages to a subject, by the numbers in their stamps. */
    public record StreamFaults(int subject, int publisher, long lost, long duplicated, long reordered) {
        long sum() {
            return lost + duplicated + reordered;
        }
    }

    private record Stream(int subject, int publisher) {}

    private final Map<Kind, List<Finding>> first = new EnumMap<>(Kind.class);
    private final Map<Stream, long[]> streams = new LinkedHashMap<>();

    public void note(Finding finding) {
        List<Finding> ofKind = first.computeIfAbsent(finding.kind(), k -> new ArrayList<>());
        if (ofKind.size() < FIRST_MAX) {
            ofKind.add(finding);
        }
        Stream stream = new Stream(finding.subject(), finding.publisher());
        if (streams.size() < STREAMS_MAX || streams.containsKey(stream)) {
            counts(stream)[finding.kind().ordinal()] += finding.messages();
        }
    }

    public void add(Findings other) {
        other.first.forEach((kind, found) -> {
            List<Finding> ofKind = first.computeIfAbsent(kind, k -> new ArrayList<>());
            found.stream().limit(FIRST_MAX - (long) ofKind.size()).forEach(ofKind::add);
        });
        other.streams.forEach((stream, theirs) -> {
            long[] ours = counts(stream);
            for (int i = 0; i < ours.length; i++) {
                ours[i] += theirs[i];
            }
        });
    }

    private long[] counts(Stream stream) {
        return streams.computeIfAbsent(stream, s -> new long[Kind.values().length]);
    }

    public List<Finding> first(Kind kind) {
        return List.copyOf(first.getOrDefault(kind, List.of()));
    }

    /** Those with most faults first. */
    public List<StreamFaults> worstStreams(int most) {
        return streams.entrySet().stream()
                .map(e -> new StreamFaults(
                        e.getKey().subject(),
                        e.getKey().publisher(),
                        e.getValue()[Kind.LOST.ordinal()],
                        e.getValue()[Kind.DUPLICATED.ordinal()],
                        e.getValue()[Kind.REORDERED.ordinal()]))
                .sorted(Comparator.comparingLong(StreamFaults::sum).reversed())
                .limit(most)
                .toList();
    }

    /** How many pairs of subject and publisher had faults; those beyond 10,000 are not told apart. */
    public int streams() {
        return streams.size();
    }
}
