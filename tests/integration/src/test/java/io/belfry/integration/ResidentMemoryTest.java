package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Measures the resident memory of a server that {@code bin/belfry} starts with the options of production. */
@Tag("slow")
@EnabledOnOs(OS.LINUX)
final class ResidentMemoryTest {
    /** Measured 104 to 116 MB; 150 to 203 MB with a heap of fixed size and memory that is never returned. */
    private static final int IDLE_MAX_MB = 130;

    private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final Pattern PID = Pattern.compile("pid (\\d+)");

    @TempDir
    private Path folder;

    private Tool.Result belfry(String... arguments) {
        List<String> command = new java.util.ArrayList<>(
                List.of(TestMachine.root().resolve("bin/belfry").toString()));
        command.addAll(List.of(arguments));
        Map<String, String> environment = Map.of(
                "BELFRY_JAVA_HOME",
                System.getProperty("java.home"),
                "BELFRY_RUN_FOLDER",
                folder.toString(),
                // The pages of a cache would count as memory of the server.
                "BELFRY_AOT_CACHE",
                "off",
                // Memory is returned each second instead of each minute, so that the test is short.
                "BELFRY_JAVA_OPTIONS",
                "-XX:G1PeriodicGCInterval=1000 -XX:TrimNativeHeapInterval=1000");
        try (Tool tool = Tool.start(folder, environment, command)) {
            return tool.await();
        }
    }

    @AfterEach
    void stop() {
        belfry("stop");
    }

    @Test
    void aServerWithoutClientsTakesLittleMemory() {
        String started = belfry(
                        "start",
                        "--set",
                        "Listen=127.0.0.1:0",
                        "--set",
                        "MonitorJMX.Listen=127.0.0.1:0",
                        "--set",
                        "LogFolder=" + folder)
                .wellDone();
        Matcher pid = PID.matcher(started);
        assertThat(pid.find()).as(started).isTrue();
        Path status = Path.of("/proc", pid.group(1), "status");
        Await.until(
                IDLE_MAX_MB + " MB or less resident",
                Duration.ofSeconds(60),
                () -> residentMegabytes(status) <= IDLE_MAX_MB);
    }

    private static int residentMegabytes(Path status) {
        try {
            Matcher rss = RSS.matcher(Files.readString(status));
            assertThat(rss.find()).isTrue();
            return Integer.parseInt(rss.group(1)) / 1024;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
