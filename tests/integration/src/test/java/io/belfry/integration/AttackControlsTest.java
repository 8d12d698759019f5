package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.attack.attacks.Attack;
import io.belfry.attack.attacks.Field;
import io.belfry.attack.campaign.Campaign;
import io.belfry.attack.campaign.Verdict;
import io.belfry.attack.server.Order;
import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Wire;
import io.belfry.benchkit.run.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers that give way are found out, whatever gives way: here they are stopped, killed, filled and held on to by attacks
 * that no client could carry out.
 */
@Tag("slow")
final class AttackControlsTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    private final List<Wire> left = new ArrayList<>();

    @AfterEach
    void letGo() {
        left.forEach(Wire::close);
    }

    /** What somebody who owns the machine does to the server. */
    private record Foul(String name, Action action) implements Attack {
        private interface Action {
            void run(Field field) throws IOException;
        }

        @Override
        public String sentence() {
            return name;
        }

        @Override
        public void run(Field field) throws IOException {
            action.run(field);
        }
    }

    private List<Verdict> fight(Attack... attacks) throws IOException {
        Order order = new Order(Machine.root(), Optional.empty(), List.of(), null);
        StringWriter out = new StringWriter();
        return new Campaign(order, new Campaign.Terms(SHORT, 250, folder), new StopSignal(), new PrintWriter(out))
                .fight(List.of(attacks));
    }

    private static void signal(String name) {
        String server = ProcessHandle.current()
                .descendants()
                .filter(child -> child.info().commandLine().orElse("").contains("-XX:+AlwaysPreTouch"))
                .map(child -> Long.toString(child.pid()))
                .findFirst()
                .orElseThrow();
        Tool.run("kill", "-" + name, server).wellDone();
    }

    private static List<String> faults(Verdict verdict) {
        assertThat(verdict.isWell()).as(verdict.toString()).isFalse();
        return verdict instanceof Verdict.Fought fought ? fought.faults() : List.of(verdict.toString());
    }

    @Test
    void whatWouldEndAServerIsReportedAndTheNextAttackGetsAnother() throws IOException {
        Foul nothing = new Foul("nothing", field -> {});
        List<Verdict> verdicts = fight(
                new Foul("stalls", field -> {
                    signal("STOP");
                    Field.rest(Duration.ofMillis(2500));
                    signal("CONT");
                }),
                new Foul("dies", field -> signal("KILL")),
                nothing);

        assertThat(faults(verdicts.get(0)))
                .anyMatch(fault -> fault.contains("the witness's p99 was"))
                .anyMatch(fault -> fault.contains("newcomers were not served in time"));
        assertThat(faults(verdicts.get(1))).first().asString().contains("the server ended");
        assertThat(verdicts.get(2).isWell()).as(verdicts.get(2).toString()).isTrue();
    }

    @Test
    void whatStaysBehindIsReported() throws IOException {
        List<Verdict> verdicts = fight(new Foul("fills", AttackControlsTest::retain), new Foul("stays", field -> {
            for (int i = 0; i < 50; i++) {
                left.add(field.session());
            }
        }));

        assertThat(faults(verdicts.get(0))).anyMatch(fault -> fault.startsWith("heap after a full collection grew"));
        assertThat(faults(verdicts.get(1)))
                .anyMatch(fault -> fault.endsWith("connections of the attack are still open"));
    }

    /** Retained messages are kept as long as the server runs: to the judge, a leak like any other. */
    private static void retain(Field field) throws IOException {
        String data = "x".repeat(32 << 10);
        try (Wire wire = field.session()) {
            for (int i = 0; i < 1900; i++) {
                wire.send(Frames.text("{\"op\":\"publish\",\"subject\":\"/attack/kept/" + i + "\",\"data\":\"" + data
                        + "\",\"retain\":true}"));
            }
            wire.send(Frames.text("{\"op\":\"ping\",\"id\":1}"));
            wire.await(Duration.ofSeconds(20), text -> text.contains("pong"));
        }
    }
}
