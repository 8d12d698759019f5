package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the monitoring data that another process reads while clients connect, publish and disconnect. */
final class MonitoringTest {
    private static final String PASSWORD = "a-password-of-tests";

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start(
                "Monitor=JMX, HTTP",
                "MonitorJMX.Listen=127.0.0.1:0",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorPassword=" + PASSWORD);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** The monitor shows closed sessions up to a second later, and each test counts from its own start. */
    @AfterEach
    void awaitTheEndOfAllSessions() {
        Await.until(
                "all sessions are closed",
                () -> page("/stats").json().path("connectedSessions").asInt(-1) == 0);
    }

    @SuppressWarnings("BanJNDI") // This is how a JMX client connects, and the server is ours.
    private static JMXConnector connect(String password) throws IOException {
        JMXServiceURL url =
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + server.jmxPort() + "/jmxrmi");
        return JMXConnectorFactory.connect(url, Map.of(JMXConnector.CREDENTIALS, new String[] {"admin", password}));
    }

    private static long number(MBeanServerConnection beans, String attribute) throws Exception {
        Object value = beans.getAttribute(new ObjectName("io.belfry:type=Server"), attribute);
        return ((Number) value).longValue();
    }

    @Test
    void aJmxClientSeesSessionsAndMessages() throws Exception {
        try (JMXConnector connector = connect(PASSWORD)) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            long sessions = number(beans, "ConnectedSessions");
            try (TestClient client = TestClient.open(server, WireEncoding.BINARY);
                    TestClient subscriber = TestClient.open(server, WireEncoding.JSON)) {
                subscriber.subscribe("/jmx");
                Await.until("two more sessions are counted", () -> number(beans, "ConnectedSessions") == sessions + 2);
                Await.until("publishes and deliveries are counted", () -> {
                    client.publish("/jmx", "x");
                    subscriber.data(1);
                    return number(beans, "InPublishMessagesPerSecond") > 0
                            && number(beans, "OutPublishMessagesPerSecond") > 0
                            && number(beans, "InBytesPerSecond") > 0
                            && number(beans, "LatencyP50Micros") > 0
                            && number(beans, "CachedMessages") > 0;
                });
                assertThat(number(beans, "NumberOfSubscriptions")).isEqualTo(1);
                assertThat(number(beans, "NumberOfSubjects")).isPositive();
            }
            Await.until("the two sessions are closed", () -> number(beans, "ConnectedSessions") == sessions);
            assertThat(beans.queryNames(new ObjectName("io.belfry:type=Workgroup,*"), null))
                    .hasSize(2);
            assertThat(beans.queryNames(new ObjectName("belfry:*"), null)).isNotEmpty();
        }
    }

    @Test
    void aWrongPasswordIsRefused() {
        assertThatThrownBy(() -> connect("wrong").close()).isInstanceOf(SecurityException.class);
        try (Http http = Http.to(server.monitorHttpPort())) {
            assertThat(http.get("/stats").status()).isEqualTo(401);
        }
    }

    private static Http.Answer page(String path) {
        try (Http http = Http.to(server.monitorHttpPort())) {
            return http.get(path, authorization(), "Connection: close");
        }
    }

    private static String authorization() {
        return "Authorization: Basic "
                + Base64.getEncoder().encodeToString(("admin:" + PASSWORD).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theHttpMonitorCountsErrorsByCode() {
        long before = page("/stats").json().path("refusals").path("bad-json").asLong();
        try (TestClient client = TestClient.open(server, WireEncoding.JSON)) {
            client.sendRaw(TestClient.bytes("?"));
            client.expect(Event.Failed.class);
            Await.until(
                    "the refusal is counted",
                    () -> page("/stats")
                                    .json()
                                    .path("refusals")
                                    .path("bad-json")
                                    .asLong()
                            == before + 1);
        }
        JsonNode stats = page("/stats").json();
        assertThat(stats.path("workgroups")).hasSize(2);
        String metrics = page("/metrics").body();
        assertThat(metrics)
                .contains("belfry_sessions_connected")
                .contains("belfry_refusals_total{code=\"bad-json\"}")
                .contains("belfry_delivery_latency_seconds_bucket")
                .contains("jvm_memory_used_bytes");
    }

    @Test
    void clientInputNeverBecomesALabel() {
        Set<String> before = series();
        try (TestClient client = TestClient.open(
                        server, WireEncoding.JSON, "User-Agent: marked-agent", "Origin: http://localhost");
                Http http = Http.to(server.port())) {
            client.connect("marked-token");
            client.expect(Event.Connected.class);
            client.subscribe("/marked/subject");
            client.subscribe("/marked/**");
            client.publish("/marked/subject", "marked-data");
            client.sendRaw(TestClient.bytes("{\"op\":\"marked-op\",\"id\":77}"));
            http.get("/marked/path?marked=query", "Marked-Field: marked-value", "Authorization: Bearer marked-token");
            http.post("/publish?subject=marked", "x", "Origin: http://marked.example");
            http.get("/history?subject=/marked/*");
            http.request("OPTIONS", "/marked", "");
            Await.until("the refusals are counted", () -> page("/stats").body().contains("unknown-op"));
        }
        Set<String> after = series();
        assertThat(after).isEqualTo(before);
        assertThat(page("/metrics").body()).doesNotContain("marked");
        assertThat(page("/stats").body()).doesNotContain("marked");
    }

    /** Returns every metric series of the server by name and labels. */
    private static Set<String> series() {
        return page("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("belfry_"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .collect(Collectors.toSet());
    }

    /** The monitor accepts 256 connections, and one that stays open after a failed response is closed after 30 s. */
    @Tag("complete")
    @Test
    void connectionsThatAreResetBeforeTheResponseAreClosed() {
        String request = Http.text("GET", "/metrics", "", authorization());
        for (int i = 0; i < 400; i++) {
            RawConnection connection = RawConnection.to(server.monitorHttpPort());
            connection.send(request);
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(i % 20 * 200L));
            connection.reset();
        }
        Await.until("the monitor serves requests", Duration.ofSeconds(20), MonitoringTest::isServed);
    }

    private static boolean isServed() {
        try (RawConnection connection = RawConnection.to(server.monitorHttpPort())) {
            connection.send(Http.text("GET", "/health/live", "", "Connection: close"));
            return connection.rest().startsWith("HTTP/1.1 200 ");
        } catch (UncheckedIOException refused) {
            return false;
        }
    }

    @Test
    void readinessNeedsNoPasswordAndEndsWithADrain() {
        try (TestServer draining = TestServer.start(
                        "Monitor=HTTP", "MonitorHTTP.Listen=127.0.0.1:0", "MonitorPassword=" + PASSWORD);
                Http http = Http.to(draining.monitorHttpPort());
                Http client = Http.to(draining.port())) {
            assertThat(http.get("/health/ready").status()).isEqualTo(200);
            assertThat(client.get("/health/ready").json().path("status").asText())
                    .isEqualTo("ok");
            draining.drain(60_000);
            Http.Answer answer = http.get("/health/ready");
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.code()).isEqualTo("not-ready");
            assertThat(http.get("/health/live").status()).isEqualTo(200);
            assertThat(client.get("/health/ready").status()).isEqualTo(503);
            assertThat(client.get("/health/live").status()).isEqualTo(200);
        }
    }
}
