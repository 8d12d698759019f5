package io.belfry.attack.run;

import io.belfry.attack.attacks.Attack;
import io.belfry.attack.attacks.AttackContext;
import io.belfry.attack.attacks.AttackTarget;
import io.belfry.attack.attacks.ServerWarmUp;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.run.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs attacks one after the other and prints a line for each. If an attack leaves a server or regular clients that cannot
 * continue, the next attack gets new ones. Owner: the main thread.
 */
public final class AttackRunner {
    private static final Duration WARM_UP = Duration.ofMillis(1500);
    private static final Duration WARM_UP_TIMEOUT = Duration.ofSeconds(5);

    /** Time after which a response counts as missing: a server under attack on a busy machine is slow. */
    private static final Duration RESPONSE_TIMEOUT = Duration.ofMillis(2500);

    private static final Duration SETTLE_MAX = Duration.ofSeconds(5);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
    private static final int OPEN_FILES_TOLERANCE = 4;

    private final AttackOptions options;
    private final Limits limits;
    private final AttackAssessment assessment;
    private final StopSignal stop;
    private final PrintWriter out;
    private int servers;

    /**
     * The limits of each attack. Immutable.
     *
     * @param perAttack maximum duration, except for the time limits of the server that an attack waits for
     * @param p99MaxMillis limit of the regular clients' p99
     * @param folder existing folder for all files of the servers
     */
    public record Limits(Duration perAttack, double p99MaxMillis, Path folder) {}

    /** Creates a runner that prints to {@code out} and ends early when {@code stop} is set. */
    public AttackRunner(AttackOptions options, Limits limits, StopSignal stop, PrintWriter out) {
        this.options = options;
        this.limits = limits;
        this.assessment = new AttackAssessment(limits.p99MaxMillis());
        this.stop = stop;
        this.out = out;
    }

    /** A server with its regular clients. Owner: the main thread. */
    private record Stage(ServerUnderAttack server, RegularClients clients, AttackTarget target)
            implements AutoCloseable {
        boolean isUsable() {
            return server.isAlive() && clients.areConnected();
        }

        @Override
        public void close() {
            clients.close();
            server.close();
        }
    }

    /** Runs the attacks; returns fewer results than attacks if the user stops the run. */
    public List<AttackResult> run(List<Attack> attacks) throws IOException {
        List<AttackResult> results = new ArrayList<>();
        @Nullable Stage stage = null;
        try {
            for (Attack attack : attacks) {
                if (stop.isRequested()) {
                    break;
                }
                if (stage == null) {
                    stage = start();
                }
                AttackResult result = run(attack, stage);
                results.add(result);
                print(AttackReport.line(result));
                if (!stage.isUsable()) {
                    stage.close();
                    stage = null;
                }
            }
        } finally {
            if (stage != null) {
                stage.close();
            }
        }
        return results;
    }

    private Stage start() throws IOException {
        Path folder = Files.createDirectories(limits.folder().resolve("server-" + ++servers));
        ServerUnderAttack server = ServerUnderAttack.start(options, folder);
        try {
            boolean encrypted = server.settings().encrypted();
            AttackTarget target = AttackTarget.forAttackers(server.port(), encrypted);
            ServerWarmUp.run(new AttackContext(server.settings(), target, WARM_UP, WARM_UP_TIMEOUT, () -> ""));
            RegularClients clients = RegularClients.start(server.port(), server.settings());
            stop.await(WARM_UP);
            if (servers == 1) {
                print("attacked server on 127.0.0.1:" + server.port() + (encrypted ? ", encrypted" : "") + ", pid "
                        + server.pid() + "\n\n" + AttackReport.head());
            }
            return new Stage(server, clients, target);
        } catch (BenchFailure | IOException e) {
            server.close();
            throw e;
        }
    }

    private AttackResult run(Attack attack, Stage stage) {
        ServerUnderAttack server = stage.server();
        Optional<String> skipReason = attack.skipReason(server.settings());
        if (skipReason.isPresent()) {
            return AttackResult.skipped(attack.name(), skipReason.get());
        }
        try {
            AttackResult first = complete(attack, stage, List.of());
            return assessment.isLatencyOnly(first) && stage.isUsable()
                    ? complete(attack, stage, List.of("second round"))
                    : first;
        } catch (IOException | RuntimeException e) {
            String reason = server.isAlive() ? "the attack failed: " + e : "the server ended: " + server.lastWord();
            return AttackResult.failed(attack.name(), reason);
        }
    }

    private AttackResult complete(Attack attack, Stage stage, List<String> moreNotes) throws IOException {
        ServerUnderAttack server = stage.server();
        ServerSnapshot before = server.snapshot();
        // Discards figures of the snapshot's own collection.
        stage.clients().takeFigures();
        long begun = System.nanoTime();
        AttackContext context = new AttackContext(
                server.settings(),
                stage.target(),
                limits.perAttack(),
                RESPONSE_TIMEOUT,
                () -> server.logFrom(before.logBytes()));
        List<String> faults = new ArrayList<>();
        server.resetPeak();
        try {
            attack.body().run(context);
        } catch (IOException e) {
            faults.add("the server refused a connection that the attack needs: " + e.getMessage());
        }
        // A p99 needs a minimum of messages, even if the attack is quick.
        stop.await(limits.perAttack().minusNanos(System.nanoTime() - begun));
        double seconds = (System.nanoTime() - begun) / 1e9;
        long peak = server.peakBytes();
        ClientFigures seen = stage.clients().takeFigures();
        awaitConnectionsClosed(server, before.openFiles());
        if (!server.isAlive()) {
            throw new IOException("the server ended");
        }
        ServerSnapshot after = server.snapshot();
        faults.addAll(context.faults());
        faults.addAll(assessment.faults(seen, before, after, server.logFrom(before.logBytes())));
        List<String> notes = new ArrayList<>(context.notes());
        notes.addAll(moreNotes);
        AttackResult.Figures figures = new AttackResult.Figures(seconds, seen, before.memory(), after.memory(), peak);
        return new AttackResult(attack.name(), false, faults, notes, Optional.of(figures));
    }

    private void awaitConnectionsClosed(ServerUnderAttack server, int openFilesBefore) {
        long end = System.nanoTime() + SETTLE_MAX.toNanos();
        while (server.isAlive()
                && server.openFiles() > openFilesBefore + OPEN_FILES_TOLERANCE
                && System.nanoTime() < end) {
            stop.await(POLL_INTERVAL);
        }
    }

    private void print(String line) {
        out.println(line);
        out.flush();
    }
}
