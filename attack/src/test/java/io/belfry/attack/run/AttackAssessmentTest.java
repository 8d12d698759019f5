package io.belfry.attack.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.attack.run.ClientFigures.NewClientFigures;
import io.belfry.attack.run.ServerSnapshot.Memory;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each kind of fault is reported, alone. */
class AttackAssessmentTest {
    private static final long MB = 1 << 20;
    private static final Set<String> LOOPS = Set.of("belfry-lane-1", "belfry-lane-2");
    private static final Memory BEFORE = new Memory(20 * MB, 600 * MB, 10 * MB);

    private static ClientFigures normal() {
        return figures(100, 5, 0, 0, 0, 0, 0);
    }

    private static ClientFigures figures(
            long delivered, double p99, long lost, long unanswered, long disturbed, long disconnected, int turnedAway) {
        return new ClientFigures(
                delivered,
                1,
                p99,
                2 * p99,
                lost,
                unanswered,
                disturbed,
                disconnected,
                new NewClientFigures(5, turnedAway, 3),
                List.of());
    }

    private static ServerSnapshot snapshot(Memory memory, int files, Set<String> loops, long failures, long logBytes) {
        return new ServerSnapshot(memory, files, loops, failures, logBytes);
    }

    private static List<String> faults(ClientFigures figures, ServerSnapshot after, String log) {
        ServerSnapshot before = snapshot(BEFORE, 50, LOOPS, 0, 1000);
        return new AttackAssessment(250).faults(figures, before, after, log);
    }

    private static List<String> faults(ClientFigures figures) {
        return faults(figures, snapshot(BEFORE, 50, LOOPS, 0, 1000), "");
    }

    private static List<String> faults(Memory after) {
        return faults(normal(), snapshot(after, 50, LOOPS, 0, 1000), "");
    }

    private static List<String> faults(String log) {
        return faults(normal(), snapshot(BEFORE, 50, LOOPS, 0, 1000 + log.length()), log);
    }

    @Test
    void anUnchangedServerHasNoFaults() {
        assertThat(faults(normal())).isEmpty();
        assertThat(faults(new Memory(22 * MB, 640 * MB, 10 * MB))).isEmpty();
    }

    @Test
    void noDeliveriesAreAFault() {
        assertThat(faults(figures(0, 0, 0, 0, 0, 0, 0))).containsExactly("regular clients received no message");
    }

    @Test
    void disturbancesOfRegularClientsAreReported() {
        assertThat(faults(figures(100, 5, 1, 0, 0, 0, 0))).containsExactly("regular clients lost messages: 1");
        assertThat(faults(figures(100, 5, 0, 2, 0, 0, 0)))
                .containsExactly("publishes of regular clients not answered: 2");
        assertThat(faults(figures(100, 5, 0, 0, 3, 0, 0))).containsExactly("disturbances of regular clients: 3");
        assertThat(faults(figures(100, 5, 0, 0, 0, 1, 0))).containsExactly("disturbances of regular clients: 1");
        assertThat(faults(figures(100, 300, 0, 0, 0, 0, 0)))
                .containsExactly("p99 of regular clients was 300 ms, over 250 ms");
        assertThat(faults(figures(100, 5, 0, 0, 0, 0, 2)))
                .containsExactly("2 of 7 new clients were not served in time");
    }

    @Test
    void memoryThatIsNotReleasedIsReported() {
        assertThat(faults(new Memory(25 * MB, 600 * MB, 10 * MB)))
                .containsExactly("heap after a full collection grew from 20.0 to 25.0 MB");
        assertThat(faults(new Memory(20 * MB, 700 * MB, 10 * MB)))
                .containsExactly("memory without history grew from 590.0 to 690.0 MB");
    }

    @Test
    void growthOfTheHistoryIsNoLeak() {
        assertThat(faults(new Memory(20 * MB, 700 * MB, 110 * MB))).isEmpty();
    }

    @Test
    void connectionsLoopsAndExceptionsAreReported() {
        assertThat(faults(normal(), snapshot(BEFORE, 60, LOOPS, 0, 1000), ""))
                .containsExactly("10 connections of the attack are still open");
        assertThat(faults(normal(), snapshot(BEFORE, 50, Set.of("belfry-lane-1"), 0, 1000), ""))
                .containsExactly("event loops ended: belfry-lane-2");
        assertThat(faults(normal(), snapshot(BEFORE, 50, LOOPS, 1, 1000), ""))
                .containsExactly("uncaught exceptions in event loops: 1");
    }

    @Test
    void latencyOrMemoryOutsideTheHeapAloneAllowsASecondRound() {
        String latency = "p99 of regular clients was 300 ms, over 250 ms";
        String memory = "memory without history grew from 590.0 to 690.0 MB";
        String unserved = "2 of 7 new clients were not served in time";
        assertThat(isRepeated(List.of(latency))).isTrue();
        assertThat(isRepeated(List.of(memory))).isTrue();
        assertThat(isRepeated(List.of(latency, memory))).isFalse();
        assertThat(isRepeated(List.of(latency, unserved))).isTrue();
        assertThat(isRepeated(List.of(unserved))).isFalse();
        assertThat(isRepeated(List.of(latency, "the log has a stack trace"))).isFalse();
        assertThat(isRepeated(List.of("heap after a full collection grew from 20.0 to 25.0 MB")))
                .isFalse();
        assertThat(isRepeated(List.of())).isFalse();
        assertThat(new AttackAssessment(250).isRepeated(AttackResult.failed("x", latency)))
                .isFalse();
    }

    @Test
    void otherProgramsExtendTheLimitOfAFurtherRound() {
        AttackAssessment first = new AttackAssessment(250);
        assertThat(first.ofFurtherRound(50, 0).p99MaxMillis()).isEqualTo(300);
        assertThat(first.ofFurtherRound(50, 0.5).p99MaxMillis()).isEqualTo(600);
        assertThat(first.ofFurtherRound(50, 0.9).p99MaxMillis()).isEqualTo(1500);
        assertThat(first.ofFurtherRound(50, 1).p99MaxMillis()).isEqualTo(1500);
    }

    private static boolean isRepeated(List<String> faults) {
        Memory after = new Memory(25 * MB, 700 * MB, 10 * MB);
        AttackResult.Figures figures = new AttackResult.Figures(1, figures(100, 300, 0, 0, 0, 0, 2), BEFORE, after, 0);
        return new AttackAssessment(250)
                .isRepeated(new AttackResult("x", false, faults, List.of(), Optional.of(figures)));
    }

    @Test
    void errorsAndFloodsInTheLogAreReported() {
        assertThat(faults("2026-11-22T03:00:00.000Z WARN  [belfry-lane-1] X: y\n\tat io.belfry.X.y(X.java:1)\n"))
                .containsExactly("the log has a stack trace");
        assertThat(faults("2026-11-22T03:00:00.000Z ERROR [belfry-lane-1] X: y\n"))
                .containsExactly("the log has an error: 2026-11-22T03:00:00.000Z ERROR [belfry-lane-1] X: y");
        assertThat(faults("a line\n".repeat(1 << 18))).containsExactly("the log grew by 1792 KB");
        assertThat(faults("2026-11-22T03:00:00.000Z WARN  [main] X: look at this\n"))
                .isEmpty();
    }
}
