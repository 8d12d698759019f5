package io.belfry.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapOptionTest {
    @TempDir
    Path folder;

    private static String of(Map<String, String> environment, String... arguments) {
        return HeapOption.of("BENCHPUB_", environment, List.of(arguments));
    }

    @Test
    void theDefaultAppliesIfMemoryIsNotSet() {
        assertThat(of(Map.of())).isEqualTo("-Xmx524288k");
    }

    @Test
    void aBareNumberCountsInMegabytes() throws IOException {
        Path file = Files.writeString(folder.resolve("benchpub.conf"), "Clients = 10\nMemory = 9000  # a lot\n");
        assertThat(of(Map.of(), "-c", file.toString())).isEqualTo("-Xmx9216000k");
    }

    @Test
    void theCommandLineOverridesTheEnvironmentAndTheFile() throws IOException {
        String file = Files.writeString(folder.resolve("benchpub.conf"), "Memory = 1 GB\n")
                .toString();
        Map<String, String> environment = Map.of("BENCHPUB_MEMORY", "2 GB");
        assertThat(of(environment, "-c", file)).isEqualTo("-Xmx2097152k");
        assertThat(of(environment, "--set", "memory = 3 GB", "-c", file, "--set", "Clients=1"))
                .isEqualTo("-Xmx3145728k");
    }

    @Test
    void invalidArgumentsAreLeftToTheProgram() {
        assertThat(of(Map.of(), "--set", "Memory=much", "--bogus", "-c")).isEqualTo("-Xmx524288k");
    }
}
