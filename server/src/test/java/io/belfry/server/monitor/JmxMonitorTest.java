package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.protocol.Code;
import io.belfry.server.config.MonitorConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.testsupport.KeyTool;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the connector with a client in another process. */
@Tag("slow")
class JmxMonitorTest {
    private static final List<String> CONTRACT_SERVER_ATTRIBUTES = List.of(
            "ConnectedSessions",
            "SessionConnectionsPerSecond",
            "SessionDisconnectionsPerSecond",
            "InPublishMessagesPerSecond",
            "OutPublishMessagesPerSecond",
            "InBytesPerSecond",
            "OutBytesPerSecond",
            "NumberOfSubjects",
            "NumberOfSubscriptions",
            "CachedMessages",
            "CacheBytes",
            "QueuedBytes",
            "SlowSessions",
            "DroppedMessages",
            "ConflatedMessages",
            "RecoveriesComplete",
            "RecoveriesWithGap",
            "PublishesRefused",
            "LatencyP50Micros",
            "LatencyP99Micros",
            "LatencyP999Micros",
            "LatencyMaxMicros");

    private final Counters counters = new Counters(2);

    @TempDir
    Path folder;

    @Test
    void everyDocumentedAttributeIsReadFromAnotherProcess() throws Exception {
        counters.loop(0).add(Counter.SESSIONS_OPENED, 7);
        counters.loop(1).add(Counter.SLOW_SESSIONS, 2);
        counters.loop(1).closed(Code.SLOW_CONSUMER);
        counters.loop(1).dropped(Code.HISTORY_GONE, 5);
        try (Monitor monitor = start(Fixtures.jmx())) {
            List<String> lines = client("read", monitor, Fixtures.USER, Fixtures.PASSWORD);

            for (String name : CONTRACT_SERVER_ATTRIBUTES) {
                assertThat(lines).anyMatch(line -> line.startsWith("io.belfry:type=Server " + name + " = "));
            }
            assertThat(lines)
                    .anyMatch(
                            line -> line.startsWith("io.belfry:type=Server ConnectedSessions = 7 # Sessions open now."))
                    .anyMatch(line -> line.startsWith("io.belfry:type=Server Version = 1.2.3"))
                    .anyMatch(line -> line.startsWith("io.belfry:type=Server DroppedMessages = 5"))
                    .anyMatch(line -> line.startsWith("io.belfry:type=Server DroppedMessagesByCode = ")
                            && line.contains("key=history-gone, value=5}")
                            && line.contains("key=internal, value=0}"))
                    .anyMatch(line -> line.startsWith("io.belfry:type=Workgroup,name=0 ConnectedSessions = 7"))
                    .anyMatch(line -> line.startsWith("io.belfry:type=Workgroup,name=1 SlowSessions = 2"))
                    .anyMatch(line -> line.startsWith("io.belfry:type=Workgroup,name=1 EventLoopLagP99Micros = 0"))
                    .endsWith("DONE");
        }
    }

    @Tag("complete")
    @Test
    void everyMeterHasTheDomainBelfry() throws Exception {
        try (Monitor monitor = start(Fixtures.jmx())) {
            assertThat(client("names", monitor, Fixtures.USER, Fixtures.PASSWORD))
                    .anyMatch(name -> name.contains("belfryMessagesOut"))
                    .anyMatch(name -> name.contains("belfryRefusals.code.publish-denied"))
                    .anyMatch(name -> name.contains("jvmMemoryUsed"))
                    .endsWith("DONE");
        }
    }

    @Test
    void aWrongOrMissingPasswordIsRefusedAndCounted() throws Exception {
        try (Monitor monitor = start(Fixtures.jmx())) {
            assertThat(client("read", monitor, Fixtures.USER, "guess"))
                    .singleElement()
                    .asString()
                    .contains("SecurityException")
                    .contains("Authentication failed");
            assertThat(client("read", monitor, "", ""))
                    .singleElement()
                    .asString()
                    .contains("SecurityException");
        }
    }

    @Tag("complete")
    @Test
    void authenticationCanBeSwitchedOffExplicitlyOnAnyAddress() throws Exception {
        try (Monitor monitor = start(Fixtures.jmx(Fixtures.EVERYWHERE, false, true))) {
            assertThat(client("read", monitor, "", "")).endsWith("DONE");
            assertThat(client("invoke", monitor, "", ""))
                    .singleElement()
                    .asString()
                    .contains("read-only");
        }
    }

