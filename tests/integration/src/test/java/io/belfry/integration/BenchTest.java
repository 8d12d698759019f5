package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code bin/bench} and {@code bin/benchsub report} by their scripts with real processes. */
@Tag("slow")
final class BenchTest {
    @TempDir
    private Path folder;

    private Tool.Result run(String program, String... arguments) {
        try (Tool tool = start(Map.of(), program, arguments)) {
            return tool.await();
        }
    }

    private Tool start(Map<String, String> more, String program, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(TestMachine.root().resolve("bin").resolve(program).toString()));
        command.addAll(List.of(arguments));
        Map<String, String> environment = new HashMap<>(more);
        environment.put("BELFRY_JAVA_HOME", System.getProperty("java.home"));
        return Tool.start(folder, environment, command);
    }

    private Tool.Result bench(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--out", folder.resolve("out").toString()));
        return run("bench", all.toArray(String[]::new));
    }

    private JsonNode report() throws IOException {
        return Http.json(Files.readString(folder.resolve("out/report.json")));
    }

    @Test
    void oneCommandWritesOneHtmlReport() throws IOException {
        bench("fanout", "--clients", "200", "--rate", "200", "--warm-up", "1s", "--duration", "4s")
                .wellDone();

        JsonNode run = report().at("/runs/0");
        assertThat(report().path("completed").asBoolean()).isTrue();
        assertThat(run.path("connections").asInt()).isEqualTo(200);
        assertThat(run.at("/latency/count").asLong()).isPositive();
        assertThat(run.at("/latency/percentilesMillis/99").asDouble()).isPositive();
        long received = run.at("/delivery/received").asLong();
        assertThat(received)
                .isEqualTo(run.at("/delivery/expected").asLong())
                .isEqualTo(run.at("/delivery/sentByServer").asLong()
                        - run.at("/delivery/endMarks").asLong())
                .isPositive();
        assertThat(run.at("/connect/count").asInt()).isEqualTo(200);
        assertThat(run.at("/latency/intervals")).hasSizeGreaterThanOrEqualTo(3);
        assertThat(run.at("/delivery/lost").asLong()).isZero();
        assertThat(run.at("/server/cpuSecondsPerMillionDeliveries").asDouble()).isPositive();
        // The memory of two hundred sessions is smaller than the other changes of a heap.
        assertThat(run.at("/memory/connections").asInt()).isEqualTo(200);
        assertThat(run.path("samples")).isNotEmpty();
        assertThat(report().at("/verdict/checks")).isNotEmpty();
        assertThat(report().at("/host/cores").asText()).isNotEmpty();
        assertDraws(folder.resolve("out/report.html"), 5);

        String log = folder.resolve("out/files/fanout/benchsub.hlog").toString();
        Path page = folder.resolve("merged.html");
        run("benchsub", "report", log, log, "-o", page.toString()).wellDone();
        JsonNode merged = Http.json(Files.readString(folder.resolve("merged.json")));
        assertThat(merged.path("inputs")).hasSize(2);
        assertThat(merged.at("/runs/0/latency/count").asLong())
                .isEqualTo(2 * merged.at("/inputs/0/messages").asLong());
        assertThat(merged.at("/runs/0/connect/count").asInt()).isEqualTo(400);
        assertDraws(page, 2);
    }

    private void assertDraws(Path page, int charts) throws IOException {
        String chromium = Chromium.program();
        Path profile = Files.createTempDirectory(TestMachine.target(), "chromium");
        Tool.Result drawn = Tool.run(
                TestMachine.target(),
                chromium,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--user-data-dir=" + profile,
                "--enable-logging=stderr",
                "--virtual-time-budget=3000",
                "--dump-dom",
                page.toUri().toString());
        assertThat(drawn.errors()).doesNotContain("CONSOLE");
        assertThat(drawn.wellDone().split("<svg[^>]*width=", -1)).hasSizeGreaterThan(charts);
    }

    @Tag("complete")
    @Test
    void ctrlCKeepsTheFiguresAndLeavesNoProcess() throws IOException {
        String out = folder.resolve("out").toString();
        try (Tool tool = start(
                Map.of(), "bench", "fanout", "--clients", "50", "--rate", "100", "--warm-up", "0", "--out", out)) {
            tool.awaitOutput("measuring");
            List<ProcessHandle> family = tool.family();
            tool.interrupt();

            assertFailed(tool.await(), "stopped by hand");
            assertThat(family).hasSizeGreaterThan(5).noneMatch(ProcessHandle::isAlive);
        }
        assertThat(report().at("/runs/0/delivery/lost").asLong()).isZero();
    }

    @Tag("complete")
    @Test
    void tooFewSourcePortsAreReportedInOneLine() throws IOException {
        Map<String, String> few = Map.of("BENCHSUB_LOCALADDRESSES", "127.0.0.91", "BENCHSUB_LOCALPORTS", "42001-42004");
        String out = folder.resolve("out").toString();
        try (Tool tool = start(few, "bench", "fanout", "--clients", "9", "--out", out)) {
            assertFailed(
                    tool.await(),
                    "benchsub ended: all pairs of LocalAddresses and LocalPorts are in use: add addresses");
        }
    }

    @Tag("complete")
    @Test
    void anAddressInUseIsReportedInOneLineAndInTheReport() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Tool.Result result = bench("fanout", "--server-set", "Listen=127.0.0.1:" + taken.getLocalPort());
            assertFailed(result, "the server ended while starting: ");
            assertThat(result.output()).contains(Integer.toString(taken.getLocalPort()));
        }
    }

    @Tag("complete")
    @Test
    void anUnreachableServerIsReportedInOneLine() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        assertFailed(bench("fanout", "--clients", "10", "--server", "127.0.0.1:" + free), "benchsub ended: ");
    }

    @Tag("complete")
    @Test
    void aRefusedTokenIsReportedInOneLine() throws IOException {
        String[] arguments = {
            "fanout",
            "--clients",
            "10",
            "--token",
            "wrong-token",
            "--server-set",
            "Entitlement=Basic",
            "--server-set",
            "EntitlementAllowToken=right-token"
        };
        assertFailed(bench(arguments), "benchpub ended: ");
        assertThat(Files.readString(folder.resolve("out/report.json"))).doesNotContain("wrong-token", "right-token");
    }

    private void assertFailed(Tool.Result result, String sentence) throws IOException {
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(1);
        assertThat(result.output().lines().filter(line -> line.startsWith("bench: ")))
                .as(result.output())
                .singleElement()
                .asString()
                .startsWith("bench: " + sentence);
        assertThat(report().path("completed").asBoolean()).isFalse();
        assertThat(report().path("problems")).isNotEmpty();
        assertThat(Files.exists(folder.resolve("out/report.html"))).isTrue();
    }

    @Test
    void withoutAScenarioAllScenariosAreListed() {
        Tool.Result result = run("bench");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.output()).contains("fanout", "unicast", "churn", "rooms", "slow");
    }

    @Tag("complete")
    @Test
    void wrongUsageIsReportedInOneLineWithoutAReport() {
        assertThat(bench("fanout", "--size", "3").errors().strip())
                .isEqualTo("bench: --size must be from 49 bytes to 16 MB");
        assertThat(bench("fanut").errors()).contains("fanut is not a scenario");
        assertThat(Files.exists(folder.resolve("out"))).isFalse();
    }
}
