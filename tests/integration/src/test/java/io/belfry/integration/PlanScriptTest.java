package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code bin/belfry plan}, by its script: what it reckons has tests of its own. */
final class PlanScriptTest {
    private static Tool.Result plan(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(Machine.root().resolve("bin/belfry").toString(), "plan"));
        command.addAll(List.of(arguments));
        Map<String, String> environment = new HashMap<>();
        environment.put("BELFRY_JAVA_HOME", System.getProperty("java.home"));
        try (Tool tool = Tool.start(Machine.target(), environment, command)) {
            return tool.await();
        }
    }

    /** The script gives it 256 MB of heap. */
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
    void whatDoesNotFitAndWhatIsNonsenseHaveTheirExitCodes() {
        assertThat(plan("--clients", "10000").exitCode()).isZero();
        assertThat(plan("--clients", "60M", "--cores", "2", "--network", "1Gbit")
                        .exitCode())
                .isEqualTo(1);
        Tool.Result wrong = plan("--clients", "many");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.errors()).startsWith("plan: bad-value: ");
    }
}
