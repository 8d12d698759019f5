package io.belfry.bench.run;

import io.belfry.bench.report.Run;
import io.belfry.bench.sample.Look;
import io.belfry.bench.sample.Sampler;
import io.belfry.bench.scenario.GeneratorPlan;
import io.belfry.bench.scenario.Planner;
import io.belfry.bench.scenario.Scenario;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.run.StopSignal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One measurement from the first process to the last: server, subscribers, publisher, and the end in the opposite
 * order. Whatever ends it, there are figures afterwards. Owner: the main thread.
 */
final class RoundRun implements AutoCloseable {
    private static final Duration GLANCE = Duration.ofMillis(50);
    private static final Duration CONNECT_MAX = Duration.ofSeconds(90);
    private static final Duration REST = Duration.ofMillis(1500);
    private static final Duration QUIET = Duration.ofMillis(1500);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(10);
    private static final Duration END_MAX = Duration.ofSeconds(20);

    private final Setting setting;
    private final Scenario.Round round;
    private final Path files;
    private final Progress progress;
    private final List<Generator> generators = new ArrayList<>();
    private final Phases phases = new Phases();
    private @Nullable ServerUnderTest server;
    private @Nullable Sampler sampler;
    private Optional<Run.Memory.Moment> memoryBefore = Optional.empty();
    private Optional<Run.Memory.Moment> memoryWith = Optional.empty();
    private @Nullable String failure;

    /**
     * What all rounds share.
     *
     * @param home the folder above {@code bin}
     * @param elsewhere a server that runs already; empty: each round starts its own
     */
    record Setting(Planner planner, Path home, Optional<String> elsewhere, Optional<String> monitor, StopSignal stop) {}

    /** Told what goes on, for the terminal. */
    interface Progress {
        void tell(String line);
    }

    /** {@code files} is an existing folder for what the processes write. */
    RoundRun(Setting setting, Scenario.Round round, Path files, Progress progress) {
        this.setting = setting;
        this.round = round;
        this.files = files;
        this.progress = progress;
    }

    /** Runs to the end; why it did not get there, or null. */
    @Nullable
    String run() {
        try {
            startServer();
            connect();
            load();
            settle();
        } catch (BenchFailure e) {
            failure = e.getMessage();
        }
        phases.ended();
        endInOrder();
        return failure;
    }

    private void startServer() {
        ServerUnderTest started = setting.elsewhere().isPresent()
                ? ServerUnderTest.elsewhere(setting.elsewhere().get(), setting.monitor())
                : startOwn();
        server = started;
        progress.tell("server on " + started.address());
        memoryBefore = started.memory();
        sampler = Sampler.start(started.pid(), started.monitor());
    }

    private ServerUnderTest startOwn() {
        List<String> command = new ArrayList<>(List.of(
                setting.home().resolve("bin/belfry").toString(),
                "run",
                // A name of its own: a server that runs already is none of our business.
                "--name",
                "bench-" + ProcessHandle.current().pid()));
        Arguments arguments = Arguments.of("BELFRY_", setting.planner().serverSettings(files.toString()));
        command.addAll(arguments.words());
        return ServerUnderTest.start(command, arguments.environment(), files.resolve("server.out"));
    }

    private void connect() {
        List<Generator> subscribers = new ArrayList<>();
        for (GeneratorPlan plan : setting.planner().subscribers(round)) {
            subscribers.add(start(plan));
        }
        if (comeAndGo()) {
            return;
        }
        waitFor(
                CONNECT_MAX,
                () -> subscribers.stream().allMatch(each -> each.readyAtMillis().isPresent()),
                "not all clients were connected within " + CONNECT_MAX.toSeconds() + " s");
        progress.tell("connected, " + subscribers.size() + (subscribers.size() == 1 ? " process" : " processes"));
        rest(REST);
        memoryWith = theServer().memory();
    }

    private boolean comeAndGo() {
        return setting.planner().scenario() == Scenario.CHURN;
    }

    private Generator start(GeneratorPlan plan) {
        Sampler watching = theSampler();
        Generator generator = Generator.start(
                plan, setting.home(), theServer().address(), files.resolve(plan.name()), watching::watch);
        generators.add(generator);
        return generator;
    }

    private void load() {
        double warmUp = setting.planner().workload().warmUpSeconds();
        double duration = setting.planner().workload().durationSeconds();
        Optional<GeneratorPlan> plan = setting.planner().publisher();
        if (comeAndGo()) {
            comingAndGoing(generators, setting.planner().workload().rampSeconds(), duration);
        } else if (plan.isPresent()) {
            Generator publisher = start(plan.get());
            waitFor(
                    CONNECT_MAX,
                    () -> publisher.readyAtMillis().isPresent(),
                    "the publisher was not connected within " + CONNECT_MAX.toSeconds() + " s");
            publishing(publisher, warmUp, duration);
        } else {
            long now = System.currentTimeMillis();
            phases.measuring(now, now + millis(duration));
            rest(Duration.ofMillis(millis(duration)));
        }
    }

