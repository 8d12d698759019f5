package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.RequiredPrograms;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the receivers of the guide about events. */
final class NotifyDocTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    @TempDir
    Path folder;

    private Path example(String language, String name) throws IOException {
        String page = Files.readString(TestMachine.root().resolve("docs/how-to/notify-my-backend.md"));
        Matcher found = Pattern.compile(" {3}```" + language + "\\n(.*?) {3}```", Pattern.DOTALL)
                .matcher(page);
        assertThat(found.find()).isTrue();
        return Files.writeString(folder.resolve(name), found.group(1).replaceAll("(?m)^ {3}", ""));
    }

    private void run(String program, Path example) throws IOException, InterruptedException {
        Path secret = Files.writeString(folder.resolve("secret"), SECRET + "\n");
        Process backend = new ProcessBuilder(program, example.toString(), secret.toString(), "0")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = backend.inputReader(StandardCharsets.UTF_8);
                ApplicationServer decides = ApplicationServer.open(question -> "{\"allow\":true,\"user\":\""
                        + Http.json(question.text()).path("token").asText() + "\"}")) {
            String port = lines.readLine().substring("port ".length());
            try (TestServer server = TestServer.start(
                    "Events.Endpoint.backend=http://127.0.0.1:" + port + "/belfry",
                    "Events.Secret=" + SECRET,
                    "Entitlement=Http",
                    "Decide.Url=" + decides.url(),
                    "Decide.Secret=" + SECRET)) {
                try (TestClient stays = TestClient.open(server, WireEncoding.JSON, "Authorization: Bearer stays")) {
                    TestClient.open(server, WireEncoding.JSON, "Authorization: Bearer stays")
                            .close();
                    TestClient.open(server, WireEncoding.JSON, "Authorization: Bearer leaves")
                            .close();
                    assertThat(lines.readLine()).isEqualTo("left leaves");
                    stays.ping(1);
                    stays.expect(Event.Pong.class);
                }
                assertThat(lines.readLine()).isEqualTo("left stays");
            }
            try (Http forger = Http.to(Integer.parseInt(port))) {
                assertThat(forger.post(
                                        "/belfry",
                                        "{}",
                                        "webhook-id: a",
                                        "webhook-timestamp: 1",
                                        "webhook-signature: v1,a")
                                .status())
                        .isEqualTo(401);
            }
        } finally {
            backend.destroy();
            backend.waitFor();
        }
    }

    @Test
    void thePythonReceiverReportsWhoLeft() throws IOException, InterruptedException {
        run(RequiredPrograms.require("Debian: apt install python3", "python3"), example("python", "backend.py"));
    }

    @Test
    void theJavaScriptReceiverReportsWhoLeft() throws IOException, InterruptedException {
        run(RequiredPrograms.require("Debian: apt install nodejs", "node"), example("javascript", "backend.mjs"));
    }
}
