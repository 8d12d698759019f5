package io.belfry.benchkit.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Formats the lines that a load generator prints every five seconds. The wording is that of earlier benchmark tools, so
 * that their users and scripts can read the lines. Pure.
 */
public final class ReportLines {
    /** The percentiles of a report, over all messages. */
    public static final List<Double> PERCENTILES = List.of(50.0, 90.0, 95.0, 99.0, 99.9, 99.99);

    /** Maximum number of findings of each kind; the JSON report has more. */
    private static final int FINDINGS_MAX = 10;

    private static final double Z_90 = 1.645;
    private static final double Z_95 = 1.96;

    private ReportLines() {}

    /**
     * Formats the block of one report.
     *
     * @param label what was measured: "Latency" for deliveries
     * @param noun what is counted: "messages" for deliveries
     * @param latencies of all messages so far
     * @param perSecond messages per second since the previous report
     */
    public static List<String> block(
            Duration uptime, String label, String noun, Latencies latencies, double perSecond) {
        List<String> lines = new ArrayList<>(List.of(
                "Uptime: " + number(uptime.toSeconds()) + " s",
                label + " min: " + millis(latencies.minMillis()),
                label + " max: " + millis(latencies.maxMillis()),
                label + " mean: " + rate(latencies.meanMillis()) + " ms",
                label + " standard deviation: " + rate(latencies.deviationMillis()) + " ms",
                "90% CI for the mean: " + interval(latencies, Z_90),
                "95% CI for the mean: " + interval(latencies, Z_95),
                "Total " + noun + ": " + number(latencies.count()),
                "Frequency: " + rate(perSecond) + " " + noun + "/sec"));
        for (double percentile : PERCENTILES) {
            lines.add(label + " percentile " + percentileName(percentile) + ": "
                    + millis(latencies.percentileMillis(percentile)));
        }
        return lines;
    }

    private static String interval(Latencies latencies, double z) {
        long count = latencies.count();
        double half = count == 0 ? 0 : z * latencies.deviationMillis() / Math.sqrt((double) count);
        double mean = latencies.meanMillis();
        return Texts.format("[%,.3f - %,.3f] ms", mean - half, mean + half);
    }

    /** Formats secondary figures as one line: count, median, 99th percentile and maximum. */
    public static String brief(String label, Latencies latencies) {
        return label + ": " + number(latencies.count()) + ", 50%: " + millis(latencies.percentileMillis(50)) + ", 99%: "
                + millis(latencies.percentileMillis(99)) + ", max: " + millis(latencies.maxMillis());
    }

    /** Formats the counts of the delivery check as one line. */
    public static String verify(Counts counts) {
        return Arrays.stream(Count.values())
                .filter(count -> count.is(Count.Trait.VERIFIED))
                .map(count -> count.label().toLowerCase(Locale.ROOT) + " " + number(counts.of(count)))
                .collect(Collectors.joining(", ", "Verify: ", ""));
    }

    /** Formats the clock offset of each publisher's machine; empty before the first message. */
    public static List<String> clocks(List<ClockComparison> entries, boolean corrected) {
        return entries.stream()
                .map(entry -> "Clock offset publisher - subscriber"
                        + (entries.size() == 1 ? "" : " (machine " + entry.machine() + ")") + ": "
                        + offset(entry, corrected))
                .toList();
    }

    private static String offset(ClockComparison entry, boolean corrected) {
        if (!entry.known()) {
            return entry.sameMachine()
                    ? "none, both read the clock of one machine"
                    : "unknown, a server did not send its time";
        }
        String offset = number(entry.offsetMicros()) + " us +- " + number(entry.uncertaintyMicros()) + " us";
        if (entry.disagrees()) {
            return offset + ", on one machine: the wall clock was set between the starts; restart both programs";
        }
        if (entry.sameMachine()) {
            return offset + ", both read the clock of one machine";
        }
        return offset + (corrected ? ", latencies are corrected" : ", not corrected (CorrectClocks)");
    }

    /** Formats the first findings and the streams with most faults; empty if nothing was found. */
    public static List<String> findings(Findings findings) {
        List<String> lines = new ArrayList<>();
        for (Findings.Kind kind : Findings.Kind.values()) {
            findings.first(kind).stream().limit(FINDINGS_MAX).forEach(finding -> {
                String numbers = finding.from() == finding.to()
                        ? "number " + finding.from()
                        : "numbers " + finding.from() + "-" + finding.to();
                lines.add(Texts.capitalized(kind.name()) + ": " + finding.subject() + ", publisher "
                        + finding.publisher() + ", " + numbers + ", at client " + finding.client());
            });
        }
        for (Findings.StreamFaults stream : findings.worstStreams(FINDINGS_MAX)) {
            lines.add("By subject and publisher: " + stream.subject() + ", publisher "
                    + stream.publisher() + ": lost " + number(stream.lost()) + ", duplicated "
                    + number(stream.duplicated()) + ", reordered " + number(stream.reordered()));
        }
        if (findings.streams() > FINDINGS_MAX) {
            lines.add("By subject and publisher: " + number(findings.streams()) + " pairs with faults in all");
        }
        return lines;
    }

    /** Formats the counts that should be zero and are not. */
    public static List<String> incidents(Counts counts, Latencies latencies) {
        List<String> lines = new ArrayList<>();
        for (Count count : Count.values()) {
            addUnlessZero(lines, count.label(), count.is(Count.Trait.INCIDENT) ? counts.of(count) : 0);
        }
        addUnlessZero(lines, "Latencies below zero, clocks disagree", latencies.belowZero());
        addUnlessZero(lines, "Latencies over an hour", latencies.beyond());
        return lines;
    }

    private static void addUnlessZero(List<String> lines, String label, long count) {
        if (count != 0) {
            lines.add(label + ": " + number(count));
        }
    }

    /** Names a percentile: {@code 99} and {@code 99.9}. */
    public static String percentileName(double percentile) {
        return percentile == Math.rint(percentile) ? Long.toString((long) percentile) : Double.toString(percentile);
    }

    /** Formats milliseconds with up to three decimals. */
    public static String millis(double value) {
        return Texts.format("%,.3f", value).replaceFirst("\\.?0+$", "") + " ms";
    }

    /** Formats a whole number with thousands separators. */
    public static String number(long value) {
        return Texts.format("%,d", value);
    }

    /** Formats a number with two decimals. */
    public static String rate(double value) {
        return Texts.format("%,.2f", value);
    }
}
