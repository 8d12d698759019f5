package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.alert.AlertRule;
import io.belfry.server.counter.Counters;
import io.belfry.testsupport.RequiredPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the Prometheus rules, the Grafana board and the table of alerts; with {@code -Dbelfry.generate=true} it writes them. */
class PrometheusFilesTest {
    private static final Path ROOT = Path.of("..");
    private static final Path DOC = ROOT.resolve("docs/monitoring.md");
    private static final Pattern METRIC = Pattern.compile("\\b(?:belfry|jvm|process)_[a-z_]+\\b(?!:)");
    private static final String PROMTOOL = "Debian: apt install prometheus";
    private static final String COMMAND =
            "mvn -pl server -am test -Dtest=PrometheusFilesTest -Dsurefire.failIfNoSpecifiedTests=false -Dbelfry.generate=true";

    @TempDir
    private Path folder;

    @Test
    void theGeneratedFilesAreUpToDate() throws IOException {
        requireUpToDate("config/prometheus/belfry.rules.yml", PrometheusFiles.rules());
        requireUpToDate("config/grafana/belfry.json", GrafanaBoard.json());
    }

    private static void requireUpToDate(String file, String text) throws IOException {
        Path path = ROOT.resolve(file);
        if (Boolean.getBoolean("belfry.generate")) {
            Files.createDirectories(path.resolveSibling(""));
            Files.writeString(path, text);
        }
        assertThat(Files.exists(path) ? Files.readString(path) : "")
                .as("%s; after a change run: %s", file, COMMAND)
                .isEqualTo(text);
    }

    @Test
    void theTableOfAlertsIsUpToDate() throws IOException {
        List<String> lines = Files.readAllLines(DOC);
        List<String> rows =
                Arrays.stream(AlertRule.values()).map(PrometheusFiles::row).toList();
        int first = lines.indexOf("## What to alert on");
        int header = first;
        while (!lines.get(header).startsWith("|---")) {
            header++;
        }
        int end = header + 1;
        while (end < lines.size() && lines.get(end).startsWith("|")) {
            end++;
        }
        if (Boolean.getBoolean("belfry.generate")) {
            Files.write(
                    DOC,
                    Stream.of(lines.subList(0, header + 1), rows, lines.subList(end, lines.size()))
                            .flatMap(List::stream)
                            .toList());
            return;
        }
        assertThat(lines.subList(header + 1, end))
                .as("after a change run: %s", COMMAND)
                .isEqualTo(rows);
    }

    @Test
    void everyQueryUsesExistingMetrics() {
        String page = MonitoringDocTest.scrape(new Counters(2));
        List<String> queries = Stream.of(
                        GrafanaBoard.expressions().stream(),
                        PrometheusFiles.RECORDED.values().stream(),
                        Arrays.stream(AlertRule.values()).map(rule -> rule.expression()))
                .flatMap(each -> each)
                .toList();
        assertThat(queries).hasSizeGreaterThan(60);
        assertThat(queries)
                .flatExtracting(query ->
                        METRIC.matcher(query).results().map(MatchResult::group).toList())
                .allMatch(metric -> page.contains("\n" + metric));
    }

    @Test
    void titlesAreUnique() {
        assertThat(GrafanaBoard.titles()).doesNotHaveDuplicates();
    }

    @Test
    void promtoolAcceptsTheRulesAndEveryQueryOfTheBoard() throws Exception {
        promtool("check", "rules", write("rules.yml", PrometheusFiles.rules()));
        String queries = GrafanaBoard.expressions().stream()
                .map(query -> query.replace("$__rate_interval", "5m").replace("$instance", ".*"))
                .map(query -> "      - record: query\n        expr: '" + query + "'\n        labels: {number: '"
                        + Integer.toHexString(query.hashCode()) + "'}\n")
                .collect(Collectors.joining("", "groups:\n  - name: board\n    rules:\n", ""));
        promtool("check", "rules", write("board.yml", queries));
    }

    @Test
    void eachAlertIsRaisedByItsSeriesAndNotByOthers() throws Exception {
        String rules = write("rules.yml", PrometheusFiles.rules());
        promtool("test", "rules", write("tests.yml", PrometheusFiles.tests(rules)));
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toAbsolutePath().toString();
    }

    private void promtool(String... arguments) throws IOException, InterruptedException {
        String program = RequiredPrograms.require(PROMTOOL, "promtool");
        Process process = new ProcessBuilder(
                        Stream.concat(Stream.of(program), Stream.of(arguments)).toList())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
