package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the export of metrics and spans, with a receiver in this JVM that decodes OTLP. No real collector takes part: its
 * formats are those of the protobuf classes, and its failures are easier to produce here.
 */
final class OtlpTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String CALLER = "00f067aa0ba902b7";
    private static final String TRACEPARENT = "traceparent: 00-" + TRACE + "-" + CALLER + "-01";
    private static final String ALL = "{\"all\":[\"/**\"]}";

    private static TestServer start(String endpoint, String... more) {
        return TestServer.start(Stream.concat(
                        Stream.of(
                                "Otlp.Endpoint=" + endpoint,
                                "Monitor=HTTP",
                                "MonitorHTTP.Listen=127.0.0.1:0",
                                "MonitorHTTP.Authentication=false"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    private static int publish(TestServer server, String... headers) {
        try (Http http = Http.to(server.port())) {
            return http.post("/publish?subject=/a", "hello", headers).status();
        }
    }

    // ---- metrics ----

    /** Returns the samples of the server's own metrics on {@code /metrics}, with the names and labels as on the page. */
    private static Map<String, Double> page(TestServer server) {
        Map<String, Double> samples = new TreeMap<>();
        try (Http http = Http.to(server.monitorHttpPort())) {
            for (String line : http.get("/metrics").body().split("\n", -1)) {
                // The histogram of latencies is for Prometheus only.
                if (line.startsWith("belfry_") && !line.startsWith("belfry_delivery_latency_seconds")) {
                    int space = line.lastIndexOf(' ');
                    samples.put(sorted(line.substring(0, space)), Double.parseDouble(line.substring(space + 1)));
                }
            }
        }
        samples.keySet().removeIf(name -> name.contains("_recent_seconds_"));
        return samples;
    }

    private static String sorted(String sample) {
        int brace = sample.indexOf('{');
        return brace < 0
                ? sample
                : Stream.of(sample.substring(brace + 1, sample.length() - 1).split(",", -1))
                        .sorted()
                        .collect(Collectors.joining(",", sample.substring(0, brace) + "{", "}"));
    }

    /** Returns the same samples from an export, with the names and labels as Prometheus writes them. */
    private static Map<String, Double> exported(ExportMetricsServiceRequest request) {
        Map<String, Double> samples = new TreeMap<>();
        for (Metric metric : OtlpReceiver.metricsOf(request)) {
            if (metric.getName().startsWith("belfry.")) {
                String base = metric.getName().replace('.', '_');
                String name = metric.hasSum() ? base + "_total" : base.endsWith("_recent") ? base + "_seconds" : base;
                for (NumberDataPoint point : metric.hasSum()
                        ? metric.getSum().getDataPointsList()
                        : metric.getGauge().getDataPointsList()) {
                    samples.put(name + labels(point), point.getAsDouble());
                }
            }
        }
        return samples;
    }

    private static String labels(NumberDataPoint point) {
        return point.getAttributesCount() == 0
                ? ""
                : point.getAttributesList().stream()
                        .sorted((a, b) -> a.getKey().compareTo(b.getKey()))
                        .map(label -> label.getKey() + "=\""
                                + (label.getKey().equals("quantile")
                                        ? Double.toString(Double.parseDouble(
                                                label.getValue().getStringValue()))
                                        : label.getValue().getStringValue())
                                + "\"")
                        .collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    void exportedMetricsHaveTheNamesAndValuesOfThePage() {
        try (OtlpReceiver receiver = OtlpReceiver.open();
                TestServer server = start(
                        receiver.endpoint(),
                        "Otlp.Interval=1s",
                        "Otlp.headers.authorization=Bearer of-the-test",
                        "NodeName=node-a")) {
            for (int message = 0; message < 7; message++) {
                assertThat(publish(server)).isEqualTo(200);
            }
            Await.until(
                    "all messages are exported",
                    () -> receiver.metrics.stream()
                            .anyMatch(
                                    request -> exported(request).getOrDefault("belfry_publishes_in_total", 0.0) == 7));
            Map<String, Double> before = page(server);
            int had = receiver.metrics.size();
            Await.until("two more exports", () -> receiver.metrics.size() >= had + 2);
            Map<String, Double> export = exported(receiver.metrics.get(had + 1));
            Map<String, Double> after = page(server);
            assertThat(export.keySet()).isEqualTo(new TreeSet<>(after.keySet()));
            // Some values change meanwhile, such as those of the last minute and of the page's own connections.
            Map<String, Double> settled = new TreeMap<>(after);
            settled.entrySet().removeIf(sample -> !sample.getValue().equals(before.get(sample.getKey())));
            assertThat(settled).hasSizeGreaterThan(100).containsEntry("belfry_publishes_in_total", 7.0);
            Map<String, Double> compared = new TreeMap<>(export);
            compared.keySet().retainAll(settled.keySet());
            assertThat(compared).isEqualTo(settled);
            assertThat(unitOf(receiver, "belfry.bytes.in")).isEqualTo("By");
            assertThat(unitOf(receiver, "belfry.publishes.in")).isEqualTo("{messages}");
            assertThat(unitOf(receiver, "belfry.history.write.micros")).isEqualTo("us");
            assertThat(unitOf(receiver, "belfry.ready")).isEmpty();
            assertThat(unitOf(receiver, "jvm.memory.used")).isEqualTo("By");
            assertThat(receiver.headers.getFirst().getFirst("Authorization")).isEqualTo("Bearer of-the-test");
            assertThat(receiver.headers.getFirst().getFirst("Content-Type")).isEqualTo("application/x-protobuf");
            assertThat(resource(receiver.metrics
                            .getFirst()
                            .getResourceMetrics(0)
                            .getResource()
                            .getAttributesList()))
                    .containsEntry("service.name", "belfry")
                    .containsEntry("service.instance.id", "node-a");
            assertThat(server.logText()).doesNotContain("of-the-test").doesNotContain("WARN ");
        }
    }

    private static String unitOf(OtlpReceiver receiver, String name) {
        return OtlpReceiver.metricsOf(receiver.metrics.getLast()).stream()
                .filter(metric -> metric.getName().equals(name))
                .map(Metric::getUnit)
                .findFirst()
                .orElse("missing");
    }

    private static Map<String, String> resource(List<KeyValue> attributes) {
        return attributes.stream()
                .collect(Collectors.toMap(
                        KeyValue::getKey, attribute -> attribute.getValue().getStringValue()));
    }

    // ---- spans ----

    private static Span only(OtlpReceiver receiver, String name) {
        Await.until(
                "span " + name,
                () -> receiver.spans().stream().anyMatch(span -> span.getName().equals(name)));
        List<Span> found = receiver.spans().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    private static String hex(com.google.protobuf.ByteString id) {
        return HexFormat.of().formatHex(id.toByteArray());
    }

    private static void isWithin(Span child, Span parent) {
        assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
        assertThat(hex(child.getTraceId())).isEqualTo(TRACE);
        assertThat(child.getEndTimeUnixNano()).isGreaterThanOrEqualTo(child.getStartTimeUnixNano());
        assertThat(child.getStartTimeUnixNano()).isGreaterThanOrEqualTo(parent.getStartTimeUnixNano());
    }

    @Test
    void aTracedPublishHasSpansForTheTokenAndTheDisk() throws IOException {
        Jwts keys = new Jwts();
        try (OtlpReceiver receiver = OtlpReceiver.open();
                TestServer server = start(
                        receiver.endpoint(),
                        "History=disk",
                        "History.Folder=" + Files.createTempDirectory(TestMachine.target(), "traced"),
                        "Entitlement=JWT",
                        "Jwt.PublicKey=" + Jwts.file(keys.pem()))) {
            String token = "Authorization: Bearer " + keys.es256(Jwts.claims(60, ALL));
            long before = System.currentTimeMillis();
            assertThat(publish(server, token, TRACEPARENT)).isEqualTo(200);
            Span call = only(receiver, "POST /publish");
            assertThat(hex(call.getTraceId())).isEqualTo(TRACE);
            assertThat(hex(call.getParentSpanId())).isEqualTo(CALLER);
            assertThat(call.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
            assertThat(call.getStartTimeUnixNano() / 1_000_000).isBetween(before - 5, System.currentTimeMillis());
            assertThat(call.getAttributesList().stream()
                            .filter(each -> each.getKey().equals("http.response.status_code"))
                            .map(each -> each.getValue().getIntValue()))
                    .containsExactly(200L);
            Span decision = only(receiver, "entitlement decision");
            Span write = only(receiver, "history write");
            isWithin(decision, call);
            isWithin(write, call);
            assertThat(write.getStartTimeUnixNano()).isGreaterThanOrEqualTo(decision.getEndTimeUnixNano());
            assertThat(call.getEndTimeUnixNano()).isGreaterThanOrEqualTo(write.getEndTimeUnixNano());
            assertThat(receiver.spans()).hasSize(3);
        }
    }

    @Test
    void publishesThroughEveryLaneAreTraced() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.open();
                TestServer server = start(
                        receiver.endpoint(),
                        "History=disk",
                        "History.Folder=" + Files.createTempDirectory(TestMachine.target(), "traced"));
                Http http = Http.to(server.port())) {
            // One connection has one lane; its subjects have both.
            for (int subject = 0; subject < 20; subject++) {
                assertThat(http.post("/publish?subject=/lanes/" + subject, "x", TRACEPARENT)
                                .status())
                        .isEqualTo(200);
                assertThat(http.post("/publish?subject=/lanes/" + subject, "x").status())
                        .isEqualTo(200);
            }
            Await.until("all spans", () -> receiver.spans().size() >= 40);
            List<Span> calls = named(receiver, "POST /publish");
            assertThat(calls).hasSize(20);
            assertThat(named(receiver, "history write").stream().map(Span::getParentSpanId))
                    .containsExactlyInAnyOrderElementsOf(
                            calls.stream().map(Span::getSpanId).toList());
        }
    }

    private static List<Span> named(OtlpReceiver receiver, String name) {
        return receiver.spans().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    @Test
    void callsWithoutASampledTraceHaveNoSpans() {
        try (OtlpReceiver receiver = OtlpReceiver.open();
                TestServer server = start(receiver.endpoint());
                Http http = Http.to(server.port())) {
            String unsampled = TRACEPARENT.substring(0, TRACEPARENT.length() - 1) + "0";
            List<String[]> untraced = new ArrayList<>(List.of(
                    new String[0],
                    new String[] {unsampled},
                    new String[] {TRACEPARENT + "-x"},
                    new String[] {TRACEPARENT, TRACEPARENT},
                    new String[] {"traceparent: %n${jndi:x}\u001b[31m"}));
            for (String[] headers : untraced.subList(0, 4)) {
                assertThat(http.post("/publish?subject=/a", "x", headers).status())
                        .isEqualTo(200);
            }
            assertThat(http.get("/history?subject=/a", "traceparent: ${x}").status())
                    .isEqualTo(200);
            assertThat(http.get("/health/live", TRACEPARENT).status()).isEqualTo(200);
            assertThat(http.get("/history?subject=/a", TRACEPARENT).status()).isEqualTo(200);
            assertThat(http.get("/history", TRACEPARENT).status()).isEqualTo(400);
            Await.until("the traced calls", () -> receiver.spans().size() >= 2);
            assertThat(receiver.spans())
                    .hasSize(2)
                    .allMatch(span -> span.getName().equals("GET /history"));
            assertThat(attribute(receiver.spans().get(1), "error.type")).isEqualTo("bad-request");
            assertThat(server.logText()).doesNotContain("${x}");
        }
    }

    private static String attribute(Span span, String name) {
        return span.getAttributesList().stream()
                .filter(each -> each.getKey().equals(name))
                .map(each -> each.getValue().getStringValue())
                .findFirst()
                .orElse("missing");
    }

    @Test
    void aSampleOfTheOtherCallsBeginsTracesOfItsOwn() {
        try (OtlpReceiver receiver = OtlpReceiver.open();
                TestServer server = start(receiver.endpoint(), "Otlp.TraceRatio=1")) {
            assertThat(publish(server)).isEqualTo(200);
            Span call = only(receiver, "POST /publish");
            assertThat(call.getParentSpanId().isEmpty()).isTrue();
            assertThat(call.getTraceId().size()).isEqualTo(16);
        }
    }

    @Test
    void tracesCanBeSwitchedOff() {
        try (OtlpReceiver receiver = OtlpReceiver.open();
                TestServer server = start(receiver.endpoint(), "Otlp.Traces=false", "Otlp.Interval=1s")) {
            assertThat(publish(server, TRACEPARENT)).isEqualTo(200);
            Await.until("an export of metrics", () -> receiver.metrics.size() >= 2);
            assertThat(receiver.traces).isEmpty();
        }
    }

    // ---- receivers that fail ----

    private static double sample(TestServer server, String name) {
        return page(server).getOrDefault(name, -1.0);
    }

    @ParameterizedTest
    @EnumSource(
            value = OtlpReceiver.Behaviour.class,
            names = {"FAILS", "HANGS"})
    void aReceiverThatFailsDisturbsNothing(OtlpReceiver.Behaviour behaviour) {
        try (OtlpReceiver receiver = OtlpReceiver.open()) {
            receiver.behaviour = behaviour;
            long stopped;
            TestServer closed;
            try (TestServer server =
                    start(receiver.endpoint(), "Otlp.Interval=1s", "Otlp.SpansWaiting=50", "Otlp.TraceRatio=1")) {
                publishesAreAnsweredAndSpansDropped(server);
                if (behaviour == OtlpReceiver.Behaviour.FAILS) {
                    recovers(server, receiver);
                }
                stopped = System.nanoTime();
                closed = server;
            }
            assertThat(System.nanoTime() - stopped).isLessThan(5_000_000_000L);
            assertThat(closed.logText().lines().filter(line -> line.startsWith("WARN ")))
                    .hasSizeLessThanOrEqualTo(1);
        }
    }

    private static void recovers(TestServer server, OtlpReceiver receiver) {
        Await.until("several failures", () -> sample(server, "belfry_otlp_failures_total") >= 3);
        assertThat(linesOf(server)).hasSize(1).first().asString().contains("status 500");
        // The last spans wait for up to half a second, and a full queue would drop the next one.
        Await.until("an empty queue", () -> sample(server, "belfry_trace_spans_dropped_total") == 400);
        receiver.behaviour = OtlpReceiver.Behaviour.ACCEPTS;
        assertThat(publish(server, TRACEPARENT)).isEqualTo(200);
        Await.until(
                "a span after the failure",
                () -> receiver.spans().stream()
                        .anyMatch(span -> hex(span.getTraceId()).equals(TRACE)));
    }

    @Test
    void aReceiverThatIsDownDisturbsNothing() {
        String endpoint;
        try (OtlpReceiver receiver = OtlpReceiver.open()) {
            endpoint = receiver.endpoint();
        }
        try (TestServer server = start(endpoint, "Otlp.Interval=1s", "Otlp.SpansWaiting=50", "Otlp.TraceRatio=1")) {
            publishesAreAnsweredAndSpansDropped(server);
            Await.until("several failures", () -> sample(server, "belfry_otlp_failures_total") >= 3);
            assertThat(linesOf(server)).hasSize(1).first().asString().contains("ConnectException");
        }
    }

    private static void publishesAreAnsweredAndSpansDropped(TestServer server) {
        try (Http http = Http.to(server.port())) {
            for (int message = 0; message < 400; message++) {
                assertThat(http.post("/publish?subject=/a", "x").status()).isEqualTo(200);
            }
        }
        Await.until(
                "400 spans, most of them dropped",
                () -> sample(server, "belfry_trace_spans_total") == 400
                        && sample(server, "belfry_trace_spans_dropped_total") >= 250);
    }

    private static List<String> linesOf(TestServer server) {
        return server.logText()
                .lines()
                .filter(line -> line.contains("OTLP export"))
                .toList();
    }
}
