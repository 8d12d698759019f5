package io.belfry.benchkit.run;

import io.belfry.benchkit.config.BenchKey;
import io.belfry.benchkit.config.BenchOptions;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import io.belfry.benchkit.measure.ReportLog;
import io.belfry.benchkit.measure.Texts;
import io.belfry.benchkit.run.Recorder.Phase;
import io.belfry.settings.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Conducts a fleet through the phases of a run: connect, warm up, measure, ramp down, settle, report. The figures are
 * reported however the run ends. Owner: the main thread.
 */
final class Conductor {
    private static final Duration REPORT_INTERVAL = Duration.ofSeconds(5);
    private static final Duration PROGRESS = Duration.ofSeconds(1);
    private static final Duration UNLIMITED = Duration.ofDays(36_500);
    private static final Duration CLOCK_MAX = Duration.ofSeconds(2);

    private final String program;
    private final BenchOptions options;
    private final int machine;
    private final Role role;
    private final Fleet<?> fleet;
    private final ReportLog log;
    private final StopSignal stop;
    private final Recorder recorder;
    private final List<String> problems = new ArrayList<>();

    Conductor(String program, BenchOptions options, int machine, Role role, ReportLog log, StopSignal stop) {
        this.program = program;
        this.options = options;
        this.machine = machine;
        this.role = role;
        this.fleet = role.fleet();
        this.log = log;
        this.stop = stop;
        this.recorder = new Recorder(role);
    }

    /** Runs all phases and returns the exit code. */
    int conduct() {
        boolean well = false;
        try {
            recorder.openLog(options.settings().path(BenchKey.HISTOGRAM_LOG), program);
            well = connect() && warmUp() && measure() && rampDown() && settle();
        } catch (BenchFailure | IOException e) {
            problem(String.valueOf(e.getMessage()));
        }
        return finish(well);
    }

    private boolean connect() {
        fleet.measure(options.warmUp().isZero());
        fleet.compareClock(machine);
        fleet.begin();
        int before = 0;
        for (int second = 1; !fleet.ready().isDone(); second++) {
            if (!pass(PROGRESS, () -> fleet.ready().isDone())) {
                return false;
            }
            int ready = fleet.state().ready();
            if (!fleet.ready().isDone()) {
                log.info(Texts.format(
                        "Connecting: %,d of %,d, %,d in the last second", ready, fleet.clients(), ready - before));
            }
            before = ready;
            if (role.churns() && second % REPORT_INTERVAL.toSeconds() == 0) {
                report();
            }
        }
        double seconds = recorder.sinceEntered().toNanos() / 1e9;
        recorder.take();
        log.info(Texts.format("Connected: %,d clients in %,.2f s", fleet.clients(), seconds));
        log.info(ReportLines.brief("Time to connect and be ready", recorder.total.connects()));
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
        return passWithReports(options.duration().isZero() ? UNLIMITED : options.duration());
    }

    private boolean rampDown() {
        if (options.rampDown().isZero() || stop.isRequested()) {
            return true;
        }
        recorder.enter(Phase.RAMP_DOWN);
        role.rampDown(options.rampDown());
        return passWithReports(options.rampDown());
    }

    /** Waits for the end of a phase, with its reports; returns false if a failure ended it. */
    private boolean passWithReports(Duration time) {
        while (true) {
            Duration left = time.minus(recorder.sinceEntered());
            boolean last = left.compareTo(REPORT_INTERVAL) <= 0;
            if (!pass(last ? left : REPORT_INTERVAL, () -> false)) {
                return stop.isRequested() && !fleet.failure().isDone();
            }
            if (last) {
                return true;
            }
            report();
        }
    }

    /** Waits for the time or the condition; returns false if the run must end by a failure or a stop request. */
    private boolean pass(Duration time, BooleanSupplier condition) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            if (fleet.failure().isDone()) {
                problem(fleet.failure().join());
                return false;
            }
            if (condition.getAsBoolean()) {
                return true;
            }
            recorder.takeIfDue();
            long left = Math.min(end - System.nanoTime(), recorder.untilDue().toNanos());
            if (stop.await(Duration.ofNanos(Math.min(left, StopSignal.POLL.toNanos())))) {
                return false;
            }
        }
        return true;
    }

    private boolean settle() {
        recorder.enter(Phase.SETTLING);
        role.settle(this::waitUntil).ifPresent(this::problem);
        if (fleet.failure().isDone()) {
            problem(fleet.failure().join());
        }
        return problems.isEmpty();
    }

    /** Also waits after a stop request, so that messages on their way are counted. */
    private boolean waitUntil(BooleanSupplier condition, Duration most) {
        BooleanSupplier done = () -> {
            recorder.takeIfDue();
            return condition.getAsBoolean() || fleet.failure().isDone();
        };
        return StopSignal.waitFor(done, most) && !fleet.failure().isDone();
    }

    private void report() {
        log.info(role.lines(recorder.interval()));
        reportIncidents();
    }

    private void reportIncidents() {
        fleet.incidents().take().forEach(this::problem);
        Figures total = recorder.total;
        ReportLines.incidents(total.counts(), total.latencies()).forEach(log::info);
    }

    private void problem(String sentence) {
        problems.add(sentence);
        log.error(sentence);
    }

    private int finish(boolean well) {
        recorder.enter(recorder.phase());
        Figures total = recorder.total;
        role.complete(total.counts());
        Fleet.FleetState state = fleet.state();
        log.info(Texts.format(
                "Summary of %,.2f s, %,d of %,d clients connected",
                recorder.measuredSeconds(), state.standing(), fleet.clients()));
        log.info(role.lines(recorder.summary()));
        logConnects("Connect latency, ramp up", Phase.CONNECTING);
        logConnects("Connect latency, ramp down", Phase.RAMP_DOWN);
        log.info(role.lastLines());
        reportIncidents();
        log.info(Texts.format(
                "CPU used by this load generator: %,.2f s, while measuring %,.2f s or %,d %% of one core",
                Recorder.cpuSeconds(), recorder.cpuSecondsMeasuring(), Math.round(recorder.cpuPercent())));
        log.info(ReportLines.brief("Lag of its event loops", recorder.loopLags()));
        fleet.close();
        recorder.close();
        int code = well && !role.failed(total.counts()) ? ExitCode.WELL : ExitCode.FAILED;
        Optional<Path> file = options.settings().path(BenchKey.REPORT_FILE);
        try {
            if (file.isPresent()) {
                ReportJson json = new ReportJson(program, role, recorder, state, options.settings());
                json.write(file.get(), code, problems);
            }
            return code;
        } catch (IOException e) {
            log.error("cannot write the report to " + file.get() + ": " + e.getMessage());
            return ExitCode.FAILED;
        }
    }

    private void logConnects(String label, Phase phase) {
        Latencies connects = recorder.of(phase).connects();
        if (role.churns() && connects.count() > 0) {
            log.info(ReportLines.brief(label, connects));
        }
    }
}
