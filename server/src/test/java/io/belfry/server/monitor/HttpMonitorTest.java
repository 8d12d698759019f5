package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.protocol.Code;
import io.belfry.server.config.ListenAddress;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.counter.SlowSession;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpMonitorTest {
    /** Matches a sample of the text format: name, labels and value. */
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*(?:\\{(?:[a-zA-Z_]\\w*=\"(?:[^\"\\\\]|\\\\.)*\",?)*})?) (\\S+)");

    private final Counters counters = new Counters(2);
    private final Fixtures.SwitchedHealth health = new Fixtures.SwitchedHealth();
    private final HttpClient client = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();

    @TempDir
    Path folder;

    private Monitor monitor;

    @BeforeEach
    void start() throws IOException {
        counters.loop(0).add(Counter.SESSIONS_OPENED, 7);
        counters.loop(1).add(Counter.MESSAGES_OUT, 1_234);
        counters.loop(1).add(Counter.QUEUED_BYTES, 99);
        counters.loop(0).refused(Code.PUBLISH_DENIED);
        counters.loop(1).closed(Code.SLOW_CONSUMER);
        counters.loop(1).dropped(Code.HISTORY_GONE, 5);
        counters.loop(0).conflated(Code.SLOW_CONSUMER, 6);
        counters.loop(0).deliveryLatency().record(2_000, 10);
        counters.loop(1)
                .slowest(List.of(new SlowSession(
                        "node-a-1-2-3",
                        "192.0.2.1",
                        SlowSession.State.TOO_SLOW,
                        "drop",
                        1_000,
                        3,
                        2,
                        77,
                        1_700_000_000_000L)));
        monitor = Monitor.start(Fixtures.http(), Fixtures.LOG, Fixtures.monitored(counters, health), folder);
    }

    @AfterEach
    void close() {
        client.close();
        monitor.close();
    }

    @Test
    void metricsArePrometheusTextWithHelp() throws Exception {
        HttpResponse<String> response = get("/metrics");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("text/plain; version=0.0.4; charset=utf-8");
        Map<String, Double> samples = samples(response.body());
        assertThat(samples)
                .containsEntry("belfry_sessions_connected", 7.0)
                .containsEntry("belfry_messages_out_total", 1_234.0)
                .containsEntry("belfry_queued_bytes", 99.0)
                .containsEntry("belfry_workgroup_messages_out_total{workgroup=\"0\"}", 0.0)
                .containsEntry("belfry_workgroup_messages_out_total{workgroup=\"1\"}", 1_234.0)
                .containsEntry("belfry_refusals_total{code=\"publish-denied\"}", 1.0)
                .containsEntry("belfry_refusals_total{code=\"internal\"}", 0.0)
                .containsEntry("belfry_closes_total{code=\"slow-consumer\"}", 1.0)
                .containsEntry("belfry_messages_dropped_total{code=\"history-gone\"}", 5.0)
                .containsEntry("belfry_messages_dropped_total{code=\"slow-consumer\"}", 0.0)
                .containsEntry("belfry_messages_conflated_total{code=\"slow-consumer\"}", 6.0)
                .doesNotContainKey("belfry_messages_dropped_total")
                .containsEntry("belfry_build{node=\"node-a\",version=\"1.2.3\"}", 1.0)
                .containsKeys("process_uptime_seconds", "jvm_threads_live_threads", "process_cpu_usage")
                .containsKey("belfry_delivery_latency_seconds_bucket{le=\"+Inf\"}");
        assertThat(response.body())
                .contains("# HELP belfry_messages_out_total Messages handed to sessions' sockets.")
                .contains("# TYPE belfry_delivery_latency_seconds histogram");
    }

    @Test
    void pagesOfOtherOriginsAreRefusedDespiteTheRightPassword() throws Exception {
        String own = "http://127.0.0.1:" + monitor.httpPort().orElseThrow();

        assertThat(withOrigin("http://evil.example").statusCode()).isEqualTo(403);
        assertThat(withOrigin("http://evil.example").body()).contains("\"origin-denied\"");
        assertThat(withOrigin("null").statusCode()).isEqualTo(403);
        assertThat(withOrigin("https://127.0.0.1:" + monitor.httpPort().orElseThrow())
                        .statusCode())
                .isEqualTo(403);
        assertThat(withOrigin("http://127.0.0.1").statusCode()).isEqualTo(403);
        assertThat(withOrigin(own).statusCode()).isEqualTo(200);
        assertThat(withOrigin(own).headers().map()).doesNotContainKey("access-control-allow-origin");
    }

    @Test
    void withoutAuthenticationARebindingPageIsRefused() throws IOException {
        assertThat(statusFor("rebound.example", "/stats"))
                .as("the browser sends no password under this name")
                .isEqualTo(401);
        monitor.close();
        monitor = Monitor.start(
                Fixtures.http(Fixtures.LOOPBACK, false, true),
                Fixtures.LOG,
                Fixtures.monitored(counters, health),
                folder);

        for (String page : List.of("/stats", "/metrics")) {
            assertThat(statusFor("rebound.example", page)).isEqualTo(403);
            assertThat(statusFor("127.0.0.1.rebound.example:4000", page)).isEqualTo(403);
            for (String own : List.of("127.0.0.1:4000", "localhost", "[::1]:4000")) {
                assertThat(statusFor(own, page)).as(own).isEqualTo(200);
                assertThat(statusFor(own, "http://" + own + page)).as(own).isEqualTo(200);
                assertThat(statusFor(own, "http://rebound.example" + page))
                        .as("an absolute target overrides the Host field")
                        .isEqualTo(403);
            }
        }
        assertThat(statusFor("rebound.example", "/health/live")).isEqualTo(200);
    }

    private int statusFor(String host, String page) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), monitor.httpPort().orElseThrow())) {
            String head = "GET " + page + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.split(" ", 3)[1]);
        }
    }

    private HttpResponse<String> withOrigin(String origin) throws Exception {
        return send(request("/stats").header("Origin", origin));
    }

    @Test
    void latencyIsAHistogramInSecondsAndQuantilesOfTheLastMinute() throws Exception {
        Sampler sampler = new Sampler(counters, Fixtures.monitored(counters).workgroups(), System::nanoTime);
        counters.loop(0).deliveryLatency().record(2_000, 10);
        sampler.sample();
        LatencyBuckets buckets = sampler.latest().latencyBuckets();

        assertThat(buckets.count()).isEqualTo(10);
        assertThat(new LatencyCollector(sampler).collect().getDataPoints()).hasSize(1);
        assertThat(samples(get("/metrics").body()))
                .containsKey("belfry_delivery_latency_recent_seconds{quantile=\"0.99\"}")
                .containsKey("belfry_workgroup_loop_lag_recent_seconds{workgroup=\"1\",quantile=\"1.0\"}");
    }

    @Test
    void openMetricsIsServedOnRequest() throws Exception {
        HttpResponse<String> response = client.send(
                request("/metrics")
                        .header("Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
                        .build(),
                BodyHandlers.ofString());

        assertThat(response.headers().firstValue("Content-Type").orElseThrow())
                .startsWith("application/openmetrics-text");
        assertThat(response.body()).endsWith("# EOF\n");
    }

    @Test
    void statsAreOneJsonObject() throws Exception {
        JsonNode stats = json.readTree(get("/stats").body());

        assertThat(stats.get("version").textValue()).isEqualTo("1.2.3");
        assertThat(stats.get("node").textValue()).isEqualTo("node-a");
        assertThat(stats.get("connectedSessions").longValue()).isEqualTo(7);
        assertThat(stats.at("/counters/messagesOut").longValue()).isEqualTo(1_234);
        assertThat(stats.at("/refusals/publish-denied").longValue()).isEqualTo(1);
        assertThat(stats.at("/closes").size()).isEqualTo(1);
        assertThat(stats.at("/drops/history-gone").longValue()).isEqualTo(5);
        assertThat(stats.at("/conflations/slow-consumer").longValue()).isEqualTo(6);
        assertThat(stats.at("/counters/messagesDropped").longValue()).isEqualTo(5);
        assertThat(stats.at("/latencyMicros/p99").isNumber()).isTrue();
        assertThat(stats.at("/workgroups/1/counters/queuedBytes").longValue()).isEqualTo(99);
        assertThat(stats.at("/workgroups/0/loopLagMicros/max").isNumber()).isTrue();
        assertThat(stats.at("/perSecond/publishesIn").isNumber()).isTrue();
        assertThat(stats.at("/heapBytes/used").longValue()).isPositive();
        assertThat(stats.get("slowest")).hasToString("""
                [{"session":"node-a-1-2-3","address":"192.0.2.1","state":"too-slow","policy":"drop","behindBytes":1000,"behindMessages":3,\
                "subjects":2,"queuedBytes":77,"sinceMillis":1700000000000}]""");
    }

    @Test
    void aMissingOrWrongPasswordIsAnsweredWithAChallenge() throws Exception {
        for (String path : List.of("/metrics", "/stats")) {
            HttpResponse<String> none = send(bare(path));
            assertThat(none.statusCode()).isEqualTo(401);
            assertThat(none.headers().firstValue("WWW-Authenticate"))
                    .hasValue("Basic realm=\"belfry\", charset=\"UTF-8\"");
            assertThat(json.readTree(none.body()).get("code").textValue()).isEqualTo("unauthorized");
        }
        for (String wrong : List.of(
                basic(Fixtures.USER, "guess"),
                basic("root", Fixtures.PASSWORD),
                basic("", ""),
                "Basic !!!",
                "Basic",
                "Bearer " + Fixtures.PASSWORD)) {
            assertThat(send(bare("/stats").header("Authorization", wrong)).statusCode())
                    .isEqualTo(401);
        }
    }

    @Test
    void wrongPasswordsAreCounted() throws Exception {
        send(bare("/stats"));
        send(bare("/stats").header("Authorization", basic(Fixtures.USER, "guess")));

        assertThat(samples(get("/metrics").body())).containsEntry("belfry_monitor_denied_total", 1.0);
    }

    @Test
    void healthNeedsNoPasswordAndReturnsTheReason() throws Exception {
        assertThat(send(bare("/health/ready")).statusCode()).isEqualTo(200);
        health.draining = true;

        HttpResponse<String> ready = send(bare("/health/ready"));

        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(json.readTree(ready.body()).get("code").textValue()).isEqualTo("drain");
        assertThat(json.readTree(ready.body()).get("reason").textValue()).isEqualTo("The server is being drained.");
        assertThat(send(bare("/health/live")).statusCode()).isEqualTo(200);
    }

    @Test
    void readinessReportsWarnings() throws Exception {
        assertThat(send(bare("/health/ready")).body()).isEqualTo("{\"status\":\"ok\"}");
        health.warning = Optional.of("history cannot write to disk");

        HttpResponse<String> ready = send(bare("/health/ready"));

        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.body()).isEqualTo("{\"status\":\"ok\",\"warning\":\"history cannot write to disk\"}");
    }

    @Test
    void otherPathsAndMethodsAreRefusedInJson() throws Exception {
        HttpResponse<String> missing = get("/nothing/here");
        HttpResponse<String> posted = send(request("/stats").POST(BodyPublishers.ofString("x")));

        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(json.readTree(missing.body()).get("code").textValue()).isEqualTo("not-found");
        assertThat(posted.statusCode()).isEqualTo(405);
        assertThat(posted.headers().firstValue("Allow")).hasValue("GET, HEAD");
        assertThat(json.readTree(posted.body()).get("code").textValue()).isEqualTo("method-not-allowed");
        assertThat(get("/stats/../metrics/").statusCode()).isEqualTo(404);
    }

    @Test
    void aResponseToHeadHasNoBody() throws Exception {
        HttpResponse<String> head = send(request("/stats").method("HEAD", BodyPublishers.noBody()));

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValueAsLong("Content-Length").orElseThrow())
                .isPositive();
        assertThat(head.body()).isEmpty();
    }

    @Test
    void everyResponseHasTheSecurityHeaders() throws Exception {
        for (String path : List.of("/stats", "/health/live", "/nothing")) {
            assertThat(get(path).headers().map())
                    .containsEntry("x-content-type-options", List.of("nosniff"))
                    .containsEntry("x-frame-options", List.of("DENY"))
                    .containsEntry("cache-control", List.of("no-store"))
                    .containsKey("content-security-policy");
        }
    }

    @Test
    void aFailedPageIsAnsweredWithoutAStackTrace() throws Exception {
        Health broken = () -> {
            throw new IllegalStateException("secret detail");
        };
        try (Monitor faulty =
                Monitor.start(Fixtures.http(), Fixtures.LOG, Fixtures.monitored(counters, broken), folder)) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(uri(faulty, "/health/ready")).build(), BodyHandlers.ofString());

            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body()).contains("\"internal\"").doesNotContain("secret", "Exception");
        }
    }

    @Test
    void aPortInUseIsReportedByNumber() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var config = Fixtures.http(new ListenAddress("127.0.0.1", taken.getLocalPort()), true, false);

            assertThatThrownBy(() -> Monitor.start(config, Fixtures.LOG, Fixtures.monitored(counters), folder))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("MonitorHTTP.Listen")
                    .hasMessageContaining(Integer.toString(taken.getLocalPort()));
        }
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return bare(path).header("Authorization", basic(Fixtures.USER, Fixtures.PASSWORD));
    }

    private HttpRequest.Builder bare(String path) {
        return HttpRequest.newBuilder(uri(monitor, path));
    }

    private static URI uri(Monitor monitor, String path) {
        return URI.create("http://127.0.0.1:" + monitor.httpPort().orElseThrow() + path);
    }

    private static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** Parses every line; fails the test if a line is neither a comment nor a sample. */
    private static Map<String, Double> samples(String text) {
        Map<String, Double> samples = new TreeMap<>();
        for (String line : text.lines().toList()) {
            if (line.startsWith("# HELP ") || line.startsWith("# TYPE ")) {
                continue;
            }
            Matcher sample = SAMPLE.matcher(line);
            assertThat(sample.matches()).as(line).isTrue();
            String value = sample.group(2).replace("+Inf", "Infinity");
            assertThat(samples.put(sample.group(1), Double.valueOf(value)))
                    .as(line)
                    .isNull();
        }
        return samples;
    }
}
