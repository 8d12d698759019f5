package io.belfry.attack.run;

import io.belfry.attack.attacks.Attack;
import io.belfry.attack.attacks.AttackContext;
import io.belfry.attack.attacks.AttackTarget;
import io.belfry.attack.attacks.ServerWarmUp;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.measure.Texts;
import io.belfry.benchkit.run.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Runs attacks one after the other and prints a line for each. If an attack leaves a server or regular clients that cannot
 * continue, the next attack gets new ones. Owner: the main thread.
 *
 * @param stop ends the run early when it is set
 * @param out for the line of each attack
 */
public record AttackRunner(AttackOptions options, StopSignal stop, PrintWriter out) {
    private static final Duration WARM_UP = Duration.ofMillis(1500);
    private static final Duration WARM_UP_TIMEOUT = Duration.ofSeconds(5);

    /** Time after which a response counts as missing: a server under attack on a busy machine is slow. */
    private static final Duration RESPONSE_TIMEOUT = Duration.ofMillis(2500);

    /** Maximum number of rounds of an attack whose only fault may be caused by other programs of the machine. */
    private static final int ROUNDS = 3;

    private static final Duration CONTROL_MIN = Duration.ofSeconds(3);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(5);
    private static final Duration RELEASE_STEP = Duration.ofSeconds(5);
    private static final int OPEN_FILES_TOLERANCE = 4;

    /** A server with its regular clients. Owner: the main thread. */
    private record Stage(ServerUnderAttack server, RegularClients clients, AttackTarget target)
            implements AutoCloseable {
        boolean isUsable() {
            return !server.child().hasEnded() && clients.areConnected();
        }

        @Override
        public void close() {
            clients.close();
            server.close();
        }
    }

    /** One round of an attack. */
    private record Round(AttackAssessment assessment, AttackResult result) {
        boolean isRepeated() {
            return assessment.isRepeated(result);
        }
    }

    /** Runs the attacks; returns fewer results than attacks if the user stops the run. */
    public List<AttackResult> run(List<Attack> attacks) throws IOException {
        List<AttackResult> results = new ArrayList<>();
        Iterator<Attack> left = attacks.iterator();
        for (int server = 1; left.hasNext() && !stop.isRequested(); server++) {
            try (Stage stage = start(server)) {
                do {
                    AttackResult result = run(left.next(), stage);
                    results.add(result);
                    print(AttackReport.line(result));
                } while (left.hasNext() && stage.isUsable() && !stop.isRequested());
            }
        }
        return results;
    }

    private Stage start(int number) throws IOException {
        Path folder = Files.createDirectories(options.folder().resolve("server-" + number));
        ServerUnderAttack server = ServerUnderAttack.start(options, folder);
        try {
            boolean encrypted = server.settings().encrypted();
            AttackTarget target = new AttackTarget(server.port(), encrypted, AttackTarget.ATTACKERS);
            ServerWarmUp.run(new AttackContext(server.settings(), target, WARM_UP, WARM_UP_TIMEOUT, () -> ""));
            RegularClients clients = RegularClients.start(server.port(), server.settings());
            stop.await(WARM_UP);
            if (number == 1) {
                print("attacked server on 127.0.0.1:" + server.port() + (encrypted ? ", encrypted" : "") + ", pid "
                        + server.child().pid() + "\n\n" + AttackReport.head());
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
            Round round = complete(attack, stage, 1, 0);
            for (int number = 2; number <= ROUNDS && round.isRepeated() && stage.isUsable(); number++) {
                round = complete(attack, stage, number, idleMillis(stage));
            }
            return round.result();
        } catch (IOException | RuntimeException e) {
            String reason = server.child().hasEnded()
                    ? "the server ended: " + server.child().lastLine()
                    : "the attack failed: " + e;
            return AttackResult.failed(attack.name(), reason);
        }
    }

    /** Measures the p99 of the regular clients without an attack. */
    private double idleMillis(Stage stage) {
        stage.clients().takeFigures();
        stop.await(options.perAttack().compareTo(CONTROL_MIN) < 0 ? CONTROL_MIN : options.perAttack());
        return stage.clients().takeFigures().p99Millis();
    }

    /** Runs one round; before a further round {@code idleMillis} was measured. */
    private Round complete(Attack attack, Stage stage, int number, double idleMillis) throws IOException {
        ServerUnderAttack server = stage.server();
        ServerSnapshot before = server.snapshot();
        // Discards figures of the snapshot's own collection.
        stage.clients().takeFigures();
        long begun = System.nanoTime();
        Supplier<String> log = () -> server.logFrom(before.logBytes());
        AttackContext context =
                new AttackContext(server.settings(), stage.target(), options.perAttack(), RESPONSE_TIMEOUT, log);
        List<String> faults = new ArrayList<>();
        server.resetPeak();
        OtherPrograms others = OtherPrograms.watch(server.child().pid());
        try {
            attack.body().run(context);
        } catch (IOException e) {
            faults.add("the server refused a connection that the attack needs: " + e.getMessage());
        }
        // A p99 needs a minimum of messages, even if the attack is quick.
        stop.await(options.perAttack().minusNanos(System.nanoTime() - begun));
        double seconds = (System.nanoTime() - begun) / 1e9;
        long peak = server.peakBytes();
        ClientFigures seen = stage.clients().takeFigures();
        double othersShare = others.share();
        int openFilesMax = before.openFiles() + OPEN_FILES_TOLERANCE;
        StopSignal.waitFor(() -> server.child().hasEnded() || server.openFiles() <= openFilesMax, SETTLE_MAX);
        if (server.child().hasEnded()) {
            throw new IOException("the server ended");
        }
        ServerSnapshot after = snapshotAfterRelease(server, before);
        AttackAssessment assessment = new AttackAssessment(options.p99MaxMillis());
        if (number > 1) {
            assessment = assessment.ofFurtherRound(idleMillis, othersShare);
            context.notes()
                    .add(Texts.format(
                            "round %d, with a limit of %.0f ms while other programs used %.0f %% of the processors",
                            number, assessment.p99MaxMillis(), 100 * othersShare));
        }
        faults.addAll(context.faults());
        faults.addAll(assessment.faults(seen, before, after, log.get()));
        AttackResult.Figures figures = new AttackResult.Figures(seconds, seen, before.memory(), after.memory(), peak);
        return new Round(
                assessment, new AttackResult(attack.name(), false, faults, context.notes(), Optional.of(figures)));
    }

    /** Repeats the snapshot while memory is still to be returned. */
    private ServerSnapshot snapshotAfterRelease(ServerUnderAttack server, ServerSnapshot before) throws IOException {
        long begun = System.nanoTime();
        ServerSnapshot after = server.snapshot();
        while (!AttackAssessment.isReleased(before.memory(), after.memory())
                && System.nanoTime() - begun < options.releaseMax().toNanos()
                && !stop.await(RELEASE_STEP)) {
            after = server.snapshot();
        }
        return after;
    }

    private void print(String line) {
        out.println(line);
        out.flush();
    }
}
