package io.belfry.attack.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.attack.server.Memory;
import io.belfry.attack.witness.Testimony;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each thing that can give way is reported, and by nothing else than itself. */
class JudgeTest {
    private static final long MB = 1 << 20;
    private static final Set<String> LOOPS = Set.of("belfry-lane-1", "belfry-lane-2");
    private static final Memory BEFORE = new Memory(20 * MB, 600 * MB, 10 * MB);

    private static Testimony well() {
        return testimony(100, 5, 0, 0, 0, 0, 0);
    }

    private static Testimony testimony(
            long delivered, double p99, long lost, long unanswered, long disturbed, long disconnected, int turnedAway) {
        return new Testimony(
                delivered, 1, p99, 2 * p99, lost, unanswered, disturbed, disconnected, 5, turnedAway, 3, List.of());
    }

    private static Look look(Memory memory, int files, Set<String> loops, long failures, long logBytes) {
        return new Look(memory, files, loops, failures, logBytes);
    }

    private static List<String> judge(Testimony testimony, Look after, String log) {
        Look before = look(BEFORE, 50, LOOPS, 0, 1000);
        return new Judge(250).judge(new Judge.Evidence(testimony, before, after, log));
    }

    private static List<String> judge(Testimony testimony) {
        return judge(testimony, look(BEFORE, 50, LOOPS, 0, 1000), "");
    }

    private static List<String> judge(Memory after) {
        return judge(well(), look(after, 50, LOOPS, 0, 1000), "");
    }

    private static List<String> judge(String log) {
        return judge(well(), look(BEFORE, 50, LOOPS, 0, 1000 + log.length()), log);
    }

    @Test
    void aServerAsItWasHeld() {
        assertThat(judge(well())).isEmpty();
        assertThat(judge(new Memory(22 * MB, 640 * MB, 10 * MB))).isEmpty();
    }

    @Test
    void aWitnessThatHeardNothingProvesNothing() {
        assertThat(judge(testimony(0, 0, 0, 0, 0, 0, 0))).containsExactly("the witness got no message");
    }

    @Test
    void whatTheWitnessSufferedIsReported() {
        assertThat(judge(testimony(100, 5, 1, 0, 0, 0, 0))).containsExactly("the witness lost 1 messages");
        assertThat(judge(testimony(100, 5, 0, 2, 0, 0, 0))).containsExactly("the witness got no answer to 2 publishes");
        assertThat(judge(testimony(100, 5, 0, 0, 3, 0, 0))).containsExactly("the witness was disturbed 3 times");
        assertThat(judge(testimony(100, 5, 0, 0, 0, 1, 0))).containsExactly("the witness was disturbed 1 times");
        assertThat(judge(testimony(100, 300, 0, 0, 0, 0, 0)))
                .containsExactly("the witness's p99 was 300 ms, over 250 ms");
        assertThat(judge(testimony(100, 5, 0, 0, 0, 0, 2))).containsExactly("2 of 7 newcomers were not served in time");
    }

    @Test
    void memoryThatDoesNotComeBackIsReported() {
        assertThat(judge(new Memory(25 * MB, 600 * MB, 10 * MB)))
                .containsExactly("heap after a full collection grew from 20.0 to 25.0 MB");
        assertThat(judge(new Memory(20 * MB, 700 * MB, 10 * MB)))
                .containsExactly("memory apart from history grew from 590.0 to 690.0 MB");
    }

    @Test
    void whatHistoryKeepsIsNoLeak() {
        assertThat(judge(new Memory(20 * MB, 700 * MB, 110 * MB))).isEmpty();
    }

    @Test
    void connectionsLoopsAndExceptionsAreReported() {
        assertThat(judge(well(), look(BEFORE, 60, LOOPS, 0, 1000), ""))
                .containsExactly("10 connections of the attack are still open");
        assertThat(judge(well(), look(BEFORE, 50, Set.of("belfry-lane-1"), 0, 1000), ""))
                .containsExactly("event loops ended: belfry-lane-2");
        assertThat(judge(well(), look(BEFORE, 50, LOOPS, 1, 1000), ""))
                .containsExactly("1 exceptions came to the end of a loop's turn");
    }

    @Test
    void whatTheLogTellsIsReported() {
        assertThat(judge("2026-11-22T03:00:00.000Z WARN  [belfry-lane-1] X: y\n\tat io.belfry.X.y(X.java:1)\n"))
                .containsExactly("there is a stack trace in the log");
        assertThat(judge("2026-11-22T03:00:00.000Z ERROR [belfry-lane-1] X: y\n"))
                .containsExactly("the log has an error: 2026-11-22T03:00:00.000Z ERROR [belfry-lane-1] X: y");
        assertThat(judge("a line\n".repeat(1 << 18))).containsExactly("the log grew by 1792 KB");
        assertThat(judge("2026-11-22T03:00:00.000Z WARN  [main] X: look at this\n"))
                .isEmpty();
    }
}
