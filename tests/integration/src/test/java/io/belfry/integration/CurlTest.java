package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.testsupport.RequiredPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with curl all HTTP calls and the features of HTTP that curl can use. */
final class CurlTest {
    private static final int LARGE = 200_000;

    private static TestServer server;
    private static String curl;
    private static SelfSigned certificate;

    @BeforeAll
    static void start() {
        certificate = SelfSigned.make();
        server = TestServer.start(certificate.settings("MaxMessageSize=1 MB", "X.Echo=true"));
        // Last, because a skipped class calls stop() too.
        curl = RequiredPrograms.require("Debian: apt install curl", "curl");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<String> command(String target, String... options) {
        List<String> command =
                new ArrayList<>(List.of(curl, "--silent", "--show-error", "--globoff", "--max-time", "60"));
        command.addAll(List.of(options));
        command.add(url(target));
        return command;
    }

    private static String url(String target) {
        return "http://127.0.0.1:" + server.port() + target;
    }

    private static String curl(String target, String... options) {
        try (Tool tool = Tool.start(TestMachine.target(), Map.of(), command(target, options))) {
            return tool.await().wellDone();
        }
    }

    private static long publish(String subject, String data) {
        return Http.json(curl("/publish?subject=" + subject, "--data-binary", data))
                .path("seq")
                .asLong(-1);
    }

    @Test
    void publishedMessagesAreInTheHistory() {
        long first = publish("/curl/history", "one");
        assertThat(publish("/curl/history", "two")).isEqualTo(first + 1);
        JsonNode history = Http.json(curl("/history?subject=/curl/history&count=10"));
        assertThat(history.path("subject").asText()).isEqualTo("/curl/history");
        assertThat(history.path("messages").findValuesAsText("data")).containsExactly("one", "two");
    }

    @Test
    void aStreamOfServerSentEventsIsSentWithoutDelay() {
        assertStreams("/curl/sse", "text/event-stream", "event: subscribed", "data: {");
    }

    @Test
    void aStreamOfLinesIsSentWithoutDelay() {
        assertStreams("/curl/lines", "application/x-ndjson", "{\"op\":\"subscribed\"", "{\"op\":\"message\"");
    }

    private static void assertStreams(String subject, String accept, String begin, String line) {
        try (Tool stream = Tool.start(
                        TestMachine.target(),
                        Map.of(),
                        command("/subscribe?subject=" + subject, "--no-buffer", "-H", "Accept: " + accept));
                TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
            stream.awaitOutput(begin);
            publisher.publish(subject, "hello");
            stream.awaitOutput("\"data\":\"hello\"");
            publisher.publish(subject, "again");
            assertThat(stream.awaitOutput("\"data\":\"again\"")).contains(line);
        }
    }

    @Test
    void aPollIsAnsweredByTheNextMessage() {
        try (Tool poll = Tool.start(TestMachine.target(), Map.of(), command("/poll?subject=/curl/poll&wait=30s"))) {
            Await.until("the poll returned a message", () -> {
                publish("/curl/poll", "hello");
                return !poll.isRunning();
            });
            JsonNode answer = Http.json(poll.await().wellDone());
            assertThat(answer.path("messages").get(0).path("data").asText()).isEqualTo("hello");
            assertThat(answer.path("seq").asLong()).isPositive();
        }
    }

    @Test
    void theSameCallsWorkEncrypted(@TempDir Path folder) throws IOException {
        Path body = Files.writeString(folder.resolve("body"), "z".repeat(3_000_000));
        String encrypted = "https://127.0.0.1:" + server.encryptedPort();
        List<String> command = List.of(
                curl,
                "--silent",
                "--show-error",
                "--max-time",
                "60",
                "--cacert",
                certificate.certificate().toString(),
                "--data-binary",
                "@" + body,
                encrypted + "/echo",
                "--next",
                "--cacert",
                certificate.certificate().toString(),
                encrypted + "/health/live");
        try (Tool tool = Tool.start(TestMachine.target(), Map.of(), command)) {
            assertThat(tool.await().wellDone()).hasSizeGreaterThan(3_000_000).endsWith("\"status\":\"ok\"}");
        }
        String stream = "/subscribe?subject=/curl/tls&history=1";
        publish("/curl/tls", "hello");
        try (Tool tool = Tool.start(
                TestMachine.target(),
                Map.of(),
                List.of(
                        curl,
                        "--silent",
                        "--no-buffer",
                        "--cacert",
                        certificate.certificate().toString(),
                        encrypted + stream))) {
            tool.awaitOutput("\"data\":\"hello\"");
            publish("/curl/tls", "again");
            tool.awaitOutput("\"data\":\"again\"");
        }
    }

    @Test
    void severalRequestsShareOneConnection() {
        String verbose =
                curl("/health/live", "--verbose", "--stderr", "-", url("/history?subject=/a"), url("/nothing"));
        assertThat(Pattern.compile("Re-using existing connection")
                        .matcher(verbose)
                        .results())
                .hasSize(2);
        assertThat(verbose).contains("\"status\":\"ok\"").contains("\"not-found\"");
    }

    @Test
    void anHttp10ClientIsAnsweredAndItsConnectionClosed() {
        String verbose = curl("/history?subject=/a", "--http1.0", "--verbose", "--stderr", "-");
        assertThat(verbose).contains("HTTP/1.1 200").contains("\"messages\":[]").contains("Closing connection");
        assertThat(curl("/health/live", "--http1.0", "--include")).contains("Connection: close");
    }

    @Test
    void aLargeBodyIsSentAfter100ContinueAndAccepted(@TempDir Path folder) throws IOException {
        Path body = Files.writeString(folder.resolve("body"), "x".repeat(LARGE));
        String verbose = curl(
                "/publish?subject=/curl/large",
                "-H",
                "Expect: 100-continue",
                "--expect100-timeout",
                "30",
                "--data-binary",
                "@" + body,
                "--verbose",
                "--stderr",
                "-");
        assertThat(verbose).contains("HTTP/1.1 100 Continue").contains("HTTP/1.1 200");
        JsonNode history = Http.json(curl("/history?subject=/curl/large&count=1"));
        assertThat(history.path("messages").get(0).path("data").asText()).hasSize(LARGE);
    }

    @Test
    void aBodyThatIsTooLargeIsRefusedBeforeItIsSent(@TempDir Path folder) throws IOException {
        Path body = Files.writeString(folder.resolve("body"), "x".repeat(2 << 20));
        String verbose = curl(
                "/publish?subject=/curl/large",
                "-H",
                "Expect: 100-continue",
                "--expect100-timeout",
                "30",
                "--data-binary",
                "@" + body,
                "--verbose",
                "--stderr",
                "-");
        assertThat(verbose)
                .contains("HTTP/1.1 413")
                .contains("\"message-too-large\"")
                .doesNotContain("HTTP/1.1 100 Continue");
    }

    @Test
    void aChunkedUploadIsAccepted(@TempDir Path folder) throws IOException {
        Path body = Files.writeString(folder.resolve("body"), "y".repeat(LARGE));
        String answer = curl(
                "/publish?subject=/curl/chunked",
                "-H",
                "Transfer-Encoding: chunked",
                "-H",
                "Expect:",
                "--data-binary",
                "@" + body);
        assertThat(Http.json(answer).path("seq").asLong(-1)).isPositive();
        JsonNode history = Http.json(curl("/history?subject=/curl/chunked&count=1"));
        assertThat(history.path("messages").get(0).path("data").asText()).hasSize(LARGE);
    }

    @Test
    void theEchoReturnsItsInput(@TempDir Path folder) throws IOException {
        Path body = Files.writeString(folder.resolve("body"), "z".repeat(3_000_000));
        assertThat(curl("/echo", "--data-binary", "@" + body)).hasSize(3_000_000);
    }

    @Test
    void percentEncodedSubjectsEqualTheirDecodedForm() {
        String answer = curl(
                "/publish",
                "--get",
                "--request",
                "POST",
                "--data-urlencode",
                "subject=/curl/ü b&c",
                "-H",
                "Content-Length: 0");
        assertThat(Http.json(answer).path("subject").asText()).isEqualTo("/curl/ü b&c");
        try (TestClient client = TestClient.open(server, WireEncoding.BINARY)) {
            assertThat(client.subscribe("/curl/ü b&c").at()).isNotNull();
        }
    }

    @Test
    void anAnswerToHeadHasHeadersAndNoBody() {
        String answer = curl("/health/live", "--head");
        assertThat(answer).contains("HTTP/1.1 200").contains("Date: ").doesNotContain("{");
    }

    @Test
    void aWrongMethodIsAnsweredWithTheAllowedOnes() {
        String answer = curl("/publish?subject=/a", "--include");
        assertThat(answer).contains("405").contains("Allow: POST").contains("\"method-not-allowed\"");
    }

    @Test
    void pipelinedRequestsOfSeveralKindsAreAnsweredInOrder() {
        try (Http http = Http.to(server.port())) {
            http.raw()
                    .send(Http.text("POST", "/publish?subject=/curl/raw", "1")
                            + Http.text("GET", "/history?subject=/curl/raw", "")
                            + Http.text("GET", "/nothing", "")
                            + "POST /publish?subject=/curl/raw HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "1\r\n2\r\n0\r\n\r\n"
                            + Http.text("GET", "/poll?subject=/curl/raw&wait=100ms", "")
                            + Http.text("GET", "/history?subject=/curl/raw", ""));
            assertThat(http.answer().status()).isEqualTo(200);
            assertThat(http.answer().json().path("messages").findValuesAsText("data"))
                    .containsExactly("1");
            assertThat(http.answer().code()).isEqualTo("not-found");
            assertThat(http.answer().status()).isEqualTo(200);
            assertThat(http.answer().json().path("messages")).isEmpty();
            assertThat(http.answer().json().path("messages").findValuesAsText("data"))
                    .containsExactly("1", "2");
        }
    }

    @Test
    void aWebSocketHandshakeMayFollowAnOrdinaryRequest() {
        try (RawConnection connection = RawConnection.to(server.port())) {
            assertThat(new Http(connection).get("/health/live").status()).isEqualTo(200);
            assertThat(new Http(connection)
                            .post("/publish?subject=/curl/a", "x")
                            .status())
                    .isEqualTo(200);
            TestClient client = TestClient.over(connection, WireEncoding.BINARY);
            client.subscribe("/curl/a");
            client.publish("/curl/b", "x");
        }
    }

    @Test
    void invalidHttpIsRefusedAndClosed() {
        for (String nonsense : List.of(
                "\u0016\u0003\u0001\u0002\r\n\r\n",
                "GET / HTTP/2.9\r\nHost: a\r\n\r\n",
                "GET /history?subject=/a HTTP/1.1\r\n\r\n",
                "GET /history?subject=/a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "POST /publish?subject=/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET /../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n")) {
            try (RawConnection connection = RawConnection.to(server.port())) {
                assertThat(connection.send(nonsense).rest())
                        .as(nonsense)
                        .matches(Pattern.compile("HTTP/1.1 (400|505) .*\"bad-http\".*", Pattern.DOTALL));
            }
        }
    }

    @Test
    void endlessHeadersAreRefused() {
        try (RawConnection connection = RawConnection.to(server.port())) {
            connection.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(100_000));
            assertThat(connection.rest()).startsWith("HTTP/1.1 431 ").contains("\"header-too-large\"");
        }
    }
}
