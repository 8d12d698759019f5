package io.belfry.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.control.ControlSocket;
import io.belfry.server.control.ControlTarget;
import io.belfry.server.control.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shell takes the place of the server's JVM: the daemon only checks whether it is alive and answers. */
class DaemonTest {
    @TempDir
    Path temporary;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Instance instance;

    @BeforeEach
    void name() {
        instance = new Instance(new RunFolder(temporary.resolve("run"), "belfry"));
    }

    private Daemon daemon(String script, Duration patience) {
        return new Daemon(
                instance,
                List.of("/bin/sh", "-c", script),
                Map.of("BELFRY_TEST", "hush"),
                temporary.resolve("logs/belfry.out"),
                temporary.resolve("logs/belfry.log"),
                patience);
    }

    private int start(Daemon daemon) throws IOException, InterruptedException {
        return daemon.start(new PrintWriter(out, true), new PrintWriter(err, true));
    }

    @Test
    void theLastOutputOfAFailedServerIsShown() throws Exception {
        assertThat(start(daemon("echo 'no such option' >&2; exit 7", Duration.ofSeconds(30))))
                .isEqualTo(Exit.FAILED);
        assertThat(err.toString()).contains("did not start").contains("  no such option");
    }

    @Test
    void secretsArePassedInTheEnvironment() throws Exception {
        start(daemon("echo \"it is $BELFRY_TEST\"; exit 7", Duration.ofSeconds(30)));
        assertThat(err.toString()).contains("it is hush");
        assertThat(daemon("", Duration.ZERO).toString()).doesNotContain("hush");
    }

    @Test
    void onlyTheLastLinesOfOutputAreShown() throws Exception {
        start(daemon("seq 1 1000", Duration.ofSeconds(30)));
        assertThat(err.toString().lines()).hasSize(21).last().isEqualTo("  1000");
    }

    @Test
    void theOutputOfThePreviousServerIsKept() throws Exception {
        start(daemon("echo first", Duration.ofSeconds(30)));
        start(daemon("echo second", Duration.ofSeconds(30)));
        assertThat(Files.readString(temporary.resolve("logs/belfry.out.previous")))
                .isEqualTo("first\n");
    }

    @Test
    void aServerThatIsNotReadyInTimeIsReported() throws Exception {
        assertThat(start(daemon("read forever </dev/null; sleep 5", Duration.ofMillis(200))))
                .isEqualTo(Exit.FAILED);
        assertThat(err.toString()).contains("is not ready after 0 s, pid ");
    }

    @Test
    void aServerThatAnswersIsReady() throws Exception {
        try (RunFolder.Claim claim = instance.folder().claim().orElseThrow();
                ControlSocket socket = ControlSocket.open(claim.socket(), new Ready())) {
            assertThat(socket).isNotNull();
            assertThat(start(daemon("sleep 5", Duration.ofSeconds(30)))).isEqualTo(Exit.WELL);
        }
        assertThat(out.toString()).startsWith("belfry is running, pid ").contains("logs/belfry.log");
    }

    private static final class Ready implements ControlTarget {
        @Override
        public String status() {
            return "state ready";
        }

        @Override
        public List<String> reload() {
            return List.of();
        }

        @Override
        public void drain(Duration over) {}

        @Override
        public void stop() {}
    }
}
