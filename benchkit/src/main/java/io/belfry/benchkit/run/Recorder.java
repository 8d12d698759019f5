package io.belfry.benchkit.run;

import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.measure.Figures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what a fleet measured, by phase and in total, and writes each second of it to the histogram log. The seconds are
 * those of the wall clock, so that what several instances wrote lies beside each other. Owner: the main thread.
 */
final class Recorder implements AutoCloseable {
    private static final long SECOND_MILLIS = 1000;

    private final Fleet fleet;
    private final Role role;
    private final Map<Phase, Figures> phases = new EnumMap<>(Phase.class);
    private final Map<Phase, Long> phaseNanos = new EnumMap<>(Phase.class);
    private final Figures total = new Figures();
    private final long startMillis = System.currentTimeMillis();
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
        this.fleet = role.fleet();
    }

    /** What was measured since the last report. */
    record Interval(Figures figures, double seconds) {}

    void openLog(Optional<Path> file, String program) throws IOException {
        if (file.isPresent()) {
            histogramLog = new HistogramLogFile(file.get(), program, startMillis);
        }
    }

    /** What comes now belongs to this phase. */
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

    /** For the lines of a report. */
    Interval interval() {
        take();
        Interval interval = new Interval(sinceReport, Math.max(lastTakenNanos - reportedNanos, 1) / 1e9);
        sinceReport = new Figures();
        reportedNanos = lastTakenNanos;
        return interval;
    }

    /** How long until the second is over and {@link #takeIfDue} has something to do. */
    Duration untilDue() {
        long due = Math.floorDiv(millisAt(lastTakenNanos), SECOND_MILLIS) * SECOND_MILLIS + SECOND_MILLIS;
        return Duration.ofMillis(Math.max(0, due - millisAt(System.nanoTime())));
    }

    void takeIfDue() {
        if (untilDue().isZero()) {
            take();
        }
    }

    void take() {
        long fromNanos = lastTakenNanos;
        Figures second = new Figures();
        fleet.takeFigures(second);
        lastTakenNanos = System.nanoTime();
        total.add(second);
        sinceReport.add(second);
        phases.computeIfAbsent(phase, p -> new Figures()).add(second);
        if (histogramLog != null) {
            histogramLog.add(role.subject(second), second.connects(), millisAt(fromNanos), millisAt(lastTakenNanos));
        }
    }

    private long millisAt(long nanos) {
        return startMillis + (nanos - startNanos) / 1_000_000;
    }

    long startMillis() {
        return startMillis;
    }

    Figures total() {
        return total;
    }

    /** What was measured in one phase. */
    Figures of(Phase which) {
        return phases.getOrDefault(which, new Figures());
    }

    /** How long a phase that is over lasted. */
    double seconds(Phase which) {
        return phaseNanos.getOrDefault(which, 0L) / 1e9;
    }

    /** CPU of this process while it measured. */
    double cpuSecondsMeasuring() {
        return cpuMeasuring.toMillis() / 1e3;
    }

    /** CPU of this process from its start. */
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
}
