package io.belfry.benchkit.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportLinesTest {
    @Test
    void theBlockHasTheLinesOfEarlierTools() {
        Latencies latencies = new Latencies();
        latencies.record(0);
        latencies.record(2_024_000_000L);
        assertThat(ReportLines.block(Duration.ofSeconds(1607), "Latency", "messages", latencies, 20_905.8))
                .startsWith(
                        "Uptime: 1,607 s",
                        "Latency min: 0 ms",
                        "Latency max: 2,024 ms",
                        "Latency mean: 1,012.00 ms",
                        "Latency standard deviation: 1,431.18 ms",
                        "90% CI for the mean: [-652.740 - 2,676.740] ms",
                        "95% CI for the mean: [-971.520 - 2,995.520] ms",
                        "Total messages: 2",
                        "Frequency: 20,905.80 messages/sec");
    }

    @Test
    void thePercentilesFollowTheBlock() {
        Latencies latencies = new Latencies();
        for (int i = 1; i <= 100; i++) {
            latencies.record(i * 100_000L);
        }
        List<String> block = ReportLines.block(Duration.ZERO, "Latency", "messages", latencies, 0);
        assertThat(block.subList(9, block.size()))
                .containsExactly(
                        "Latency percentile 50: 5.003 ms",
                        "Latency percentile 90: 9.007 ms",
                        "Latency percentile 95: 9.503 ms",
                        "Latency percentile 99: 9.903 ms",
                        "Latency percentile 99.9: 10 ms",
                        "Latency percentile 99.99: 10 ms");
    }

    @Test
    void eachLineHasTimeAndLevel() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ReportLog log = new ReportLog(
                new PrintStream(bytes, false, StandardCharsets.UTF_8), () -> LocalDateTime.of(2013, 6, 18, 15, 3, 11));
        log.info(List.of("Uptime: 1,607 s", "Latency min: 0 ms"));
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        "[2013-06-18, 15:03:11] [INFO] Uptime: 1,607 s\n[2013-06-18, 15:03:11] [INFO] Latency min: 0 ms\n");
    }

    @Test
    void incidentsArePrintedOnlyIfThereAreAny() {
        Counts counts = new Counts();
        assertThat(ReportLines.incidents(counts, new Latencies())).isEmpty();
        counts.add(Count.DISCONNECTIONS, 1234);
        assertThat(ReportLines.incidents(counts, new Latencies())).containsExactly("Disconnections: 1,234");
    }

    @Test
    void theDeliveryCheckIsOneLineInAFixedOrder() {
        assertThat(ReportLines.verify(new Counts()))
                .isEqualTo("Verify: lost 0, duplicated 0, reordered 0, positions missing 0, gaps announced 0,"
                        + " before first 0, end marks missing 0");
    }

    @Test
    void namesInReportsAreThoseOfTheConstants() {
        assertThat(Count.WARM_UP_MESSAGES.key()).isEqualTo("warmUpMessages");
        assertThat(Count.LOST.key()).isEqualTo("lost");
        assertThat(Count.GAPS_ANNOUNCED.label()).isEqualTo("Gaps announced");
    }
}
