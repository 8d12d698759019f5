package io.belfry.benchkit.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.run.StopSignal;
import io.belfry.benchkit.stand.StandInFaults;
import io.belfry.benchkit.stand.StandInServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The totals of the demo must be exact, because they decide its exit code. */
@Tag("slow")
class DemoProgramTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void aFaultlessServerLosesNothing() {
        assertThat(run(StandInFaults.NONE)).isTrue();
        assertThat(text()).contains("connected 50 ", "nothing was lost").containsPattern("lost +0\n");
    }

    @Test
    void everyDroppedDeliveryCountsAsLost() {
        try (StandInServer server = new StandInServer(StandInFaults.NONE.dropping(5))) {
            assertThat(run(server)).isFalse();
            assertThat(text()).contains("FAILED").containsPattern("lost +" + server.dropped.get() + "\n");
        }
    }

    @Test
    void everyRepeatedDeliveryCountsAsDuplicated() {
        try (StandInServer server = new StandInServer(StandInFaults.NONE.repeating(4))) {
            assertThat(run(server)).isFalse();
            assertThat(text())
                    .containsPattern("lost +0\n")
                    .containsPattern("duplicated +" + server.repeated.get() + "\n");
        }
    }

    private boolean run(StandInFaults faults) {
        try (StandInServer server = new StandInServer(faults)) {
            return run(server);
        }
    }

    private boolean run(StandInServer server) {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        try (DemoProgram demo = new DemoProgram(server.address(), 50, out, new StopSignal())) {
            return demo.run(2);
        }
    }

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
