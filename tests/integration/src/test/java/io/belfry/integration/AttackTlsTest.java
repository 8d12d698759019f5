package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Attacks a server with TLS, compression and tokens: with the attacks that TLS and compression change, or with all of them, none
 * skipped, if {@code -Dbelfry.attack.seconds=30} sets the duration of each. {@link AttackTest} runs the others without encryption.
 */
@Tag("complete")
final class AttackTlsTest {
    private static final Duration TIMEOUT = Duration.ofHours(1);
    private static final String SECONDS = System.getProperty("belfry.attack.seconds");

    /** Attacks on handshakes and compression, and one that leaves answers unread, which TLS keeps in other buffers. */
    private static final String CHANGED =
            "half-handshakes,tls-hellos,handshake-resets,compression-bomb,inflate-ratio,slow-readers";

    @TempDir
    private Path folder;

    @Test
    void anEncryptedServerHolds() throws IOException {
        Path json = folder.resolve("verdicts.json");
        List<String> command = new ArrayList<>(List.of(
                TestMachine.root().resolve("bin/belfry").toString(),
                "attack",
                "--seconds-per-attack",
                SECONDS == null ? "1" : SECONDS,
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
                "Limit.HandshakeTime=2s"));
        if (SECONDS == null) {
            command.addAll(List.of("--only", CHANGED));
        }
        try (Tool tool = Tool.start(folder, Map.of("BELFRY_JAVA_HOME", System.getProperty("java.home")), command)) {
            Tool.Result result = tool.await(TIMEOUT);
            result.wellDone();
            assertThat(result.output()).contains(", encrypted, ");
        }
        JsonNode attacks = Http.json(Files.readString(json)).path("attacks");
        assertThat(attacks).hasSizeGreaterThan(SECONDS == null ? 5 : 20);
        for (JsonNode verdict : attacks) {
            assertThat(verdict.path("verdict").asText()).as(verdict.toString()).isEqualTo("held");
            assertThat(verdict.at("/witness/lost").asLong()).isZero();
        }
    }
}
