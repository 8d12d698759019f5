package io.belfry.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plain command line must have the effect of picocli, or none. */
class PlainCommandTest {
    @TempDir
    Path home;

    private final List<ServerConfig> launched = new ArrayList<>();

    @BeforeEach
    void setHome() {
        System.setProperty("belfry.home", home.toString());
    }

    @AfterEach
    void clearHome() {
        System.clearProperty("belfry.home");
    }

    private ServerLauncher launcher() {
        return config -> {
            launched.add(config);
            throw new IOException("the test needs no server");
        };
    }

    private String[] run(String... more) {
        List<String> arguments = new ArrayList<>(List.of("run", "--daemon", "--set", "Listen=127.0.0.1:0"));
        arguments.addAll(List.of("--set", "Monitor=none", "--set", "LogFolder=" + home));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    @Test
    void aPlainCommandLineHasTheEffectOfPicocli() throws IOException {
        Path file = Files.writeString(home.resolve("belfry.conf"), "CacheSize = 7\n");
        String[] arguments = run("-c", file.toString(), "--name", "another", "--set", "LogLevel=WARN");
        assertThat(PlainCommand.execute(launcher(), arguments)).hasValue(Exit.FAILED);
        assertThat(BelfryCommand.line(launcher()).execute(arguments)).isEqualTo(Exit.FAILED);
        assertThat(launched).hasSize(2);
        assertThat(launched.getFirst()).isEqualTo(launched.getLast());
        assertThat(home.resolve("run/another.lock")).exists();
        assertThat(home.resolve("another.log")).exists();
    }

    @Test
    void aWrongValueHasTheExitCodeOfWrongUsage() {
        assertThat(PlainCommand.execute(launcher(), run("--set", "Memory=1 MB")))
                .hasValue(Exit.USAGE);
    }

    @Test
    void everyOtherCommandLineIsLeftToPicocli() {
        for (String line : List.of(
                "",
                "help",
                "status",
                "stop --name x",
                "run --help",
                "run --set",
                "run --set=CacheSize=7",
                "run --no-such-option x",
                "run -c a -c b",
                "run --name a --name b",
                "run --name ../a",
                "run --name -c",
                "run -c @file",
                "start --daemon",
                "start --wait 5s",
                "run extra")) {
            String[] words = line.isEmpty() ? new String[0] : line.split(" ", -1);
            assertThat(PlainCommand.execute(launcher(), words))
                    .as(Arrays.toString(words))
                    .isEmpty();
        }
        assertThat(launched).isEmpty();
    }
}
