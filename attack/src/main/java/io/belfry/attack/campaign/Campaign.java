package io.belfry.attack.campaign;

import io.belfry.attack.attacks.Attack;
import io.belfry.attack.attacks.Field;
import io.belfry.attack.server.Order;
import io.belfry.attack.server.ServerUnderAttack;
import io.belfry.attack.wire.Certificates;
import io.belfry.attack.wire.Door;
import io.belfry.attack.witness.Testimony;
import io.belfry.attack.witness.Witness;
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
 * All attacks in turn, each with its verdict. Where one leaves a server or a witness that cannot go on, the next gets
 * others. Owner: the main thread.
 */
public final class Campaign {
    private static final Duration WARM_UP = Duration.ofMillis(1500);
    /** How long an attack waits for an answer: a server under attack on a busy machine takes its time. */
    private static final Duration PATIENCE = Duration.ofMillis(2500);

    private static final Duration SETTLE_MAX = Duration.ofSeconds(5);
    private static final Duration GLANCE = Duration.ofMillis(50);
    private static final int OPEN_FILES_MORE = 4;

    private final Order order;
    private final Terms terms;
    private final StopSignal stop;
    private final PrintWriter out;
    private int servers;

    /**
     * How each attack is fought. Immutable.
     *
     * @param perAttack how long one goes on at most, apart from what the server's own limits have it wait for
     * @param p99MaxMillis what the witness's p99 must stay under
     * @param folder existing, for all that servers write
     */
    public record Terms(Duration perAttack, double p99MaxMillis, Path folder) {}

    public Campaign(Order order, Terms terms, StopSignal stop, PrintWriter out) {
        this.order = order;
        this.terms = terms;
        this.stop = stop;
        this.out = out;
    }

    /** A server and its witness, standing for as long as both can. Owner: the main thread. */
    private record Stage(ServerUnderAttack server, Witness witness, Door door) implements AutoCloseable {
        boolean stands() {
            return server.isAlive() && witness.isWhole();
        }

        @Override
        public void close() {
            witness.close();
            server.close();
        }
    }

    /** Prints a line for each attack as it ends. */
    public List<Verdict> fight(List<Attack> attacks) throws IOException {
        List<Verdict> verdicts = new ArrayList<>();
        @Nullable Stage stage = null;
        try {
            for (Attack attack : attacks) {
                if (stop.isWished()) {
                    break;
                }
                if (stage == null) {
                    stage = begin(verdicts.isEmpty());
                }
                Verdict verdict = fight(attack, stage);
                verdicts.add(verdict);
                tell(Table.line(verdict));
                if (!stage.stands()) {
                    stage.close();
                    stage = null;
                }
            }
        } finally {
            if (stage != null) {
                stage.close();
            }
        }
        return verdicts;
    }

    private Stage begin(boolean first) throws IOException {
        Path folder = Files.createDirectories(terms.folder().resolve("server-" + ++servers));
        ServerUnderAttack server = ServerUnderAttack.start(order, folder);
        try {
            boolean encrypted = server.facts().encrypted();
            Door door = Door.forAttackers(server.port(), encrypted ? Certificates.trustingAny() : null);
            WarmUp.of(door, server.facts());
            Witness witness =
                    Witness.of(server.port(), encrypted, server.facts().token());
            rest(WARM_UP);
            if (first) {
                tell("a server of our own on 127.0.0.1:" + server.port()
                        + (server.facts().encrypted() ? ", encrypted" : "") + ", pid " + server.pid());
                tell("");
                tell(Table.head());
            }
            return new Stage(server, witness, door);
        } catch (BenchFailure | IOException e) {
            server.close();
            throw e;
        }
    }

    private Verdict fight(Attack attack, Stage stage) {
        Optional<String> off = attack.off(stage.server().facts());
        if (off.isPresent()) {
            return new Verdict.Skipped(attack.name(), off.get());
        }
        try {
            Verdict.Fought first = fought(attack, stage);
            boolean doubtful = judge().isLatenessAlone(first.faults(), first.testimony());
            return doubtful && stage.stands() ? fought(attack, stage).again() : first;
        } catch (IOException | RuntimeException e) {
            String reason = stage.server().isAlive()
                    ? "the attack could not be carried out: " + e
                    : "the server ended: " + stage.server().lastWord();
            return new Verdict.Broken(attack.name(), reason);
        }
    }

    private Judge judge() {
        return new Judge(terms.p99MaxMillis());
    }

    private Verdict.Fought fought(Attack attack, Stage stage) throws IOException {
        ServerUnderAttack server = stage.server();
        Look before = Look.at(server);
        // What the look itself cost is nobody's fault.
        stage.witness().testify();
        long begun = System.nanoTime();
        Field field = new Field(
                server.facts(), stage.door(), terms.perAttack(), PATIENCE, () -> logFrom(server, before.logBytes()));
        List<String> failures = new ArrayList<>();
        server.forgetPeak();
        try {
            attack.run(field);
        } catch (IOException e) {
            failures.add("a connection that the attack needs did not come about: " + e.getMessage());
        }
        // So many messages at least, for a p99 that is one.
        rest(terms.perAttack().minusNanos(System.nanoTime() - begun));
        double seconds = (System.nanoTime() - begun) / 1e9;
        long peak = server.peakBytes();
        Testimony testimony = stage.witness().testify();
        awaitConnectionsGone(server, before.openFiles());
        if (!server.isAlive()) {
            throw new IOException("the server ended");
        }
        Look after = Look.at(server);
        failures.addAll(field.faults());
        failures.addAll(judge().judge(new Judge.Evidence(testimony, before, after, server.logFrom(before.logBytes()))));
        return new Verdict.Fought(
                attack.name(), failures, field.did(), seconds, testimony, before.memory(), after.memory(), peak);
    }

    private static String logFrom(ServerUnderAttack server, long offset) {
        try {
            return server.logFrom(offset);
        } catch (IOException e) {
            throw new BenchFailure("the server's log cannot be read: " + e.getMessage());
        }
    }

    private void awaitConnectionsGone(ServerUnderAttack server, int openFilesBefore) {
        long end = System.nanoTime() + SETTLE_MAX.toNanos();
        while (server.isAlive() && server.openFiles() > openFilesBefore + OPEN_FILES_MORE && System.nanoTime() < end) {
            rest(GLANCE);
        }
    }

    private void rest(Duration time) {
        if (!time.isNegative()) {
            stop.await(time);
        }
    }

    private void tell(String line) {
        out.println(line);
        out.flush();
    }
}
