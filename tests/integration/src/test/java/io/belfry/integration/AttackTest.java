package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code bin/belfry attack} by its script with real processes: the defaults hold and weak settings are reported. The
 * property {@code -Dbelfry.attack.seconds=30} sets the duration of each attack.
 */
@Tag("slow")
final class AttackTest {
    private static final String SECONDS = System.getProperty("belfry.attack.seconds", "1");

    /** The short run has other tests at the same time, so only the complete run judges delays by the default. */
    private static final String P99_MAX = Integer.toString(TestScope.length(250, 2500));

    /** The attacks of the short run. The default configuration skips the last two, and the test checks the reasons. */
    private static final String ONE_OF_EACH_KIND =
            "slow-header,smuggling,cross-site,unmasked-frames,json-bombs,injection,"
                    + "token-guessing,publish-flood,slow-readers,history-flood,header-abuse,compression-bomb,tls-hellos";

    @TempDir
    private Path folder;

    private Tool start(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(TestMachine.root().resolve("bin/belfry").toString(), "attack"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--json", folder.resolve("verdicts.json").toString()));
        return Tool.start(folder, Map.of("BELFRY_JAVA_HOME", System.getProperty("java.home")), command);
    }

    private Tool.Result attack(String... arguments) {
        try (Tool tool = start(arguments)) {
            return tool.await(java.time.Duration.ofMinutes(30));
        }
    }

    private JsonNode verdicts() throws IOException {
        return Http.json(Files.readString(folder.resolve("verdicts.json"))).path("attacks");
    }

    private JsonNode verdict(String name) throws IOException {
        for (JsonNode verdict : verdicts()) {
            if (verdict.path("name").asText().equals(name)) {
                return verdict;
            }
        }
        throw new AssertionError("no result for " + name);
    }

    @Test
    void theDefaultConfigurationHolds() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--seconds-per-attack", SECONDS, "--p99-max", P99_MAX));
        if (!TestScope.isComplete()) {
            arguments.addAll(List.of("--only", ONE_OF_EACH_KIND));
        }
        attack(arguments.toArray(String[]::new)).wellDone();
        for (JsonNode verdict : verdicts()) {
            if (verdict.path("verdict").asText().equals("skipped")) {
                continue;
            }
            assertThat(verdict.path("verdict").asText()).as(verdict.toString()).isEqualTo("held");
            assertThat(verdict.at("/witness/delivered").asLong())
                    .as(verdict.toString())
                    .isPositive();
            assertThat(verdict.at("/witness/lost").asLong()).isZero();
            assertThat(verdict.path("memoryPeakBytes").asLong())
                    .isGreaterThan(verdict.at("/memoryBefore/residentBytes").asLong() * 9 / 10);
        }
        assertThat(verdict("compression-bomb").path("reason").asText()).contains("Compression");
        assertThat(verdict("tls-hellos").path("reason").asText()).contains("ListenEncrypted");
    }

    @Tag("complete")
    @Tag("control")
    @Test
    void weakSettingsAreReported() throws IOException {
        Tool.Result result = attack(
                "--seconds-per-attack",
                "1",
                "--only",
                "slow-header,cross-site,subject-flood,wildcard-flood,token-guessing",
                "--set",
                "Limit.HandshakeTime=1h",
                "--set",
                "AllowedOrigins=*",
                "--set",
                "Limit.SubjectsPerSession=0",
                "--set",
                "Limit.PatternsPerSession=0",
                "--set",
                "EntitlementAllowToken=a-token-of-the-operators");
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(1);
        for (String weak : List.of("slow-header", "cross-site", "subject-flood", "wildcard-flood")) {
            assertThat(verdict(weak).path("verdict").asText())
                    .as(result.toString())
                    .isEqualTo("gave way");
        }
        assertThat(verdict("slow-header").at("/faults/0").asText()).contains("connections are still open");
        assertThat(verdict("cross-site").at("/faults/0").asText()).contains("a page of http://evil.example may ");
        assertThat(verdict("subject-flood").at("/faults/0").asText()).contains("was granted all of 5000");
        assertThat(verdict("token-guessing").path("verdict").asText())
                .as(result.toString())
                .isEqualTo("held");
        assertThat(result.output()).doesNotContain("a-token-of-the-operators");
    }

    /** The short run has PresenceRoomsTest, EventsTest and UsersTest instead. */
    @Test
    @Tag("complete")
    void aServerWithUsersHoldsUnderTheirFloods() throws IOException {
        attack(
                        "--seconds-per-attack",
                        SECONDS,
                        "--only",
                        "presence-flood,event-flood,user-flood,token-guessing",
                        "--set",
                        "Entitlement=JWT",
                        "--set",
                        "Subjects.1=/rooms/* presence=yes",
                        "--set",
                        "Subjects.2=/orders/* events=both",
                        "--set",
                        "Events.Waiting=500",
                        "--set",
                        "Limit.PublishRatePerUser=1000",
                        "--set",
                        "Limit.CommandRatePerUser=1200")
                .wellDone();
        for (String name : List.of("presence-flood", "event-flood", "user-flood", "token-guessing")) {
            assertThat(verdict(name).path("verdict").asText()).as(name).isEqualTo("held");
        }
        assertThat(verdict("event-flood").path("seen").toString()).doesNotContain(" 0 announced as missed");
    }

    @Test
    @Tag("complete")
    void invalidUsageExitsWithTwo() {
        assertUsage("no-such is no attack", "--only", "no-such");
        assertUsage("Limit.HandshakeTime", "--set", "Limit.HandshakeTime=soon");
        assertUsage("'--server'", "--server", "example.org:80");
        assertUsage("--token-file", "--set", "Entitlement=Custom");
    }

    private void assertUsage(String part, String... arguments) {
        Tool.Result result = attack(arguments);
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(2);
        assertThat(result.errors()).contains(part);
    }

    @Test
    @Tag("complete")
    void theListHasAllAttacks() {
        assertThat(attack("--list").wellDone().lines()).hasSizeGreaterThan(20).allMatch(line -> line.length() < 150);
    }
}
