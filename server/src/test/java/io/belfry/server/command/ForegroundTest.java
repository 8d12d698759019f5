package io.belfry.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.server.log.LogSetup;
import io.belfry.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

class ForegroundTest {
    @TempDir
    Path temporary;

    private final FakeServer server = new FakeServer();
    private final ConfigOptions options = new ConfigOptions();
    private LogSetup log;
    private Foreground foreground;

    @BeforeEach
    void start() throws IOException {
        write("Memory = 512 MB");
        new CommandLine(CommandLine.Model.CommandSpec.create()
                        .addMixin("config", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
                .parseArgs("-c", temporary.resolve("belfry.conf").toString(), "--set", "LogFolder=" + temporary);
        log = LogSetup.open(options.load().config().process().log(), "belfry", false);
        foreground = new Foreground(server, options.load(), options, log);
    }

    @AfterEach
    void stop() {
        log.close();
    }

    private void write(String... lines) throws IOException {
        Files.writeString(temporary.resolve("belfry.conf"), String.join("\n", lines) + "\n");
    }

    @Test
    void anUnchangedConfigurationIsReported() {
        assertThat(foreground.reload()).containsExactly("nothing changed");
    }

    @Test
    void reloadableChangesApplyAndOthersNeedARestart() throws IOException {
        write("Memory = 1 GB", "LogLevel = WARN");
        assertThat(foreground.reload())
                .containsExactly("LogLevel: INFO -> WARN", "Memory: 512 MB -> 1 GB (takes effect after a restart)");
        assertThat(server.calls()).containsExactly("reconfigure LogLevel=WARN Memory=" + (512L << 20));
        assertThat(LoggerFactory.getLogger("io.belfry").isInfoEnabled()).isFalse();
    }

    @Test
    void changesThatNeedARestartAreReportedUntilThen() throws IOException {
        write("Memory = 1 GB", "LogLevel = WARN");
        foreground.reload();
        assertThat(foreground.reload()).containsExactly("Memory: 512 MB -> 1 GB (takes effect after a restart)");
    }

    @Test
    void aSecretIsNotShown() throws IOException {
        write("Memory = 512 MB", "EntitlementAllowToken = s3cret-token");
        assertThat(foreground.reload()).singleElement().asString().startsWith("EntitlementAllowToken: (hidden)");
    }

    @Test
    void aWrongConfigurationChangesNothing() throws IOException {
        write("LogLevel = LOUD");
        assertThatThrownBy(foreground::reload)
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("LogLevel = LOUD");
        assertThat(server.calls()).isEmpty();
    }
}
