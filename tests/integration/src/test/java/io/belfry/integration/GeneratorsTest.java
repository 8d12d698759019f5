package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchpub.Benchpub;
import io.belfry.benchsub.Benchsub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs Benchsub and Benchpub as processes against the server over each transport, plain and with TLS, and sends
 * Ctrl-C.
 */
@Tag("slow")
@Tag("complete")
class GeneratorsTest {
    private static final int WAIT_SECONDS = 60;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "http-stream", "sse"})
    void everyMessageIsCountedAndCtrlCPrintsTheSummary(String transport) throws Exception {
        try (ServerProcess server = ServerProcess.startUnwatched()) {
            nothingIsLost("Transport=" + transport, "ServerAddresses=127.0.0.1:" + server.port());
        }
    }

    @Test
    void everyMessageIsCountedThroughTls() throws Exception {
        SelfSigned certificate = SelfSigned.make();
        try (ServerProcess server = ServerProcess.startUnwatched(certificate.settings())) {
            nothingIsLost(
                    "ServerAddresses=127.0.0.1:" + server.encryptedPort(),
                    "Encrypted=true",
                    "TrustCertificate=" + certificate.certificate());
        }
    }

    @Test
    void everyCompressedMessageIsCounted() throws Exception {
        try (ServerProcess server = ServerProcess.startUnwatched(
                        "Compression=on",
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false");
                Http monitor = Http.to(server.monitorHttpPort())) {
            nothingIsLost("Encoding=json", "Compression=true", "ServerAddresses=127.0.0.1:" + server.port());
            assertThat(monitor.get("/stats")
                            .json()
                            .at("/counters/messagesCompressed")
                            .asLong())
                    .isPositive();
        }
    }

    private void nothingIsLost(String... connection) throws Exception {
        Path told = folder.resolve("sub.txt");
        Path report = folder.resolve("sub.json");
        List<String> common = new ArrayList<>(List.of(connection));
        common.add("Subjects=/p/s{1..10}/-");
        Process sub = start(Benchsub.class, told, common, "Clients=50", "SubjectsPerClient=2", "ReportFile=" + report);
        try {
            awaitText(told, "Connected: 50 clients");
            Process pub = start(
                    Benchpub.class,
                    folder.resolve("pub.txt"),
                    common,
                    "Frequency=500",
                    "Publishers=2",
                    "Acknowledged=true",
                    "Duration=2s");
            assertThat(pub.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(pub.exitValue())
                    .as(Files.readString(folder.resolve("pub.txt")))
                    .isZero();
            TestMachine.signal("INT", sub.pid());
            assertThat(sub.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            sub.destroyForcibly();
        }
        assertThat(sub.exitValue()).as(Files.readString(told)).isZero();
        assertThat(Files.readString(told))
                .contains("Summary of", "Verify: lost 0, duplicated 0, reordered 0, positions missing 0")
                .contains("end marks missing 0", "both read the clock of one machine");
        assertThat(Files.readString(report)).contains("\"endMarks\" : 100,");
    }

    private static Process start(Class<?> program, Path output, List<String> common, String... more)
            throws IOException {
        List<String> command = new ArrayList<>(ServerArchive.java());
        command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", program.getName()));
        List<String> sets = new ArrayList<>(common);
        sets.addAll(List.of(more));
        sets.forEach(set -> command.addAll(List.of("--set", set)));
        return new ProcessBuilder(TestMachine.interruptible(command))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static void awaitText(Path file, String text) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (!Files.exists(file) || !Files.readString(file).contains(text)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "no '" + text + "' in: " + (Files.exists(file) ? Files.readString(file) : "no file"));
            }
            Thread.sleep(50);
        }
    }
}
