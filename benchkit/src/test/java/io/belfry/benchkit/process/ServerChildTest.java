package io.belfry.benchkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.benchkit.load.BenchFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerChildTest {
    @TempDir
    Path folder;

    @Test
    void addressesAreFoundAmongOtherLines() {
        ServerChild.StartLines output = new ServerChild.StartLines();
        output.line("Belfry 0.1");
        output.line("listening on 127.0.0.1:41001");
        output.line("listening on [::1]:41002");
        assertThat(output.monitor).isNotDone();
        output.line("2026-11-20T11:52:23.816Z INFO  [main] HttpListener: HTTP monitor: http://127.0.0.1:41003/");
        assertThat(output.server).isCompletedWithValue("127.0.0.1:41001");
        assertThat(output.monitor).isCompletedWithValue("http://127.0.0.1:41003");
    }

    @Test
    void aServerThatRecordsOrWaitsForACacheGetsMoreTime() {
        for (String line : List.of(
                "belfry: recording the AOT caches for fast starts, once for this build; takes about 15 s",
                "belfry: waiting for another process that is recording the AOT caches")) {
            ServerChild.StartLines output = new ServerChild.StartLines();
            assertThat(output.recording).isNotDone();
            output.line(line);
            assertThat(output.recording).isDone();
        }
    }

    @Test
    void aServerIsStartedAndEnded() throws Exception {
        Path pidFile = folder.resolve("pid");
        ServerChild server = ServerChild.start(shell("echo $$ > " + pidFile
                + "; echo listening on 127.0.0.1:1; echo monitor on http://127.0.0.1:2; exec sleep 600"));
        ProcessHandle handle;
        try (server) {
            assertThat(server.address()).isEqualTo("127.0.0.1:1");
            assertThat(server.monitor()).isEqualTo("http://127.0.0.1:2");
            handle = ProcessHandle.of(Long.parseLong(Files.readString(pidFile).strip()))
                    .orElseThrow();
            assertThat(handle.isAlive()).isTrue();
        }
        handle.onExit().get(20, TimeUnit.SECONDS);
        assertThat(handle.isAlive()).isFalse();
    }

    @Test
    void theErrorOfAServerThatEndsWhileStartingIsReported() {
        assertThatThrownBy(() -> ServerChild.start(shell("echo 'Listen: address in use' >&2; exit 1")))
                .isInstanceOf(BenchFailure.class)
                .hasMessageContaining("Listen: address in use");
    }

    @Test
    void aMissingServerProgramIsReported() {
        List<String> command = List.of(folder.resolve("bin/belfry").toString());
        assertThatThrownBy(() -> ServerChild.start(command)).hasMessageContaining("bin/belfry");
    }

    private static List<String> shell(String script) {
        return List.of("/bin/sh", "-c", script);
    }
}
