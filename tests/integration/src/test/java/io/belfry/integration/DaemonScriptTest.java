package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the life of a daemon by its scripts alone, in a folder whose name contains spaces. */
@Tag("slow")
final class DaemonScriptTest {
    private static final int WELL = 0;
    private static final int FAILED = 1;
    private static final int WRONG = 2;
    private static final int NOT_RUNNING = 3;
    private static final Pattern LISTENING = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

    @TempDir
    private Path folder;

    private Path home;
    private Path config;

    @BeforeEach
    void copy() throws IOException {
        home = InstalledCopy.in(folder.resolve("a copy of belfry"));
        config = home.resolve("my belfry.conf");
        configure("");
    }

    private void configure(String more) throws IOException {
        Files.writeString(config, "Listen = 127.0.0.1:0\nMonitor = none\nMemory = 64 MB\nWorkgroups = 2\n" + more);
    }

    @AfterEach
    void stop() {
        belfry("stop");
    }

    private Tool.Result belfry(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin/belfry").toString()));
        command.addAll(List.of(arguments));
        Map<String, String> environment = Map.of("BELFRY_JAVA_HOME", System.getProperty("java.home"));
        try (Tool tool = Tool.start(folder, environment, command)) {
            return tool.await();
        }
    }

    private void assertEnds(int exitCode, String... arguments) {
        Tool.Result result = belfry(arguments);
        assertThat(result.exitCode()).as("%s: %s", List.of(arguments), result).isEqualTo(exitCode);
    }

    private int port() {
        Matcher listening = LISTENING.matcher(belfry("status").wellDone());
        assertThat(listening.find()).isTrue();
        return Integer.parseInt(listening.group(1));
    }

    private static TestClient connect(int port) {
        return TestClient.over(RawConnection.to(port), WireEncoding.JSON);
    }

    @Test
    void theDaemonStartsReloadsDrainsAndStops() throws IOException {
        assertEnds(NOT_RUNNING, "status");
        assertEnds(WELL, "check", "-c", config.toString());
        assertEnds(WELL, "start", "-c", config.toString());
        assertEnds(WELL, "status");
        try (TestClient client = connect(port())) {
            client.publish("/daemon", "x");
        }
        configure("EntitlementAllowToken = a-token-of-tests\n");
        assertEnds(WELL, "reload");
        Await.until("publishing requires the token", () -> {
            try (TestClient other = connect(port())) {
                other.send("/daemon", "x");
                return other.next() instanceof Event.Failed failed
                        && failed.code().equals("publish-denied");
            }
        });
        // A session from before the reload has the right to publish, so the server closes it at some time after the
        // reload.
        try (TestClient client = connect(port())) {
            configure("NoSuchKey = 1\n");
            assertEnds(FAILED, "reload");
            client.ping(1);
            assertThat(client.next()).isEqualTo(new Event.Pong(1));

            assertEnds(WELL, "drain", "--over", "500ms");
            assertThat(client.expect(Event.Reconnect.class).reason()).isEqualTo("drain");
            assertThat(client.expect(Event.Closed.class).code()).isEqualTo(1001);
            assertThat(belfry("status").wellDone()).contains("draining");
        }
        assertEnds(WELL, "stop");
        assertEnds(NOT_RUNNING, "status");
        assertEnds(NOT_RUNNING, "reload");
    }

    @Test
    @Tag("complete")
    void wrongUsageAndConfigurationEndWithExitCodeTwo() throws IOException {
        assertEnds(WRONG, "fly");
        assertEnds(WRONG, "run", "--no-such-option");
        configure("Lisen = *:1\n");
        Tool.Result check = belfry("check", "-c", config.toString());
        assertThat(check.exitCode()).isEqualTo(WRONG);
        assertThat(check.errors() + check.output()).contains("Lisen").contains("Listen");
        assertEnds(WRONG, "start", "-c", config.toString());
        assertEnds(NOT_RUNNING, "status");
    }

    @Tag("complete")
    @Test
    void aKilledDaemonIsDetectedAndCanBeRestarted() {
        assertEnds(WELL, "start", "-c", config.toString());
        Matcher pid = Pattern.compile("pid (\\d+)").matcher(belfry("status").wellDone());
        assertThat(pid.find()).isTrue();
        ProcessHandle.of(Long.parseLong(pid.group(1))).orElseThrow().destroyForcibly();
        Await.until("the connection is gone", () -> belfry("status").exitCode() == NOT_RUNNING);
        assertEnds(WELL, "start", "-c", config.toString());
        assertEnds(WELL, "status");
    }
}
