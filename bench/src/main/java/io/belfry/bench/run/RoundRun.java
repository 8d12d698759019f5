package io.belfry.bench.run;

import io.belfry.bench.report.Run;
import io.belfry.bench.sample.MeasuredTime;
import io.belfry.bench.sample.Timeline;
import io.belfry.bench.sample.Timeline.ProcessSnapshot;
import io.belfry.bench.scenario.BenchPlan.GeneratorPlan;
import io.belfry.bench.scenario.BenchScenario;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.measure.Texts;
import io.belfry.benchkit.process.Child;
import io.belfry.benchkit.process.ServerChild;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one measurement: starts the server, the subscribers and the publisher, and ends them in the opposite scenario. There are
 * figures however the measurement ends. Owner: the main thread.
 */
final class RoundRun implements AutoCloseable {
    private static final long SECOND_MILLIS = 1000;
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration CONNECT_MAX = Duration.ofSeconds(90);
    private static final Duration REST = Duration.ofMillis(1500);
    private static final Duration QUIET = Duration.ofMillis(1500);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(10);
    private static final Duration END_MAX = Duration.ofSeconds(20);

    private final ScenarioRun scenario;
    private final BenchScenario.Round round;
    private final Path files;
    private final List<GeneratorProcess> generators = new ArrayList<>();
    private MeasuredTime time = new MeasuredTime(0, 0);
    private @Nullable ServerUnderTest server;
    private Run.Memory.@Nullable Moment memoryBefore;
    private Run.Memory.@Nullable Moment memoryWith;

    /** {@code files} is an existing folder for the files of the processes. */
    RoundRun(ScenarioRun scenario, BenchScenario.Round round, Path files) {
        this.scenario = scenario;
        this.round = round;
        this.files = files;
    }

    /** Runs to the end; returns the reason if the measurement failed, otherwise null. */
    @Nullable
    String run() {
        @Nullable String failure = null;
        try {
            startServer();
            connect();
            load();
            settle();
        } catch (BenchFailure e) {
            failure = e.getMessage();
        }
        time = time.endedAt(System.currentTimeMillis());
        endInOrder();
        return failure;
    }

    private void startServer() {
        server = scenario.server().isPresent()
                ? ServerUnderTest.elsewhere(scenario.server().get(), scenario.monitor())
                : startOwn();
        scenario.progress("server on " + server.address());
        memoryBefore = server.memory();
        server.recorder().start();
    }

    private ServerUnderTest startOwn() {
        Arguments arguments =
                Arguments.of("BELFRY_", Arguments.split(scenario.plan().serverSettings(files.toString())));
        List<String> command = new ArrayList<>(scenario.plan().serverPrefix());
        command.addAll(ServerChild.command(scenario.home(), "bench", arguments.words()));
        return ServerUnderTest.start(command, arguments.environment(), files.resolve("server.out"));
    }

    private void connect() {
        for (GeneratorPlan plan : scenario.plan().subscribers(round)) {
            start(plan);
        }
        if (scenario.plan().churns()) {
            return;
        }
        waitFor(
                CONNECT_MAX,
                () -> generators.stream().allMatch(GeneratorProcess::isReady),
                "not all clients were connected within " + CONNECT_MAX.toSeconds() + " s");
        scenario.progress("connected, " + generators.size() + (generators.size() == 1 ? " process" : " processes"));
        rest(REST);
        memoryWith = requireServer().memory();
    }

    private GeneratorProcess start(GeneratorPlan plan) {
        GeneratorProcess generator =
                GeneratorProcess.start(plan, scenario, requireServer().address(), files.resolve(plan.name()));
        requireServer().recorder().watch(generator.child().pid());
        generators.add(generator);
        return generator;
    }

    private void load() {
        double duration = scenario.plan().workload().durationSeconds;
        Optional<GeneratorPlan> publisher = scenario.plan().publisher();
        if (scenario.plan().churns()) {
            churn(duration);
        } else if (publisher.isPresent()) {
            publish(start(publisher.get()), duration);
        } else {
            time = MeasuredTime.of(System.currentTimeMillis(), duration);
            rest(Duration.ofMillis(millis(duration)));
        }
    }

