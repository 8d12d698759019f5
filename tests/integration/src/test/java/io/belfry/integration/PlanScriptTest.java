package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs {@code bin/belfry plan} by its script; the model has tests of its own. */
@Tag("complete")
final class PlanScriptTest {
    private static Tool.Result plan(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(TestMachine.root().resolve("bin/belfry").toString(), "plan"));
        command.addAll(List.of(arguments));
        Map<String, String> environment = new HashMap<>();
        environment.put("BELFRY_JAVA_HOME", System.getProperty("java.home"));
        try (Tool tool = Tool.start(TestMachine.target(), environment, command)) {
            return tool.await();
        }
    }

    /** The script limits the heap to 256 MB. */
    @Test
    void aBillionSessionsAreSimulatedWithinAMinute() {
        Tool.Result held =
                plan("simulate", "--sessions", "1000000000", "--nodes", "5000", "--fail", "50", "--seed", "9");
        assertThat(held.exitCode()).as(held.errors()).isZero();
        assertThat(held.output())
                .contains("1,000,000,000 sessions on 5,000 nodes")
                .contains("HELD");
    }

    @Test
    void impossibleAndInvalidRequestsHaveExitCodes() {
        assertThat(plan("--clients", "10000").exitCode()).isZero();
        assertThat(plan("--clients", "60M", "--cores", "2", "--network", "1Gbit")
                        .exitCode())
                .isEqualTo(1);
        Tool.Result wrong = plan("--clients", "many");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.errors()).startsWith("plan: bad-value: ");
    }
}