    @Test
    void aSecondServerInOneProcessIsRefusedWithAReason() throws Exception {
        try (Monitor first = start(Fixtures.jmx())) {
            assertThat(first.jmxPort()).isPresent();
            assertThatThrownBy(() -> start(Fixtures.jmx()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another server");
        }
    }

    @Test
    void accessIsReadOnly() throws Exception {
        try (Monitor monitor = start(Fixtures.jmx())) {
            assertThat(client("invoke", monitor, Fixtures.USER, Fixtures.PASSWORD))
                    .singleElement()
                    .asString()
                    .contains("SecurityException")
                    .contains("read-only");
        }
    }

    @Tag("complete")
    @Test
    void theThreadsViewOfJconsoleWorks() throws Exception {
        try (Monitor monitor = start(Fixtures.jmx())) {
            List<String> lines = client("threads", monitor, Fixtures.USER, Fixtures.PASSWORD);
            assertThat(lines).hasSize(18).endsWith("DONE");
            assertThat(lines.subList(0, 17)).allMatch(line -> line.endsWith(" true"));
        }
    }

    @Test
    void operationsThatChangeStateAreRefused() throws Exception {
        try (Monitor monitor = start(Fixtures.jmx())) {
            List<String> lines = client("operations", monitor, Fixtures.USER, Fixtures.PASSWORD);

            assertThat(lines)
                    .contains(
                            "java.lang:type=Memory gc() refused",
                            "java.lang:type=Threading resetPeakThreadCount() refused",
                            "java.lang:name=Metaspace,type=MemoryPool resetPeakUsage() refused",
                            "com.sun.management:type=HotSpotDiagnostic dumpHeap(java.lang.String, boolean) refused",
                            "com.sun.management:type=HotSpotDiagnostic dumpThreads(java.lang.String, java.lang.String) refused",
                            "com.sun.management:type=HotSpotDiagnostic setVMOption(java.lang.String, java.lang.String) refused",
                            "com.sun.management:type=DiagnosticCommand gcRun() refused",
                            "com.sun.management:type=DiagnosticCommand gcClassHistogram([Ljava.lang.String;) refused",
                            "com.sun.management:type=DiagnosticCommand jvmtiAgentLoad([Ljava.lang.String;) refused",
                            "com.sun.management:type=DiagnosticCommand vmVersion() refused",
                            "java.util.logging:type=Logging setLoggerLevel(java.lang.String, java.lang.String) refused",
                            "jdk.management.jfr:type=FlightRecorder newRecording() refused")
                    .endsWith("DONE");
            assertThat(lines.stream().filter(line -> line.endsWith(" allowed")))
                    .hasSize(17)
                    .allMatch(
                            line -> line.matches(
                                    "java\\.lang:type=Threading (find|get|dump).*"
                                            + "|com\\.sun\\.management:type=HotSpotDiagnostic getVMOption\\(java\\.lang\\.String\\) allowed"));
            assertThat(client("changes", monitor, Fixtures.USER, Fixtures.PASSWORD))
                    .containsExactly(
                            "setAttribute refused",
                            "createMBean refused",
                            "unregisterMBean refused",
                            "invoke with a name alone refused",
                            "DONE");
        }
    }

    @Test
    void anUnexpectedObjectIsNotDeserialized() throws Exception {
        try (Monitor monitor = start(Fixtures.jmx())) {
            assertThat(client("gadget", monitor, Fixtures.USER, Fixtures.PASSWORD))
                    .singleElement()
                    .asString()
                    .contains("filter status: REJECTED");
        }
    }

    @Test
    void anotherProcessCannotRebindTheName() throws Exception {
        try (Monitor monitor = start(Fixtures.jmx())) {
            assertThat(String.join(" ", client("rebind", monitor, "", ""))).contains("filter status: REJECTED");
        }
    }

    @Tag("complete")
    @Test
    void withTlsThePortServesOnlyTls() throws Exception {
        Path keyStore = keyStore();
        try (Monitor monitor = start(Fixtures.jmxOverTls(keyStore, "changeit"))) {
            assertThat(client("read", monitor, Fixtures.USER, Fixtures.PASSWORD, "tls", keyStore.toString()))
                    .anyMatch(line -> line.startsWith("io.belfry:type=Server ConnectedSessions = 0"))
                    .endsWith("DONE");
            assertThat(client("read", monitor, Fixtures.USER, Fixtures.PASSWORD))
                    .singleElement()
                    .asString()
                    .startsWith("FAILED");
        }
    }

    @Test
    void theListenerIsBoundToOneAddressAndClosedAtTheClose() throws Exception {
        Monitor monitor = start(Fixtures.jmx());
        int port = monitor.jmxPort().orElseThrow();

        assertThat(opens("127.0.0.1", port)).isTrue();
        assertThat(opens("127.0.0.2", port)).isFalse();
        monitor.close();
        // The kernel closes the socket only after the thread that accepts on it has woken up.
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (opens("127.0.0.1", port)) {
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
    }

    @Tag("complete")
    @Test
    void aClosedMonitorRemovesItsBeansAndCanStartAgain() throws Exception {
        start(Fixtures.jmx()).close();

        try (Monitor monitor = start(Fixtures.jmx())) {
            assertThat(client("read", monitor, Fixtures.USER, Fixtures.PASSWORD))
                    .endsWith("DONE");
        }
    }

    private Monitor start(MonitorConfig config) throws IOException {
        return Monitor.start(config, Fixtures.LOG, Fixtures.monitored(counters), folder);
    }

    private static boolean opens(String host, int port) {
        try (Socket socket = new Socket(host, port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private Path keyStore() throws Exception {
        Path keyStore = folder.resolve("throwaway.p12");
        KeyTool.run(List.of(
                "-genkeypair",
                "-alias",
                "monitor",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "SAN=ip:127.0.0.1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                keyStore.toString(),
                "-storepass",
                "changeit"));
        return keyStore;
    }

    /** Runs a client; {@code tls} is empty, or the word and the trust store. */
    private static List<String> client(String what, Monitor monitor, String user, String password, String... tls)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(tool("java"), "-XX:TieredStopAtLevel=1", "-Xmx64m"));
        if (tls.length > 0) {
            command.add("-Djavax.net.ssl.trustStore=" + tls[1]);
            command.add("-Djavax.net.ssl.trustStorePassword=changeit");
        }
        command.addAll(List.of(
                "-cp",
                Path.of(JmxClient.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI())
                        .toString(),
                JmxClient.class.getName(),
                what,
                "127.0.0.1:" + monitor.jmxPort().orElseThrow(),
                user,
                password));
        if (tls.length > 0) {
            command.add(tls[0]);
        }
        return run(command);
    }

    private static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    private static List<String> run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return output.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
