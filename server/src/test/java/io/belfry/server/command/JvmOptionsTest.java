package io.belfry.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmOptionsTest {
    @TempDir
    Path home;

    @BeforeEach
    void profiles() throws IOException {
        Path folder = Files.createDirectories(home.resolve("tuning/jvm"));
        for (String profile : List.of("common", "throughput", "low-pause")) {
            Files.writeString(folder.resolve(profile + ".options"), "# nothing\n");
        }
    }

    private List<String> options(Map<String, String> environment) {
        ServerConfig config =
                ConfigLoader.load(Optional.empty(), Map.of(), List.of("Memory=100 MB", "LogFolder=/var/my logs"));
        return new JvmOptions(home, environment).of(config);
    }

    @Test
    void theHeapSizeIsThatOfMemory() {
        assertThat(options(Map.of())).contains("-Xms102400k", "-Xmx102400k");
    }

    @Test
    void dumpsOfTheJvmAreWrittenToTheLogFolder() {
        assertThat(options(Map.of()))
                .contains("-XX:HeapDumpPath=/var/my logs", "-XX:ErrorFile=/var/my logs/hs_err_pid%p.log");
    }

    @Test
    void theProfileFollowsTheCommonOptions() {
        assertThat(options(Map.of()))
                .containsSubsequence(
                        "@" + home.resolve("tuning/jvm/common.options"),
                        "@" + home.resolve("tuning/jvm/throughput.options"));
        assertThat(options(Map.of("BELFRY_JVM_PROFILE", "low-pause")))
                .last()
                .isEqualTo("@" + home.resolve("tuning/jvm/low-pause.options"));
    }

    @Test
    void theUsersOptionsAreLast() {
        assertThat(options(Map.of("BELFRY_JAVA_OPTIONS", " -Xmx1g  -Dx=y "))).endsWith("-Xmx1g", "-Dx=y");
    }

    @Test
    void aMissingProfileIsReportedByName() {
        assertThatThrownBy(() -> options(Map.of("BELFRY_JVM_PROFILE", "fast")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fast.options");
    }
}
