package io.belfry.attack.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.attack.attacks.SlowReceiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IsolatedConfigTest {
    @TempDir
    private Path folder;

    private List<String> command(String configuration) throws IOException {
        Path file = Files.writeString(folder.resolve("belfry.conf"), configuration);
        return new IsolatedConfig(options(file), folder).command("run");
    }

    @Test
    void theAttackedServerConnectsToNoOtherProgram() throws IOException {
        List<String> command = command("""
                ClusterEngine = kafka
                Kafka.Brokers = kafka.example:9092
                Otlp.Endpoint = https://otlp.example
                Events.Topic = belfry.events
                Events.Endpoint.backend = https://app.example/belfry
                Events.Endpoint.audit = https://audit.example/in session.opened
                """);
        assertThat(command)
                .contains(
                        "ClusterEngine=none",
                        "Otlp.Endpoint=",
                        "Events.Topic=",
                        "Events.Endpoint.backend=",
                        "Events.Endpoint.audit=");
    }

    @Test
    void eventsOfSubjectsStayOnTheAttackedServer() throws IOException {
        String endpoint = "Events.Endpoint.backend = https://app.example/belfry\n";
        assertThat(command(endpoint + "Subjects.1 = /a/* history=1 events=subscribers\n"))
                .contains("Events.Endpoint.backend=", "Events.Subject=all");
        assertThat(command(endpoint + "Subjects.1 = /a/* history=1\n")).doesNotContain("Events.Subject=all");
    }

    @Test
    void aReceiverOfTheRunGetsTheEventsOfSubjects() throws IOException {
        Path file = Files.writeString(
                folder.resolve("belfry.conf"), "Events.SecretFile = /secret\nSubjects.1 = /a/* events=both\n");
        IsolatedConfig config = new IsolatedConfig(options(file), folder);
        assertThat(config.asksForEvents()).isTrue();
        try (SlowReceiver receiver = SlowReceiver.open()) {
            config.sendEventsTo(receiver);
            assertThat(config.command("run"))
                    .contains(
                            "Events.SecretFile=",
                            "Events.Endpoint.attack=" + receiver.url() + " message subject.occupied subject.vacated");
        }
        assertThat(config.environment.get("BELFRY_EVENTS_SECRET")).startsWith("whsec_");
    }

    @Test
    void tokensAreSignedWithASecretOfTheRun() throws IOException {
        String configuration = "Entitlement = JWT\nJwt.Jwks = https://keys.example\nJwt.Issuer = example\n";
        Path file = Files.writeString(folder.resolve("belfry.conf"), configuration);
        IsolatedConfig config = new IsolatedConfig(options(file), folder);
        assertThat(config.command("run")).contains("Jwt.Jwks=", "Jwt.Issuer=");
        assertThat(config.environment.get("BELFRY_JWT_SECRET")).hasSizeGreaterThan(32);
    }

    @Test
    void anApplicationThatDecidesIsNotAskedAboutTheAttacks() {
        assertThatThrownBy(() -> command("Entitlement = Http\nDecide.Url = https://app.example/decide\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--set Entitlement=Basic");
    }

    private AttackOptions options(Path file) {
        return new AttackOptions(
                folder,
                Optional.of(file),
                List.of(),
                null,
                Duration.ofSeconds(1),
                250,
                AttackOptions.RELEASE_MAX,
                folder);
    }
}
