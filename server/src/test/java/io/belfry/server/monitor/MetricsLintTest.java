package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.testsupport.RequiredPrograms;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Checks {@code /metrics} with the rules of Prometheus' linter. */
class MetricsLintTest {
    @Test
    void metricsFollowTheRulesOfPrometheus() {
        assertThat(MetricsLint.problems(scrape())).isEmpty();
    }

    @Test
    void promtoolAcceptsTheMetrics() throws Exception {
        String promtool = RequiredPrograms.require(
                "Debian: apt install prometheus; without it, only MetricsLint checked /metrics", "promtool");
        Process linter = new ProcessBuilder(promtool, "check", "metrics")
                .redirectErrorStream(true)
                .start();
        try (OutputStream page = linter.getOutputStream()) {
            page.write(scrape().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(new String(linter.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(linter.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(linter.exitValue()).isZero();
    }

    @Test
    void theRulesFindTheProblemsThatPromtoolReported() {
        assertThat(MetricsLint.problems("""
                # HELP belfry_latency_recent_seconds Latency.
                # TYPE belfry_latency_recent_seconds gauge
                belfry_latency_recent_seconds{quantile="0.99"} 0.1
                # HELP process_cpu_time_ns_total CPU time.
                # TYPE process_cpu_time_ns_total counter
                process_cpu_time_ns_total 1.0
                # HELP system_cpu_count Processors.
                # TYPE system_cpu_count gauge
                system_cpu_count 2.0
                # TYPE belfry_messages counter
                belfry_messages 2.0
                """))
                .containsExactly(
                        "belfry_latency_recent_seconds: only summaries have the label quantile",
                        "belfry_messages: counters, and they alone, end with _total",
                        "belfry_messages: no help",
                        "process_cpu_time_ns_total: an abbreviated unit",
                        "system_cpu_count: a suffix of histograms and summaries");
    }

    @Test
    void recentPercentilesKeepTheirNamesAndLabels() {
        assertThat(scrape())
                .contains(
                        "# TYPE belfry_delivery_latency_recent_seconds summary\n",
                        "belfry_delivery_latency_recent_seconds{quantile=\"0.99\"} ",
                        "belfry_workgroup_loop_lag_recent_seconds{workgroup=\"1\",quantile=\"0.99\"} ",
                        "# TYPE process_cpu_seconds_total counter\n",
                        "# TYPE system_cpus gauge\n");
    }

    private static String scrape() {
        Counters counters = new Counters(2);
        counters.loop(0).add(Counter.MESSAGES_OUT, 10);
        counters.loop(0).deliveryLatency().record(2_000, 10);
        return MonitoringDocTest.scrape(counters);
    }
}
