package io.belfry.attack.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.attack.run.ClientFigures.NewClientFigures;
import io.belfry.attack.run.ServerSnapshot.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttackReportTest {
    private static final ClientFigures SEEN =
            new ClientFigures(400, 1, 12.34, 20, 0, 0, 0, 0, new NewClientFigures(5, 1, 3), List.of());

    private static AttackResult completed(List<String> faults) {
        Memory before = new Memory(100, 1000, 0);
        AttackResult.Figures figures =
                new AttackResult.Figures(1.5, SEEN, before, new Memory(105, 990, 0), 1000 + (3 << 20));
        return new AttackResult("smuggling", false, faults, List.of("59 requests"), Optional.of(figures));
    }

    @Test
    void eachResultIsOneAlignedLine() {
        String held = AttackReport.line(completed(List.of()));
        String gaveWay = AttackReport.line(completed(List.of("this gave way")));
        assertThat(held)
                .startsWith("smuggling            held ")
                .contains("12.3 ms")
                .contains("5/6")
                .contains("+3.0 MB")
                .contains("-1.0%")
                .contains("+5.0%")
                .endsWith("  59 requests");
        assertThat(gaveWay).startsWith("smuggling            gave way ").endsWith("  this gave way; 59 requests");
        assertThat(held.indexOf("59 requests")).isEqualTo(gaveWay.indexOf("this gave way"));
        assertThat(AttackReport.head().indexOf("observations")).isEqualTo(held.indexOf("59 requests"));
        assertThat(AttackReport.line(AttackResult.skipped("tls-hellos", "off")).indexOf("off"))
                .isEqualTo(held.indexOf("59 requests"));
    }

    @Test
    void aRunPassesOnlyIfEveryAttackHeld() {
        AttackResult skipped = AttackResult.skipped("tls-hellos", "off");
        assertThat(new AttackReport(List.of(completed(List.of()), skipped), 2).passed())
                .isTrue();
        assertThat(passed(completed(List.of("x")))).isFalse();
        assertThat(passed(AttackResult.failed("x", "the server ended"))).isFalse();
        AttackReport stopped = new AttackReport(List.of(completed(List.of())), 2);
        assertThat(stopped.passed()).as("stopped early").isFalse();
        assertThat(stopped.summary()).isEqualTo("1 held, 0 gave way, 0 skipped, 1 not started");
    }

    private static boolean passed(AttackResult result) {
        return new AttackReport(List.of(result), 1).passed();
    }

    @Test
    void theJsonFileHasTheSameResults(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("verdicts.json");
        List<AttackResult> results = List.of(completed(List.of("x")), AttackResult.skipped("tls-hellos", "off"));
        new AttackReport(results, 2).write(file);
        JsonNode root = new ObjectMapper().readTree(Files.readString(file));
        assertThat(root.path("held").asBoolean()).isFalse();
        assertThat(root.at("/attacks/0/verdict").asText()).isEqualTo("gave way");
        assertThat(root.at("/attacks/0/faults/0").asText()).isEqualTo("x");
        assertThat(root.at("/attacks/0/witness/p99Millis").asDouble()).isEqualTo(12.34);
        assertThat(root.at("/attacks/0/witness").size()).isEqualTo(11);
        assertThat(root.at("/attacks/0/memoryBefore/residentBytes").asLong()).isEqualTo(1000);
        assertThat(root.at("/attacks/0/memoryPeakBytes").asLong()).isEqualTo(1000 + (3 << 20));
        assertThat(root.at("/attacks/1/reason").asText()).isEqualTo("off");
    }
}