    /** The publisher warms up, measures and ends by itself. */
    private void publish(GeneratorProcess publisher, double seconds) {
        double warmUp = scenario.plan().workload().warmUpSeconds;
        waitFor(
                CONNECT_MAX,
                publisher::isReady,
                "the publisher was not connected within " + CONNECT_MAX.toSeconds() + " s");
        // The generators' histograms are for whole seconds.
        long from = Math.floorDiv(publisher.readyAtMillis().join() + millis(warmUp), SECOND_MILLIS);
        time = MeasuredTime.of(from * SECOND_MILLIS, seconds);
        reportMeasuring(seconds, warmUp, "warm-up");
        waitForEnds(List.of(publisher), warmUp + seconds);
    }

    /** The measurement begins when all clients have connected, and is followed by the ramp down. */
    private void churn(double seconds) {
        double ramp = scenario.plan().workload().rampSeconds;
        reportMeasuring(seconds, ramp, "ramp");
        waitFor(
                CONNECT_MAX.plusMillis(millis(ramp)),
                () -> generators.stream().allMatch(GeneratorProcess::isReady),
                "the ramp up did not complete");
        time = MeasuredTime.of(System.currentTimeMillis(), seconds);
        waitForEnds(generators, ramp + seconds);
    }

    private void reportMeasuring(double seconds, double leadSeconds, String lead) {
        scenario.progress(Texts.format("measuring %.0f s, after %.0f s of %s", seconds, leadSeconds, lead));
    }

    private void waitForEnds(List<GeneratorProcess> processes, double seconds) {
        waitFor(
                CONNECT_MAX.plusMillis(millis(seconds)),
                () -> processes.stream().allMatch(process -> process.child().hasEnded()),
                processes.getFirst().plan().name() + " did not end by itself");
    }

    private static long millis(double seconds) {
        return Math.round(seconds * 1e3);
    }

    /** Waits for messages on their way, until the server's count of messages is constant for a while. */
    private void settle() {
        long end = System.nanoTime() + SETTLE_MAX.toNanos();
        Long before;
        do {
            before = sent();
            rest(QUIET);
        } while (!Objects.equals(sent(), before) && System.nanoTime() < end);
    }

    private @Nullable Long sent() {
        List<ProcessSnapshot> snapshots = requireServer().recorder().snapshots();
        return snapshots.isEmpty() ? null : snapshots.getLast().counter("messagesOut");
    }

    private void rest(Duration rest) {
        long end = System.nanoTime() + rest.toNanos();
        waitFor(rest.plus(END_MAX), () -> System.nanoTime() >= end, "the clock does not advance");
    }

    /** Waits for a condition; throws if a process has ended, after the time, and on a stop request. */
    private void waitFor(Duration most, BooleanSupplier condition, String orElse) {
        long end = System.nanoTime() + most.toNanos();
        while (!condition.getAsBoolean()) {
            requireRunning();
            if (System.nanoTime() > end) {
                throw new BenchFailure(orElse);
            }
            if (scenario.stop().await(POLL)) {
                throw new BenchFailure("stopped by hand");
            }
        }
    }

    private void requireRunning() {
        String serverFailure = requireServer().failure();
        if (serverFailure != null) {
            throw new BenchFailure(serverFailure);
        }
        for (GeneratorProcess generator : generators) {
            boolean mayEnd = generator.plan().settings().containsKey("Duration");
            Child child = generator.child();
            if (child.hasEnded() && (!mayEnd || !generator.isReady())) {
                throw new BenchFailure(generator.plan().name() + " ended: " + child.lastLine());
            }
        }
    }

    /** Ends the publisher first, so that no message is sent to clients that have left; then all write their files. */
    private void endInOrder() {
        for (GeneratorProcess generator : generators.reversed()) {
            if (generator.plan().publishes()) {
                generator.child().awaitEnd();
            }
        }
        generators.forEach(generator -> generator.child().askToEnd());
        generators.forEach(generator -> generator.child().awaitEnd());
    }

    /** The figures of the measurement; call after {@link #run}. */
    Run figures() {
        List<ProcessSnapshot> snapshots =
                server == null ? List.of() : server.recorder().snapshots();
        return new RoundFigures(scenario.plan(), round, time, generators, new Timeline(snapshots))
                .run(server, memoryBefore, memoryWith);
    }

    private ServerUnderTest requireServer() {
        return Objects.requireNonNull(server, "no server was started");
    }

    @Override
    public void close() {
        generators.reversed().forEach(generator -> generator.child().close());
        if (server != null) {
            server.close();
        }
    }
}
