package io.belfry.benchkit.run;

import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.ReportLines;
import io.belfry.benchkit.measure.ReportLog;
import io.belfry.benchkit.run.Recorder.Interval;
import io.belfry.benchkit.run.Role.Report;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Leads a fleet through a run: connect, warm up, measure, ramp down, settle, tell. Whatever ends it, the figures so far
 * are told. Owner: the main thread.
 */
final class Conductor {
    private static final Duration GLANCE = Duration.ofMillis(50);
    private static final Duration PROGRESS = Duration.ofSeconds(1);
    private static final Duration FOREVER = Duration.ofDays(36_500);
    private static final Duration CLOCK_MAX = Duration.ofSeconds(2);

    private final String program;
    private final RunOptions options;
    private final Role role;
    private final Fleet fleet;
    private final ReportLog log;
    private final StopSignal stop;
    private final ReportLines lines = new ReportLines();
    private final Recorder recorder;
    private final List<String> problems = new ArrayList<>();

    Conductor(String program, RunOptions options, Role role, ReportLog log, StopSignal stop) {
        this.program = program;
        this.options = options;
        this.role = role;
        this.fleet = role.fleet();
        this.log = log;
        this.stop = stop;
        this.recorder = new Recorder(role);
    }

    /** Runs to the end and answers with the exit code. */
    int conduct(ReportFile reportFile) {
        boolean well = false;
        try {
            recorder.openLog(options.histogramLog(), program);
            well = connect() && warmUp() && measure() && rampDown() && settle();
        } catch (BenchFailure | IOException e) {
            problem(String.valueOf(e.getMessage()));
        }
        return tell(well, reportFile);
    }

    private boolean connect() {
        fleet.measure(options.warmUp().isZero());
        fleet.compareClock(options.machine());
        fleet.begin();
        Duration sinceReport = Duration.ZERO;
        int before = 0;
        while (!fleet.ready().isDone()) {
            if (!pass(PROGRESS, () -> fleet.ready().isDone())) {
                return false;
            }
            int ready = fleet.state().ready();
            if (!fleet.ready().isDone()) {
                log.info("Connecting: " + lines.number(ready) + " of " + lines.number(fleet.clients()) + ", "
                        + lines.number(ready - before) + " in the last second");
            }
            before = ready;
            sinceReport = sinceReport.plus(PROGRESS);
            if (role.reportsFromTheStart() && sinceReport.compareTo(options.reportInterval()) >= 0) {
                report();
                sinceReport = Duration.ZERO;
            }
        }
        double seconds = recorder.sinceEntered().toNanos() / 1e9;
        recorder.take();
        log.info("Connected: " + lines.number(fleet.clients()) + " clients in " + lines.rate(seconds) + " s");
        log.info(lines.brief("Time to connect and be ready", recorder.total().connects()));
        if (!pass(CLOCK_MAX, () -> fleet.clockCompared().isDone())) {
            return false;
        }
        role.begin();
        return true;
    }

    private boolean warmUp() {
        if (!options.warmUp().isZero()) {
            recorder.enter(Phase.WARM_UP);
            log.info("Warming up for " + options.warmUp().toSeconds() + " s");
            if (!pass(options.warmUp(), () -> false)) {
                return false;
            }
        }
        recorder.enter(Phase.MEASURING);
        fleet.measure(true);
        role.measuring();
        return true;
    }

    private boolean measure() {
        return go(options.duration().isZero() ? FOREVER : options.duration());
    }

    private boolean rampDown() {
        if (options.rampDown().isZero() || stop.isWished()) {
            return true;
        }
        recorder.enter(Phase.RAMP_DOWN);
        role.rampDown(options.rampDown());
        return go(options.rampDown());
    }

    /** Lets a phase pass with its reports; false if something else than its end, or a wish, ended it. */
    private boolean go(Duration time) {
        while (true) {
            Duration left = time.minus(recorder.sinceEntered());
            boolean last = left.compareTo(options.reportInterval()) <= 0;
            if (!pass(last ? left : options.reportInterval(), () -> false)) {
                return stop.isWished() && !fleet.failure().isDone();
            }
            if (last) {
                return true;
            }
            report();
        }
    }

    /** Lets time pass, or less if something holds before; false if the run is to end, because it must or somebody wishes so. */
    private boolean pass(Duration time, BooleanSupplier holds) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            if (fleet.failure().isDone()) {
                problem(fleet.failure().join());
                return false;
            }
            if (holds.getAsBoolean()) {
                return true;
            }
            recorder.takeIfDue();
            long left = Math.min(end - System.nanoTime(), recorder.untilDue().toNanos());
            if (stop.await(Duration.ofNanos(Math.min(left, GLANCE.toNanos())))) {
                return false;
            }
        }
        return true;
    }

    private boolean settle() {
        recorder.enter(Phase.SETTLING);
        role.settle(this::waitUntil, lines).ifPresent(this::problem);
        if (fleet.failure().isDone()) {
            problem(fleet.failure().join());
        }
        return problems.isEmpty();
    }

    /** Also after a wish to stop: what is on its way is worth the wait. */
    private boolean waitUntil(BooleanSupplier holds, Duration most) {
        long end = System.nanoTime() + most.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > end || fleet.failure().isDone()) {
                return false;
            }
            recorder.takeIfDue();
            try {
                Thread.sleep(GLANCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BenchFailure("interrupted");
            }
        }
        return true;
    }

    private void report() {
        Interval interval = recorder.interval();
        log.info(role.lines(
                lines,
                new Report(
                        recorder.phase(),
                        recorder.sinceEntered(),
                        recorder.total(),
                        interval.figures(),
                        interval.seconds())));
        tellSurprises();
    }

    private void tellSurprises() {
        for (String surprise : fleet.surprises().take()) {
            problem(surprise);
        }
        Figures total = recorder.total();
        lines.surprises(total.counts(), total.latencies()).forEach(log::info);
    }

    private void problem(String sentence) {
        problems.add(sentence);
        log.error(sentence);
    }

    private int tell(boolean well, ReportFile reportFile) {
        recorder.enter(recorder.phase());
        Figures total = recorder.total();
        role.complete(total.counts());
        Summary summary = new Summary(program, role, recorder, problems);
        log.info(summary.headline(lines));
        log.info(summary.lines(lines));
        tellSurprises();
        log.info(summary.generatorLines(lines));
        fleet.close();
        recorder.close();
        int code = well && !role.failed(total.counts()) ? ExitCode.WELL : ExitCode.FAILED;
        return reportFile.write(summary, code, log) ? code : ExitCode.FAILED;
    }
}
