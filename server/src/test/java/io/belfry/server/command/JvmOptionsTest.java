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
        return options(environment, "100 MB");
    }

    private List<String> options(Map<String, String> environment, String memory) {
        ServerConfig config =
                ConfigLoader.load(Optional.empty(), Map.of(), List.of("Memory=" + memory, "LogFolder=/var/my logs"));
        return new JvmOptions(home, environment).of(config);
    }

    @Test
    void theHeapGrowsFromASmallSizeToThatOfMemory() {
        assertThat(options(Map.of()))
                .contains("-XX:InitialHeapSize=65536k", "-XX:MinHeapSize=16384k", "-Xmx102400k")
                .contains("-XX:G1PeriodicGCInterval=60000");
        assertThat(options(Map.of(), "32 MB")).contains("-XX:InitialHeapSize=32768k", "-XX:MinHeapSize=16384k");
    }

    @Test
    void aLargeHeapIsCollectedLessOftenAndMayHaveHugePages() {
        assertThat(options(Map.of(), "8 GB")).contains("-Xmx8388608k", "-XX:G1PeriodicGCInterval=960000");
        assertThat(options(Map.of(), "1 GB")).doesNotContain("-XX:+UseTransparentHugePages");
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
    void theCacheOfTheProfilePrecedesTheUsersOptions() throws IOException {
        assertThat(options(Map.of())).noneMatch(option -> option.contains("AOTCache"));
        Path cache = home.resolve("server/target/belfry-throughput.aot");
        Files.createDirectories(cache.getParent());
        AotCache recorded = AotCache.of(home, "throughput");
        Files.writeString(recorded.unfinished(), "classes");
        recorded.replace();
        assertThat(options(Map.of("BELFRY_JAVA_OPTIONS", "-Xmx1g")))
                .containsSubsequence(
                        "@" + home.resolve("tuning/jvm/throughput.options"), "-XX:AOTCache=" + cache, "-Xmx1g");
        assertThat(options(Map.of("BELFRY_JVM_PROFILE", "low-pause"))).noneMatch(option -> option.contains("AOTCache"));
        assertThat(options(Map.of("BELFRY_AOT_CACHE", "off"))).noneMatch(option -> option.contains("AOTCache"));
    }

    @Test
    void aMissingProfileIsReportedByName() {
        assertThatThrownBy(() -> options(Map.of("BELFRY_JVM_PROFILE", "fast")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fast.options");
    }
}
