package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.attack.attacks.Attack;
import io.belfry.attack.attacks.AttackConnection;
import io.belfry.attack.attacks.AttackContext;
import io.belfry.attack.run.AttackOptions;
import io.belfry.attack.run.AttackResult;
import io.belfry.attack.run.AttackRunner;
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
 * The attack suite reports every kind of failing server. The attacks here stop, kill and fill the server or keep its
 * connections open, which no client could do.
 */
@Tag("complete")
@Tag("control")
final class AttackControlsTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    private final List<AttackConnection> open = new ArrayList<>();

    @AfterEach
    void closeConnections() {
        open.forEach(AttackConnection::close);
    }

    private static Attack attack(String name, Attack.Body body) {
        return Attack.of(name, name, body);
    }

    private List<AttackResult> run(Duration releaseMax, Attack... attacks) throws IOException {
        AttackOptions options = new AttackOptions(
                TestMachine.root(), Optional.empty(), List.of(), null, SHORT, 250, releaseMax, folder);
        return new AttackRunner(options, new StopSignal(), new PrintWriter(new StringWriter())).run(List.of(attacks));
    }

    private static void signal(String name) {
        long server = ProcessHandle.current()
                .descendants()
                .filter(child -> child.info().commandLine().orElse("").contains("-XX:+AlwaysPreTouch"))
                .map(ProcessHandle::pid)
                .findFirst()
                .orElseThrow();
        TestMachine.signal(name, server);
    }

    private static List<String> faults(AttackResult result) {
        assertThat(result.passed()).as(result.toString()).isFalse();
        return result.faults();
    }

    @Test
    void afterADeadServerTheNextAttackGetsANewOne() throws IOException {
        List<AttackResult> results = run(
                AttackOptions.RELEASE_MAX,
                attack("stalls", context -> {
                    signal("STOP");
                    AttackContext.pause(Duration.ofMillis(2500));
                    signal("CONT");
                }),
                attack("dies", context -> signal("KILL")),
                attack("nothing", context -> {}));

        assertThat(faults(results.get(0)))
                .anyMatch(fault -> fault.contains("p99 of regular clients was"))
                .anyMatch(fault -> fault.contains("new clients were not served in time"));
        assertThat(faults(results.get(1))).first().asString().contains("the server ended");
        assertThat(results.get(2).passed()).as(results.get(2).toString()).isTrue();
    }

    @Test
    void memoryAndConnectionsLeftBehindAreReported() throws IOException {
        List<AttackResult> results =
                run(SHORT, attack("fills", AttackControlsTest::retain), attack("stays", context -> {
                    for (int i = 0; i < 50; i++) {
                        open.add(context.session());
                    }
                }));

        assertThat(faults(results.get(0))).anyMatch(fault -> fault.startsWith("heap after a full collection grew"));
        assertThat(faults(results.get(1)))
                .anyMatch(fault -> fault.endsWith("connections of the attack are still open"));
    }

    /** Retained messages stay in memory, so the assessment reports them like a leak. */
    private static void retain(AttackContext context) throws IOException {
        String data = "x".repeat(32 << 10);
        try (AttackConnection session = context.session()) {
            for (int i = 0; i < 1900; i++) {
                session.sendCommand("{\"op\":\"publish\",\"subject\":\"/attack/kept/" + i + "\",\"data\":\"" + data
                        + "\",\"retain\":true}");
            }
            session.sendCommand("{\"op\":\"ping\",\"id\":1}");
            session.await(Duration.ofSeconds(20), text -> text.contains("pong"));
        }
    }
}