    /** The publisher warms up, measures and ends by itself. */
    private void publishing(Generator publisher, double warmUpSeconds, double seconds) {
        long from =
                Phases.secondOf(publisher.readyAtMillis().orElseGet(System::currentTimeMillis) + millis(warmUpSeconds));
        phases.measuring(from, from + millis(seconds));
        tellMeasuring(seconds, warmUpSeconds, "warm-up");
        waitForEnds(List.of(publisher), warmUpSeconds + seconds);
    }

    /** Once all have come, the measurement begins; afterwards ever fewer come back. */
    private void comingAndGoing(List<Generator> subscribers, double rampSeconds, double seconds) {
        tellMeasuring(seconds, rampSeconds, "ramp");
        waitFor(
                CONNECT_MAX.plusMillis(millis(rampSeconds)),
                () -> subscribers.stream().allMatch(each -> each.readyAtMillis().isPresent()),
                "the ramp did not end");
        long from = System.currentTimeMillis();
        phases.measuring(from, from + millis(seconds));
        waitForEnds(subscribers, rampSeconds + seconds);
    }

    private void tellMeasuring(double seconds, double leadSeconds, String lead) {
        progress.tell(String.format(Locale.ROOT, "measuring %.0f s, after %.0f s of %s", seconds, leadSeconds, lead));
    }

    private void waitForEnds(List<Generator> pace, double seconds) {
        waitFor(
                CONNECT_MAX.plusMillis(millis(seconds)),
                () -> pace.stream().allMatch(Generator::hasEnded),
                pace.getFirst().name() + " did not end by itself");
    }

    private static long millis(double seconds) {
        return Math.round(seconds * 1e3);
    }

    /** What is under way arrives: the server's count stands still for a while. */
    private void settle() {
        long end = System.nanoTime() + SETTLE_MAX.toNanos();
        OptionalLong sent = sent();
        long since = System.nanoTime();
        while (System.nanoTime() < end && System.nanoTime() - since < QUIET.toNanos()) {
            rest(GLANCE);
            if (!sent().equals(sent)) {
                sent = sent();
                since = System.nanoTime();
            }
        }
    }

    private OptionalLong sent() {
        List<Look> looks = theSampler().looks();
        return looks.isEmpty() ? OptionalLong.empty() : looks.getLast().counter("messagesOut");
    }

    private void rest(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        waitFor(time.plus(END_MAX), () -> System.nanoTime() >= end, "the clock stands still");
    }

    /** Waits, and ends the round if anything it needs has ended or somebody wishes so. */
    private void waitFor(Duration most, BooleanSupplier condition, String orElse) {
        long end = System.nanoTime() + most.toNanos();
        while (!condition.getAsBoolean()) {
            requireAlive();
            if (System.nanoTime() > end) {
                throw new BenchFailure(orElse);
            }
            if (setting.stop().await(GLANCE)) {
                throw new BenchFailure("stopped by hand");
            }
        }
    }

    private void requireAlive() {
        String serverFailure = theServer().failure();
        if (serverFailure != null) {
            throw new BenchFailure(serverFailure);
        }
        for (Generator generator : generators) {
            boolean mayEnd = generator.plan().settings().containsKey("Duration");
            if (generator.hasEnded() && (!mayEnd || generator.readyAtMillis().isEmpty())) {
                throw new BenchFailure(generator.name() + " ended: " + generator.lastWord());
            }
        }
    }

    /** Publishers first, so that no message is sent to readers that are gone; then all write their files. */
    private void endInOrder() {
        for (Generator generator : generators.reversed()) {
            if (generator.plan().program().equals("benchpub")) {
                generator.awaitEnd();
            }
        }
        generators.forEach(Generator::askToEnd);
        generators.forEach(Generator::awaitEnd);
    }

    /** The figures of it; call it after {@link #run}. */
    Run figures() {
        List<Look> looks = sampler == null ? List.of() : sampler.looks();
        return new RoundFigures(setting.planner(), round, phases, generators, looks)
                .run(server, memoryBefore, memoryWith);
    }

    private ServerUnderTest theServer() {
        if (server == null) {
            throw new BenchFailure("there is no server");
        }
        return server;
    }

    private Sampler theSampler() {
        if (sampler == null) {
            throw new BenchFailure("there is no server");
        }
        return sampler;
    }

    @Override
    public void close() {
        if (sampler != null) {
            sampler.close();
        }
        generators.reversed().forEach(Generator::close);
        if (server != null) {
            server.close();
        }
    }
}
