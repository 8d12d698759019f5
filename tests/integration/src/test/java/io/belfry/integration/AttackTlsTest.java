package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs all attacks, none skipped, against a server with TLS, compression and a token. The property {@code
 * -Dbelfry.attack.seconds=30} sets the duration of each attack.
 */
@Tag("complete")
final class AttackTlsTest {
    private static final Duration TIMEOUT = Duration.ofHours(1);

    @TempDir
    private Path folder;

    @Test
    void anEncryptedServerHoldsAgainstAllAttacks() throws IOException {
        Path json = folder.resolve("verdicts.json");
        List<String> command = List.of(
                TestMachine.root().resolve("bin/belfry").toString(),
                "attack",
                "--seconds-per-attack",
                System.getProperty("belfry.attack.seconds", "1"),
                "--json",
                json.toString(),
                "--set",
                "Listen=none",
                "--set",
                "ListenEncrypted=*:8443",
                "--set",
                "Compression=on",
                "--set",
                "Entitlement=JWT",
                "--set",
                "Subjects.1=/rooms/* presence=yes",
                // AttackTest covers the default; a shorter time here makes the build faster.
                "--set",
                "Limit.HandshakeTime=2s");
        try (Tool tool = Tool.start(folder, Map.of("BELFRY_JAVA_HOME", System.getProperty("java.home")), command)) {
            Tool.Result result = tool.await(TIMEOUT);
            result.wellDone();
            assertThat(result.output()).contains(", encrypted, ");
        }
        JsonNode attacks = Http.json(Files.readString(json)).path("attacks");
        assertThat(attacks).hasSizeGreaterThan(20);
        for (JsonNode verdict : attacks) {
            assertThat(verdict.path("verdict").asText()).as(verdict.toString()).isEqualTo("held");
            assertThat(verdict.at("/witness/lost").asLong()).isZero();
        }
    }
}
