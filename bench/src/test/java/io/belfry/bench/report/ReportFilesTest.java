package io.belfry.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.bench.sample.Timeline;
import io.belfry.bench.sample.Timeline.ProcessSnapshot;
import io.belfry.benchkit.measure.Findings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFilesTest {
    @TempDir
    Path folder;

    @Test
    void theJsonHasTheDocumentedNames() throws IOException {
        JsonNode json = new ObjectMapper().readTree(ReportFiles.json(report("fanout")));

        assertThat(json.path("format").asInt()).isEqualTo(BenchReport.FORMAT);
        assertThat(json.path("kind").asText()).isEqualTo("scenario");
        assertThat(json.at("/verdict/level").asText()).isEqualTo("green");
        JsonNode run = json.at("/runs/0");
        assertThat(run.at("/latency/percentilesMillis/99.9").asDouble()).isEqualTo(0.5);
        assertThat(run.at("/latency/count").asLong()).isEqualTo(1);
        assertThat(run.at("/delivery/lost").asLong()).isZero();
        assertThat(run.at("/server/cpuSecondsPerMillionDeliveries").asDouble()).isEqualTo(4.4);
        assertThat(run.at("/memory/heapBytesPerConnection").asDouble()).isEqualTo(1200);
        assertThat(run.path("connect").isNull()).isTrue();
    }

    @Test
    void theDocumentationNamesEveryFieldOfTheJson() throws IOException {
        List<String> names = new ArrayList<>();
        for (Class<?> type : List.of(
                BenchReport.class,
                BenchReport.Heading.class,
                BenchReport.Execution.class,
                BenchReport.Setup.class,
                BenchReport.Input.class,
                BenchVerdict.class,
                BenchVerdict.Check.class,
                Run.class,
                Run.Times.class,
                Run.Traffic.class,
                Run.Observed.class,
                Run.Rates.class,
                Run.Server.class,
                Run.Generator.class,
                Run.Effort.class,
                Run.Lag.class,
                Latency.class,
                Latency.Interval.class)) {
            for (var field : type.getRecordComponents()) {
                if (!field.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
                    names.add(field.getName());
                }
            }
        }
        JsonNode run =
                new ObjectMapper().readTree(ReportFiles.json(report("fanout"))).at("/runs/0");
        for (String part : List.of("/delivery", "/memory", "/samples/0", "/findings/0")) {
            run.at(part).fieldNames().forEachRemaining(names::add);
        }
        String documented = Files.readString(Path.of("../docs/benchmarks.md"));
        assertThat(names)
                .contains("stalledReceived", "heapBytesPerConnection", "machineCores", "publisher")
                .allSatisfy(name -> assertThat(documented).contains("`" + name + "`"));
    }

    @Test
    void thePageIsSelfContainedAndItsDataCannotEndItsScript() throws IOException {
        Path page = folder.resolve("deep/report.html");

        ReportFiles.write(report("</script><script>alert(1)</script>"), page);

        String html = Files.readString(page);
        // The chart library is not checked: it contains elements for tool boxes that no report has.
        String ours = html.replace(charts(), "");
        assertThat(ours).hasSizeLessThan(html.length() / 2);
        assertThat(html)
                .contains("default-src 'none'")
                .doesNotContain("{{title}}", "{{data}}")
                .doesNotContain("<script>alert");
        assertThat(ours)
                .doesNotContainPattern("(?i)<(script|img|iframe|link|audio|video|source)\\b[^>]*\\b(src|href)\\s*=");
        assertThat(ours).doesNotContainPattern("(?i)@import|url\\(\\s*['\"]?https?:");
        assertThat(html).contains("Apache ECharts, Copyright");
        assertThat(Files.exists(folder.resolve("deep/report.json"))).isTrue();
    }

    private static String charts() throws IOException {
        try (InputStream in = ReportFiles.class.getResourceAsStream("echarts.common.min.js")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    static BenchReport report(String title) {
        Histogram micros = new Histogram(3);
        micros.recordValue(500);
        Latency latency = Latency.of(micros, List.of(Latency.Interval.of(0, 1, micros)));
        Run run = new Run(
                "fanout",
                "",
                10,
                1,
                new Run.Times(latency, latency, null, List.of()),
                new Run.Traffic(
                        new Run.Rates(10.0, 10.0, 100.0, 0.0),
                        Run.Delivery.of(name -> 0, name -> 0, 100L),
                        List.of(new Run.Finding("benchsub", "lost", new Findings.Finding("/p/s1/-", 7, 3, 12, 14)))),
                new Run.Observed(
                        new Run.Server(
                                0.1, 0.1, 4.4, null, null, List.of("-Xmx1g"), Map.of("Listen", "127.0.0.1:0"), null),
                        Run.Memory.between(
                                new Run.Memory.Moment(0, 0, 0), new Run.Memory.Moment(12_000, 100_000, 0), 10),
                        new Timeline(List.of(snapshot(0), snapshot(1000))).samples(0)),
                List.of());
        return new BenchReport(
                BenchReport.FORMAT,
                "scenario",
                new BenchReport.Heading("fanout", title, ""),
                new BenchReport.Execution("2026-11-20T13:00:00Z", 1, "bin/bench fanout", 0, true, List.of()),
                new BenchVerdict(BenchVerdict.Level.GREEN, "kept up", "", List.of()),
                null,
                new BenchReport.Setup(Map.of(), Map.of(), Map.of()),
                List.of(run),
                List.of());
    }

    private static ProcessSnapshot snapshot(long atMillis) {
        return new ProcessSnapshot(atMillis, null, Map.of(), null, null, null);
    }
}
