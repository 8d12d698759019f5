package io.belfry.benchkit.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.benchkit.load.BenchFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @Test
    void addressesAreFoundAmongOtherLines() {
        ServerOutput output = new ServerOutput();
        output.line("Belfry 0.1");
        output.line("listening on 127.0.0.1:41001");
        output.line("listening on [::1]:41002");
        assertThat(output.monitor()).isEmpty();
        output.line("2026-11-20T11:52:23.816Z INFO  [main] HttpListener: HTTP monitor: http://127.0.0.1:41003/");
        assertThat(output.server()).contains("127.0.0.1:41001");
        assertThat(output.monitor()).contains("http://127.0.0.1:41003");
    }

    @Test
    void aServerIsStartedAndEnded() throws Exception {
        Path pidFile = folder.resolve("pid");
        ServerProcess server = ServerProcess.start(shell("echo $$ > " + pidFile
                + "; echo listening on 127.0.0.1:1; echo monitor on http://127.0.0.1:2; exec sleep 600"));
        ProcessHandle handle;
        try (server) {
            assertThat(server.started(PATIENCE).server()).contains("127.0.0.1:1");
            handle = ProcessHandle.of(Long.parseLong(Files.readString(pidFile).strip()))
                    .orElseThrow();
            assertThat(handle.isAlive()).isTrue();
        }
        handle.onExit().get(20, java.util.concurrent.TimeUnit.SECONDS);
        assertThat(handle.isAlive()).isFalse();
    }

    @Test
    void aServerThatEndsWhileStartingIsQuoted() {
        try (ServerProcess server = ServerProcess.start(shell("echo 'Listen: address in use' >&2; exit 1"))) {
            assertThatThrownBy(() -> server.started(PATIENCE))
                    .isInstanceOf(BenchFailure.class)
                    .hasMessageContaining("Listen: address in use");
        }
    }

    @Test
    void aServerThatDoesNotExistIsToldOf() {
        try (ServerProcess server =
                ServerProcess.start(List.of(folder.resolve("bin/belfry").toString()))) {
            assertThatThrownBy(() -> server.started(PATIENCE)).hasMessageContaining("bin/belfry");
        }
    }

    @Test
    void theArgumentsAreSecondsAndClients() {
        DemoOptions options = DemoOptions.parse(folder, "--seconds", "3", "--clients", "10");
        assertThat(options.seconds()).isEqualTo(3);
        assertThat(options.clients()).isEqualTo(10);
        assertThatThrownBy(() -> DemoOptions.parse(folder, "--second", "3")).hasMessageContaining("usage: belfry demo");
        assertThatThrownBy(() -> DemoOptions.parse(folder, "--clients", "0")).hasMessageContaining("from 1");
        assertThatThrownBy(() -> DemoOptions.parse(folder, "--clients")).hasMessageContaining("from 1");
    }

    private static List<String> shell(String script) {
        return List.of("/bin/sh", "-c", script);
    }
}
