package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.integration.ApplicationServer.Behaviour;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code bin/belfry check --connect} with applications that answer, refuse, redirect, or are away. */
@Tag("complete")
final class ReceiverCheckTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    @TempDir
    private Path folder;

    private Tool.Result check(String... sets) {
        List<String> line =
                new ArrayList<>(List.of(TestMachine.root().resolve("bin/belfry").toString(), "check", "--connect"));
        for (String set : sets) {
            line.addAll(List.of("--set", set));
        }
        try (Tool tool = Tool.start(folder, Map.of("BELFRY_JAVA_HOME", System.getProperty("java.home")), line)) {
            return tool.await();
        }
    }

    @Test
    void addressesThatAnswerAreReachable() {
        try (ApplicationServer events = ApplicationServer.open(batch -> "");
                ApplicationServer decides = ApplicationServer.open(question -> "{\"allow\":false}")) {
            Tool.Result result = check(
                    "Events.Endpoint.app=" + events.url(),
                    "Events.Secret=" + SECRET,
                    "Entitlement=Http",
                    "Decide.Url=" + decides.url(),
                    "Decide.Secret=" + SECRET);
            assertThat(result.wellDone())
                    .contains(
                            "# Events.Endpoint.app: " + events.url() + " answers with status 200",
                            "# Decide.Url: " + decides.url() + " answers with status 200")
                    .doesNotContain(SECRET);
            JsonNode batch = Http.json(events.received.getFirst().text());
            assertThat(batch.path("events").isEmpty()).isTrue();
            assertThat(batch.path("type").asText()).isEqualTo("belfry.events");
            assertThat(Http.json(decides.received.getFirst().text())
                            .path("type")
                            .asText())
                    .isEqualTo("ping");
            assertThat(events.received.getFirst().headers().getFirst("webhook-signature"))
                    .startsWith("v1,");
        }
    }

    @Test
    void eachAddressThatDoesNotAnswerWellIsNamedWithARemedy() {
        SelfSigned unknown = SelfSigned.make();
        try (ApplicationServer untrusted = ApplicationServer.open(SelfSigned.client(unknown), batch -> "");
                ApplicationServer fails = ApplicationServer.open(batch -> "");
                ApplicationServer gone = ApplicationServer.open(batch -> "");
                ApplicationServer redirects = ApplicationServer.open(batch -> "")) {
            fails.behaviour = Behaviour.FAILS;
            gone.behaviour = Behaviour.GONE;
            redirects.behaviour = Behaviour.REDIRECTS;
            Tool.Result result = check(
                    "Events.Endpoint.away=http://127.0.0.1:1/",
                    "Events.Endpoint.fails=" + fails.url(),
                    "Events.Endpoint.gone=" + gone.url(),
                    "Events.Endpoint.redirects=" + redirects.url(),
                    "Events.Endpoint.tls=" + untrusted.url(),
                    "Events.Secret=" + SECRET);
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.errors().lines())
                    .hasSize(5)
                    .anyMatch(line -> line.startsWith("Events.Endpoint.away: http://127.0.0.1:1/ cannot be reached")
                            && line.endsWith("start the receiver, or correct the host and port"))
                    .anyMatch(line -> line.startsWith("Events.Endpoint.fails: ")
                            && line.endsWith("status 500; check the log of the receiver"))
                    .anyMatch(line -> line.startsWith("Events.Endpoint.gone: ")
                            && line.endsWith("status 410; correct the path of the URL"))
                    .anyMatch(line -> line.startsWith("Events.Endpoint.redirects: ")
                            && line.contains("redirects are not followed"))
                    .anyMatch(line -> line.startsWith("Events.Endpoint.tls: ") && line.contains("has no usable TLS"));
            assertThat(redirects.elsewhere).hasValue(0);
        }
    }
}
