package io.belfry.benchkit.measure;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * The lines a load generator prints every five seconds, the wording of the field's older tools kept so that their
 * readers and scripts go on working. Owner: the reporting thread.
 */
public final class ReportLines {
    /** What is printed after the deviation; the field estimated these from sampled clients, here they are of all. */
    public static final List<Double> PERCENTILES = List.of(50.0, 90.0, 95.0, 99.0, 99.9, 99.99);

    /** Of each kind; the JSON report has more. */
    private static final int FINDINGS_MAX = 10;

    private static final double Z_90 = 1.645;
    private static final double Z_95 = 1.96;

    private final DecimalFormatSymbols symbols = DecimalFormatSymbols.getInstance(Locale.ROOT);
    private final DecimalFormat whole = new DecimalFormat("#,##0", symbols);
    private final DecimalFormat twoDigits = new DecimalFormat("#,##0.00", symbols);
    private final DecimalFormat upToThree = new DecimalFormat("#,##0.###", symbols);
    private final DecimalFormat threeDigits = new DecimalFormat("#,##0.000", symbols);
    private final DecimalFormat percent = new DecimalFormat("0.##", symbols);

    /**
     * The block of one report.
     *
     * @param label what was measured, "Latency" for deliveries
     * @param latencies of all messages so far
     * @param perSecond messages a second since the report before
     */
    public List<String> block(Duration uptime, String label, Latencies latencies, double perSecond) {
        return block(uptime, label, "messages", latencies, perSecond);
    }

    /** {@code noun}: what is counted. */
    public List<String> block(Duration uptime, String label, String noun, Latencies latencies, double perSecond) {
        List<String> lines = new ArrayList<>();
        lines.add("Uptime: " + whole.format(uptime.toSeconds()) + " s");
        lines.addAll(distribution(label, latencies));
        lines.add("Total " + noun + ": " + whole.format(latencies.count()));
        lines.add("Frequency: " + twoDigits.format(perSecond) + " " + noun + "/sec");
        lines.addAll(percentiles(label, latencies));
        return lines;
    }

    private List<String> distribution(String label, Latencies latencies) {
        double mean = latencies.meanMillis();
        return List.of(
                label + " min: " + upToThree.format(latencies.minMillis()) + " ms",
                label + " max: " + upToThree.format(latencies.maxMillis()) + " ms",
                label + " mean: " + twoDigits.format(mean) + " ms",
                label + " standard deviation: " + twoDigits.format(latencies.deviationMillis()) + " ms",
                "90% CI for the mean: " + interval(latencies, Z_90),
                "95% CI for the mean: " + interval(latencies, Z_95));
    }

    private String interval(Latencies latencies, double z) {
        double half =
                latencies.count() == 0 ? 0 : z * latencies.deviationMillis() / Math.sqrt((double) latencies.count());
        double mean = latencies.meanMillis();
        return "[" + threeDigits.format(mean - half) + " - " + threeDigits.format(mean + half) + "] ms";
    }

    public List<String> percentiles(String label, Latencies latencies) {
        List<String> lines = new ArrayList<>();
        for (double percentile : PERCENTILES) {
            lines.add(label + " percentile " + percent.format(percentile) + ": "
                    + upToThree.format(latencies.percentileMillis(percentile)) + " ms");
        }
        return lines;
    }

    /** One line: the label with the 50th, 99th percentile and maximum; for figures that stand beside the main ones. */
    public String brief(String label, Latencies latencies) {
        return label + ": " + whole.format(latencies.count()) + ", 50%: " + millis(latencies.percentileMillis(50))
                + ", 99%: " + millis(latencies.percentileMillis(99)) + ", max: " + millis(latencies.maxMillis());
    }

    public String verify(Counts counts) {
        return "Verify: "
                + list(
                        counts,
                        Count.LOST,
                        Count.DUPLICATED,
                        Count.REORDERED,
                        Count.POSITIONS_MISSING,
                        Count.GAPS_ANNOUNCED,
                        Count.BEFORE_FIRST,
                        Count.END_MARKS_MISSING);
    }

    /** How the publishers' clocks stand to this machine's; empty while no message has told. */
    public List<String> clocks(List<ClockComparison.Entry> entries, boolean corrected) {
        List<String> lines = new ArrayList<>();
        for (ClockComparison.Entry entry : entries) {
            String machine = entries.size() == 1 ? "" : " (machine " + entry.machine() + ")";
            lines.add("Clock offset publisher - subscriber" + machine + ": " + offset(entry, corrected));
        }
        return lines;
    }

