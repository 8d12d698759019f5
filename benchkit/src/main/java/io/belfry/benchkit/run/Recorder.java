package io.belfry.benchkit.run;

import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.jspecify.annotations.Nullable;

/**
 * Collects the figures of a fleet, by phase and in total, and writes each second to the histogram log. The seconds are
 * those of the wall clock, so that the logs of several instances can be merged. Owner: the main thread.
 */
final class Recorder implements AutoCloseable {
    private static final long SECOND_MILLIS = 1000;

    private final Role role;
    private final Map<Phase, Figures> phases = new EnumMap<>(Phase.class);
    private final Map<Phase, Long> phaseNanos = new EnumMap<>(Phase.class);
    final Figures total = new Figures();
    final long startMillis = System.currentTimeMillis();
    private final long startNanos = System.nanoTime();
    private @Nullable HistogramLogFile histogramLog;
    private Phase phase = Phase.CONNECTING;
    private long phaseSinceNanos = startNanos;
    private long lastTakenNanos = startNanos;
    private Figures sinceReport = new Figures();
    private long reportedNanos = startNanos;
    private Duration cpuBefore = Duration.ZERO;
    private Duration cpuMeasuring = Duration.ZERO;

    Recorder(Role role) {
        this.role = role;
    }

    /** The phases of a run, in their order. */
    enum Phase {
        CONNECTING("ramp up"),
        WARM_UP("warm-up"),
        MEASURING("sustain"),
        RAMP_DOWN("ramp down"),
        SETTLING("end");

        /** The name of the phase in report lines. */
        final String words;

        Phase(String words) {
            this.words = words;
        }
    }

    /**
     * The figures of a report.
     *
     * @param uptime time since the phase began
     * @param total figures since the start of the run
     * @param interval figures since the previous report; of the whole measurement in the summary
     */
    record Report(Phase phase, Duration uptime, Figures total, Figures interval, double intervalSeconds) {
        /** Formats the figures {@code shown}, with the rate of those of the interval. */
        List<String> block(String label, String noun, Latencies shown, Latencies ofInterval) {
            return ReportLines.block(uptime, label, noun, shown, ofInterval.count() / intervalSeconds);
        }
    }

    void openLog(Optional<Path> file, String program) throws IOException {
        if (file.isPresent()) {
            histogramLog = new HistogramLogFile(file.get(), program, startMillis);
        }
    }

    /** Begins the next phase. */
    void enter(Phase next) {
        take();
        long now = System.nanoTime();
        phaseNanos.merge(phase, now - phaseSinceNanos, Long::sum);
        if (phase == Phase.MEASURING) {
            cpuMeasuring = cpu().minus(cpuBefore);
        }
        phase = next;
        phaseSinceNanos = now;
        cpuBefore = cpu();
    }

    Phase phase() {
        return phase;
    }

    Duration sinceEntered() {
        return Duration.ofNanos(System.nanoTime() - phaseSinceNanos);
    }

    /** Returns the figures of a report and begins the next interval. */
    Report interval() {
        take();
        double seconds = Math.max(lastTakenNanos - reportedNanos, 1) / 1e9;
        Report interval = new Report(phase, sinceEntered(), total, sinceReport, seconds);
        sinceReport = new Figures();
        reportedNanos = lastTakenNanos;
        return interval;
    }

    /** Time until the end of the second, at which {@link #takeIfDue} takes the figures. */
    Duration untilDue() {
        long due = Math.floorDiv(millisAt(lastTakenNanos), SECOND_MILLIS) * SECOND_MILLIS + SECOND_MILLIS;
        return Duration.ofMillis(Math.max(0, due - millisAt(System.nanoTime())));
    }

    /** Takes the figures if the second is over. */
    void takeIfDue() {
        if (untilDue().isZero()) {
            take();
        }
    }

