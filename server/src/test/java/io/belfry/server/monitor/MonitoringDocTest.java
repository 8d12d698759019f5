package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counters;
import io.belfry.server.trace.Tracer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the tables of docs/monitoring.md match the code, row by row. */
class MonitoringDocTest {
    private static final Path DOC = Path.of("..", "docs", "monitoring.md");
    private static final Encryption ENCRYPTION = new Encryption("jdk", () -> Instant.EPOCH);
    private static final Tracer TRACER = new Tracer(0, 1, () -> 0, () -> 0);
    private static final OtlpExport EXPORT = new OtlpExport() {
        @Override
        public MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }

        @Override
        public Tracer tracer() {
            return TRACER;
        }

        @Override
        public long failures() {
            return 0;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };
    private static final Pattern HELP = Pattern.compile("# HELP (belfry_\\S+) (.*)\n# TYPE \\S+ (\\S+)");

    @Test
    void theServersAttributesAreDocumented() throws Exception {
        assertThat(table("io.belfry:type=Server")).containsExactlyElementsOf(rows(ServerMXBean.class));
    }

    @Test
    void theWorkgroupsAttributesAreDocumented() throws Exception {
        assertThat(table("io.belfry:type=Workgroup")).containsExactlyElementsOf(rows(WorkgroupMXBean.class));
    }

    @Test
    void everyMetricIsDocumented() throws Exception {
        assertThat(table("/metrics")).containsExactlyElementsOf(metricRows());
    }

    static List<String> rows(Class<?> bean) {
        return Stream.of(bean.getMethods())
                .sorted(Comparator.comparing(Method::getName))
                .map(MonitoringDocTest::row)
                .toList();
    }

    /** Returns the metrics of a scrape, with the units that the code defines beside the names. */
    static List<String> metricRows() {
        Map<String, String> unitBySentence = Metric.all().stream()
                .collect(Collectors.toMap(Metric::sentence, Metric::unit, (first, second) -> first));
        return HELP.matcher(scrape(new Counters(2)))
                .results()
                .map(help -> "| `" + help.group(1) + (help.group(3).equals("counter") ? "_total" : "") + "` | "
                        + help.group(3) + " | " + unit(unitBySentence, help) + " | " + help.group(2) + " |")
                .map(row -> row.replace("_total_total", "_total"))
                .sorted()
                .toList();
    }

    private static String unit(Map<String, String> unitBySentence, MatchResult help) {
        return Objects.requireNonNull(unitBySentence.get(help.group(2)), help.group(2));
    }

    /** Returns the metrics page of a server in a cluster with TLS and traces, which shows all metrics. */
    static String scrape(Counters counters) {
        Monitored monitored = Fixtures.monitored(counters, new Fixtures.SwitchedHealth(), ENCRYPTION);
        Sampler sampler = new Sampler(counters, monitored.workgroups(), System::nanoTime);
        PrometheusMeterRegistry registry = PrometheusMeters.registry(sampler);
        try (Meters meters = new Meters(registry, sampler)) {
            meters.register(monitored, () -> 0);
            Meters.registerExport(registry, EXPORT);
            return registry.scrape();
        }
    }

    private static String row(Method getter) {
        Figure figure = Objects.requireNonNull(getter.getAnnotation(Figure.class), getter.getName());
        return "| `" + getter.getName().substring("get".length()) + "` | " + figure.unit() + " | " + figure.value()
                + " |";
    }

    /** Returns the table under the heading with this text. */
    private static List<String> table(String heading) throws Exception {
        return Files.readAllLines(DOC).stream()
                .dropWhile(line -> !(line.startsWith("#") && line.contains(heading)))
                .skip(1)
                .takeWhile(line -> !line.startsWith("#"))
                .filter(line -> line.startsWith("| `"))
                .toList();
    }
}