    private String offset(ClockComparison.Entry entry, boolean corrected) {
        if (!entry.known()) {
            return entry.sameMachine()
                    ? "none, both read the clock of one machine"
                    : "unknown, a server did not tell its time";
        }
        String offset =
                whole.format(entry.offsetMicros()) + " us +- " + whole.format(entry.uncertaintyMicros()) + " us";
        if (entry.disagrees()) {
            return offset + ", on one machine: the wall clock was set between the starts; start both anew";
        }
        if (entry.sameMachine()) {
            return offset + ", both read the clock of one machine";
        }
        return offset + (corrected ? ", latencies are corrected" : ", not corrected (CorrectClocks)");
    }

    /** The first of what verifying found, and the streams with most of it; empty when nothing was. */
    public List<String> findings(Findings findings, IntFunction<String> subjects) {
        List<String> lines = new ArrayList<>();
        for (Findings.Kind kind : Findings.Kind.values()) {
            for (Findings.Finding finding :
                    findings.first(kind).stream().limit(FINDINGS_MAX).toList()) {
                String numbers = finding.from() == finding.to()
                        ? "number " + finding.from()
                        : "numbers " + finding.from() + "-" + finding.to();
                lines.add(sentence(kind.name()) + ": " + subjects.apply(finding.subject()) + ", publisher "
                        + finding.publisher() + ", " + numbers + ", at client " + finding.client());
            }
        }
        for (Findings.StreamFaults stream : findings.worstStreams(FINDINGS_MAX)) {
            lines.add("By subject and publisher: " + subjects.apply(stream.subject()) + ", publisher "
                    + stream.publisher() + ": lost " + whole.format(stream.lost()) + ", duplicated "
                    + whole.format(stream.duplicated()) + ", reordered " + whole.format(stream.reordered()));
        }
        if (findings.streams() > FINDINGS_MAX) {
            lines.add("By subject and publisher: " + whole.format(findings.streams()) + " pairs with faults in all");
        }
        return lines;
    }

    /** What should be zero in a run without surprises; empty when all of it is. */
    public List<String> surprises(Counts counts, Latencies latencies) {
        List<String> lines = new ArrayList<>();
        for (Count count : List.of(
                Count.DISCONNECTIONS,
                Count.ERRORS,
                Count.RECONNECT_NOTICES,
                Count.MISDELIVERED,
                Count.UNSTAMPED,
                Count.REPLAYED,
                Count.POSITIONS_REPEATED,
                Count.EPOCH_CHANGES,
                Count.STALLS,
                Count.CONNECTS_FAILED,
                Count.STALLED,
                Count.STALLED_DISCONNECTED,
                Count.STALLED_MESSAGES,
                Count.STALLED_DROPPED,
                Count.STALLED_CONFLATED,
                Count.STALLED_SKIPPED,
                Count.STALLED_REPEATED,
                Count.STALLED_BEHIND)) {
            if (counts.of(count) != 0) {
                lines.add(words(count) + ": " + whole.format(counts.of(count)));
            }
        }
        if (latencies.belowZero() != 0) {
            lines.add("Latencies below zero, clocks disagree: " + whole.format(latencies.belowZero()));
        }
        if (latencies.beyond() != 0) {
            lines.add("Latencies over an hour: " + whole.format(latencies.beyond()));
        }
        return lines;
    }

    private String list(Counts counts, Count... which) {
        StringBuilder line = new StringBuilder();
        for (Count count : which) {
            line.append(line.isEmpty() ? "" : ", ")
                    .append(words(count).toLowerCase(Locale.ROOT))
                    .append(' ')
                    .append(whole.format(counts.of(count)));
        }
        return line.toString();
    }

    private static String words(Count count) {
        return sentence(count.name());
    }

    /** {@code GAPS_ANNOUNCED} as "Gaps announced". */
    private static String sentence(String constant) {
        String name = constant.replace('_', ' ');
        return name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
    }

    public String millis(double value) {
        return upToThree.format(value) + " ms";
    }

    public String number(long value) {
        return whole.format(value);
    }

    public String rate(double value) {
        return twoDigits.format(value);
    }
}