    /** Moves the figures of the fleet since the last call into the phase, the totals and the log. */
    void take() {
        long fromNanos = lastTakenNanos;
        Figures second = new Figures();
        role.fleet().takeFigures(second);
        lastTakenNanos = System.nanoTime();
        total.add(second);
        sinceReport.add(second);
        phases.computeIfAbsent(phase, p -> new Figures()).add(second);
        if (histogramLog != null) {
            histogramLog.add(role.measured(second), second.connects(), millisAt(fromNanos), millisAt(lastTakenNanos));
        }
    }

    private long millisAt(long nanos) {
        return startMillis + (nanos - startNanos) / 1_000_000;
    }

    /** The figures of one phase. */
    Figures of(Phase which) {
        return phases.getOrDefault(which, new Figures());
    }

    /** Duration of a completed phase. */
    double seconds(Phase which) {
        return phaseNanos.getOrDefault(which, 0L) / 1e9;
    }

    /** Duration of the measurement; 0 if the run ended before it. */
    double measuredSeconds() {
        return seconds(Phase.MEASURING);
    }

    /** The report on the whole run; its interval is the measurement for a churning run, and the whole run otherwise. */
    Report summary() {
        Duration uptime = Duration.ofNanos((long) (measuredSeconds() * 1e9));
        Figures figures = role.churns() ? of(Phase.MEASURING) : total;
        return new Report(Phase.MEASURING, uptime, total, figures, Math.max(measuredSeconds(), 1e-9));
    }

    /** The loop lags of the measurement, or of the whole run if it ended before the measurement. */
    Latencies loopLags() {
        return (measuredSeconds() == 0 ? total : of(Phase.MEASURING)).loopLags();
    }

    /** CPU time of this process during the measurement. */
    double cpuSecondsMeasuring() {
        return cpuMeasuring.toMillis() / 1e3;
    }

    double cpuPercent() {
        return measuredSeconds() == 0 ? 0 : 100 * cpuSecondsMeasuring() / measuredSeconds();
    }

    /** CPU time of this process since its start. */
    static double cpuSeconds() {
        return cpu().toMillis() / 1e3;
    }

    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public void close() {
        if (histogramLog != null) {
            histogramLog.close();
        }
    }

    /**
     * Writes the latencies of each second in the format of HdrHistogram's tools, in microseconds: message latencies without a
     * tag, times to connect with the tag {@link #CONNECT}. Owner: the conductor.
     */
    static final class HistogramLogFile implements AutoCloseable {
        static final String CONNECT = "connect";

        /** Divisor of the maximum column, which is in milliseconds. */
        private static final double MICROS_PER_MILLI = 1000.0;

        private final HistogramLogWriter writer;
        private final long startMillis;

        HistogramLogFile(Path file, String program, long startMillis) throws FileNotFoundException {
            this.startMillis = startMillis;
            writer = new HistogramLogWriter(file.toFile());
            writer.outputComment("[" + program + ": latencies in microseconds]");
            writer.outputLogFormatVersion();
            writer.outputStartTime(startMillis);
            writer.setBaseTime(startMillis);
            writer.outputLegend();
        }

        /** Adds an interval; a part without values gets no line. */
        void add(Latencies messages, Latencies connects, long fromMillis, long toMillis) {
            line(messages, null, fromMillis, toMillis);
            line(connects, CONNECT, fromMillis, toMillis);
        }

        private void line(Latencies interval, @Nullable String tag, long fromMillis, long toMillis) {
            if (interval.count() == 0) {
                return;
            }
            Histogram histogram = interval.histogram();
            histogram.setTag(tag);
            histogram.setStartTimeStamp(fromMillis);
            histogram.setEndTimeStamp(toMillis);
            writer.outputIntervalHistogram(
                    (fromMillis - startMillis) / 1e3, (toMillis - startMillis) / 1e3, histogram, MICROS_PER_MILLI);
        }

        @Override
        public void close() {
            writer.close();
        }
    }
}
