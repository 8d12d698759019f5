package io.belfry.benchkit.run;

import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what a fleet measured, by phase and in total, and writes each interval to the histogram log. Owner: the main
 * thread.
 */
final class Recorder implements AutoCloseable {
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
    private Duration cpuBefore = Duration.ZERO;
    private Duration cpuMeasuring = Duration.ZERO;

    Recorder(Role role) {
        this.role = role;
        this.fleet = role.fleet();
    }

    /** What was measured since the last look. */
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

    Interval take() {
        long fromNanos = lastTakenNanos;
        Figures interval = new Figures();
        fleet.takeFigures(interval);
        lastTakenNanos = System.nanoTime();
        total.add(interval);
        phases.computeIfAbsent(phase, p -> new Figures()).add(interval);
        Latencies subject = role.subject(interval);
        if (histogramLog != null && subject.count() > 0) {
            histogramLog.add(subject, millisAt(fromNanos), millisAt(lastTakenNanos));
        }
        return new Interval(interval, Math.max(lastTakenNanos - fromNanos, 1) / 1e9);
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
