package io.belfry.benchkit.run;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.load.FleetState;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.ReportLines;
import io.belfry.benchkit.measure.ReportLog;
import io.belfry.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leads a fleet through a run: connect, warm up, measure, settle, tell. Whatever ends it, the figures so far are told.
 * Owner: the main thread.
 */
final class Conductor {
    private static final Duration GLANCE = Duration.ofMillis(50);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(10);

    private final String program;
    private final RunOptions options;
    private final Role role;
    private final Fleet fleet;
    private final ReportLog log;
    private final StopSignal stop;
    private final ReportLines lines = new ReportLines();
    private final Figures total = new Figures();
    private final List<String> problems = new ArrayList<>();
    private final long startMillis = System.currentTimeMillis();
    private final long startNanos = System.nanoTime();
    private @Nullable HistogramLogFile histogramLog;
    private long measuredSinceNanos;
    private long lastReportNanos;

    Conductor(String program, RunOptions options, Role role, ReportLog log, StopSignal stop) {
        this.program = program;
        this.options = options;
        this.role = role;
        this.fleet = role.fleet();
        this.log = log;
        this.stop = stop;
    }

    /** Runs to the end and answers with the exit code. */
    int conduct(Settings settings) {
        measuredSinceNanos = System.nanoTime();
        lastReportNanos = measuredSinceNanos;
        boolean well = false;
        try {
            openHistogramLog();
            well = connect() && warmUp() && measure() && settle();
        } catch (BenchFailure | IOException e) {
            problem(String.valueOf(e.getMessage()));
        }
        return tell(well, settings);
    }

    private void openHistogramLog() throws IOException {
        if (options.histogramLog().isPresent()) {
            histogramLog = new HistogramLogFile(options.histogramLog().get(), program, startMillis);
        }
    }

    private boolean connect() {
        fleet.measure(options.warmUp().isZero());
        fleet.begin();
        long begun = System.nanoTime();
        while (!fleet.ready().isDone()) {
            if (!pass(options.reportInterval(), true)) {
                return false;
            }
            if (!fleet.ready().isDone()) {
                log.info("Connected: " + lines.number(fleet.state().ready()) + " of " + lines.number(fleet.clients()));
            }
        }
        takeFigures();
        log.info("Connected: " + lines.number(fleet.clients()) + " clients in "
                + lines.rate((System.nanoTime() - begun) / 1e9) + " s");
        log.info(lines.brief("Time to connect and be ready", total.connects()));
        role.begin();
        return true;
    }

    private boolean warmUp() {
        if (!options.warmUp().isZero()) {
            log.info("Warming up for " + options.warmUp().toSeconds() + " s");
            if (!pass(options.warmUp(), false)) {
                return false;
            }
            takeFigures();
            fleet.measure(true);
        }
        measuredSinceNanos = System.nanoTime();
        lastReportNanos = measuredSinceNanos;
        return true;
    }

    private boolean measure() {
        while (true) {
            Duration left = options.duration().minus(sinceMeasuring());
            boolean endless = options.duration().isZero();
            boolean last = !endless && left.compareTo(options.reportInterval()) <= 0;
            if (!pass(last ? left : options.reportInterval(), false)) {
                return stop.isWished() && !fleet.failure().isDone();
            }
            if (last) {
                return true;
            }
            report();
        }
    }

    private Duration sinceMeasuring() {
        return Duration.ofNanos(System.nanoTime() - measuredSinceNanos);
    }

    /** Lets time pass; false if the run is to end, because it cannot go on or because somebody wishes so. */
    private boolean pass(Duration time, boolean untilReady) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            if (fleet.failure().isDone()) {
                problem(fleet.failure().join());
                return false;
            }
            if (untilReady && fleet.ready().isDone()) {
                return true;
            }
            long left = end - System.nanoTime();
            if (stop.await(Duration.ofNanos(Math.min(left, GLANCE.toNanos())))) {
                return false;
            }
        }
        return true;
    }

    /** The answers that are still out get their time, also after Ctrl-C. */
    private boolean settle() {
        role.settle();
        long end = System.nanoTime() + SETTLE_MAX.toNanos();
        FleetState state = fleet.state();
        while (state.awaited() > 0
                && System.nanoTime() < end
                && !fleet.failure().isDone()) {
            nap();
            state = fleet.state();
        }
        if (state.awaited() > 0) {
            problem(lines.number(state.awaited()) + " answers of the server are missing after " + SETTLE_MAX.toSeconds()
                    + " s");
        }
        return state.awaited() == 0;
    }

    private static void nap() {
        try {
            Thread.sleep(GLANCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailure("interrupted");
        }
    }

    private void report() {
        long since = lastReportNanos;
        Figures interval = takeFigures();
        double perSecond = role.subject(interval).count() / ((lastReportNanos - since) / 1e9);
        log.info(role.lines(lines, sinceMeasuring(), total, perSecond));
        tellSurprises();
    }

    private Figures takeFigures() {
        long fromMillis = startMillis + elapsedMillis(lastReportNanos);
        Figures interval = new Figures();
        fleet.takeFigures(interval);
        lastReportNanos = System.nanoTime();
        total.add(interval);
        if (histogramLog != null && role.subject(interval).count() > 0) {
            histogramLog.add(role.subject(interval), fromMillis, startMillis + elapsedMillis(lastReportNanos));
        }
        return interval;
    }

    private long elapsedMillis(long nanos) {
        return (nanos - startNanos) / 1_000_000;
    }

    private void tellSurprises() {
        for (String surprise : fleet.surprises().take()) {
            problem(surprise);
        }
        lines.surprises(total.counts(), total.latencies()).forEach(log::info);
    }

    private void problem(String sentence) {
        problems.add(sentence);
        log.error(sentence);
    }

    private int tell(boolean well, Settings settings) {
        FleetState state = fleet.state();
        double seconds = Math.max(sinceMeasuring().toNanos(), 1) / 1e9;
        takeFigures();
        log.info("Summary of " + lines.rate(seconds) + " s, " + lines.number(state.standing()) + " of "
                + lines.number(fleet.clients()) + " clients connected");
        log.info(role.lines(lines, sinceMeasuring(), total, role.subject(total).count() / seconds));
        tellSurprises();
        double cpuSeconds = cpuSeconds();
        log.info("CPU used by this load generator: " + lines.rate(cpuSeconds) + " s");
        fleet.close();
        if (histogramLog != null) {
            histogramLog.close();
        }
        int code = well && !role.failed(total.counts()) ? ExitCode.WELL : ExitCode.FAILED;
        var run = new ReportJson.Run(
                program, startMillis, seconds, cpuSeconds, fleet.clients(), state.ready(), code, problems);
        return options.reportFile().isEmpty() || write(options.reportFile().get(), run, settings)
                ? code
                : ExitCode.FAILED;
    }

    private boolean write(Path file, ReportJson.Run run, Settings settings) {
        try {
            ReportJson.write(file, run, total, settings);
            return true;
        } catch (IOException e) {
            log.error("the report cannot be written to " + file + ": " + e.getMessage());
            return false;
        }
    }

    private static double cpuSeconds() {
        return ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toMillis()
                / 1e3;
    }
}
