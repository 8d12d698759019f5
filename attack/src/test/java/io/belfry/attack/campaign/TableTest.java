package io.belfry.attack.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.attack.server.Memory;
import io.belfry.attack.witness.Testimony;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableTest {
    private static final Testimony SEEN = new Testimony(400, 1, 12.34, 20, 0, 0, 0, 0, 5, 1, 3, List.of());

    private static Verdict fought(List<String> faults) {
        return new Verdict.Fought(
                "smuggling",
                faults,
                List.of("59 requests"),
                1.5,
                SEEN,
                new Memory(100, 1000, 0),
                new Memory(105, 990, 0),
                1000 + (3 << 20));
    }

    @Test
    void eachVerdictIsOneAlignedLine() {
        String held = Table.line(fought(List.of()));
        String gaveWay = Table.line(fought(List.of("this gave way")));
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
        assertThat(Table.head().indexOf("what was seen")).isEqualTo(held.indexOf("59 requests"));
        assertThat(Table.line(new Verdict.Skipped("tls-hellos", "off")).indexOf("off"))
                .isEqualTo(held.indexOf("59 requests"));
    }

    @Test
    void onlyWhereAllHeldTheExitCodeIsZero() throws IOException {
        Verdict skipped = new Verdict.Skipped("tls-hellos", "off");
        assertThat(close(List.of(fought(List.of()), skipped), 2)).isZero();
        assertThat(close(List.of(fought(List.of("x"))), 1)).isEqualTo(1);
        assertThat(close(List.of(new Verdict.Broken("x", "the server ended")), 1))
                .isEqualTo(1);
        assertThat(close(List.of(fought(List.of())), 2)).as("cut short").isEqualTo(1);
    }

    private static int close(List<Verdict> verdicts, int planned) throws IOException {
        return new Account(verdicts, planned).close(new PrintWriter(new StringWriter()), Optional.empty());
    }

    @Test
    void theFileHasTheSame(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("verdicts.json");
        Report.write(List.of(fought(List.of("x")), new Verdict.Skipped("tls-hellos", "off")), file);
        JsonNode root = new ObjectMapper().readTree(Files.readString(file));
        assertThat(root.path("held").asBoolean()).isFalse();
        assertThat(root.at("/attacks/0/verdict").asText()).isEqualTo("gave way");
        assertThat(root.at("/attacks/0/faults/0").asText()).isEqualTo("x");
        assertThat(root.at("/attacks/0/witness/p99Millis").asDouble()).isEqualTo(12.34);
        assertThat(root.at("/attacks/0/memoryPeakBytes").asLong()).isEqualTo(1000 + (3 << 20));
        assertThat(root.at("/attacks/1/reason").asText()).isEqualTo("off");
    }
}
