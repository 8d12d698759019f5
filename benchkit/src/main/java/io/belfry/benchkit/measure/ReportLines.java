package io.belfry.benchkit.measure;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The lines a load generator prints every five seconds, the wording of the field's older tools kept so that their
 * readers and scripts go on working. Owner: the reporting thread.
 */
public final class ReportLines {
    /** What is printed after the deviation; the field estimated these from sampled clients, here they are of all. */
    public static final List<Double> PERCENTILES = List.of(50.0, 90.0, 95.0, 99.0, 99.9, 99.99);

    private static final double Z_90 = 1.645;
    private static final double Z_95 = 1.96;

    private final DecimalFormatSymbols symbols = DecimalFormatSymbols.getInstance(Locale.ROOT);
    private final DecimalFormat whole = new DecimalFormat("#,##0", symbols);
    private final DecimalFormat twoDigits = new DecimalFormat("#,##0.00", symbols);
    private final DecimalFormat upToThree = new DecimalFormat("#,##0.###", symbols);
    private final DecimalFormat percent = new DecimalFormat("0.##", symbols);

    /**
     * The block of one report.
     *
     * @param label what was measured, "Latency" for deliveries
     * @param latencies of all messages so far
     * @param perSecond messages a second since the report before
     */
    public List<String> block(Duration uptime, String label, Latencies latencies, double perSecond) {
        List<String> lines = new ArrayList<>();
        lines.add("Uptime: " + whole.format(uptime.toSeconds()) + " s");
        lines.addAll(distribution(label, latencies));
        lines.add("Total messages: " + whole.format(latencies.count()));
        lines.add("Frequency: " + twoDigits.format(perSecond) + " messages/sec");
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
        return "[" + upToThree.format(mean - half) + " - " + upToThree.format(mean + half) + "] ms";
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
                        Count.BEFORE_FIRST);
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
                Count.STALLS)) {
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

    /** {@code GAPS_ANNOUNCED} as "Gaps announced". */
    private static String words(Count count) {
        String name = count.name().replace('_', ' ');
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
