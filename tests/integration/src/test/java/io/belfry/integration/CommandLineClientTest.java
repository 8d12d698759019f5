package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.PublishTerms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code bin/belfry sub}, {@code pub}, {@code history} and {@code top} by their script, over TLS and with tokens. */
final class CommandLineClientTest {
    private static final String PROGRAM =
            TestMachine.root().resolve("bin/belfry").toString();

    private static final String MONITOR_PASSWORD = "a-password-of-a-test";

    private static TestServer server;
    private static SelfSigned certificate;

    @TempDir
    private static Path folder;

    private static Path token;

    @BeforeAll
    static void start() throws IOException {
        certificate = SelfSigned.make();
        server = TestServer.start(Stream.concat(
                        Stream.of(certificate.settings()),
                        Stream.of(
                                "NodeName=cli",
                                "Entitlement=JWT",
                                "Jwt.Secret=" + Jwts.SECRET,
                                "Monitor=HTTP",
                                "MonitorHTTP.Listen=127.0.0.1:0",
                                "MonitorPassword=" + MONITOR_PASSWORD))
                .toArray(String[]::new));
        token = Files.writeString(
                folder.resolve("token"),
                Jwts.hs256(Jwts.claims(600, "{\"all\":[\"/cli/**\"],\"system\":true}")) + "\n");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<String> line(String command, int port, String... more) {
        List<String> line = new ArrayList<>(List.of(
                PROGRAM,
                command,
                "--server=wss://127.0.0.1:" + port,
                "--trust=" + certificate.certificate(),
                "--token-file=" + token));
        line.addAll(List.of(more));
        return line;
    }

    private static Tool begin(List<String> line) {
        return Tool.start(TestMachine.target(), Map.of(), line);
    }

    private static Tool.Result run(String command, String... more) {
        try (Tool tool = begin(line(command, server.encryptedPort(), more))) {
            return tool.await();
        }
    }

    /** Publishes each line of a text. */
    private static void publishLines(String subject, String lines) throws IOException {
        Path input = Files.writeString(Files.createTempFile(folder, "lines", ""), lines);
        List<String> piped = new ArrayList<>(List.of("sh", "-c", "input=$1; shift; exec \"$@\" < \"$input\"", "sh"));
        piped.add(input.toString());
        piped.addAll(line("pub", server.encryptedPort(), "--lines", subject));
        try (Tool tool = begin(piped)) {
            assertThat(tool.await().wellDone().lines())
                    .hasSize((int) lines.lines().count());
        }
    }

    @Tag("complete")
    @Test
    void aSubscriberContinuesAfterADisconnect() throws IOException {
        try (CuttingProxy network = new CuttingProxy(server.encryptedPort());
                Tool subscriber =
                        begin(line("sub", network.port(), "--count=4", "--format=json", "/cli/a", "/cli/all/*"))) {
            subscriber.awaitErrors("subscribed to /cli/all/*");
            subscriber.awaitErrors("subscribed to /cli/a,");
            run("pub", "/cli/a", "first \u001b[31m").wellDone();
            subscriber.awaitOutput("first");
            network.cut(sent -> true);
            publishLines("/cli/a", "second\nthird\n");
            run("pub", "--retain", "--header=type=order", "--header", "größe=a=b", "/cli/all/b", "fourth")
                    .wellDone();
            List<JsonNode> items = subscriber
                    .await()
                    .wellDone()
                    .lines()
                    .map(Http::json)
                    .filter(item -> item.path("kind").asText().equals("message"))
                    .toList();
            assertThat(items)
                    .extracting(item -> item.path("data").asText())
                    .containsExactlyInAnyOrder("first \u001b[31m", "second", "third", "fourth")
                    .containsSubsequence("first \u001b[31m", "second", "third");
            JsonNode headers = items.stream()
                    .filter(item -> item.path("data").asText().equals("fourth"))
                    .findFirst()
                    .orElseThrow()
                    .path("headers");
            assertThat(headers).isEqualTo(Http.json("{\"type\":\"order\",\"größe\":\"a=b\"}"));
        }
    }

    @Test
    @Tag("complete")
    void historyPrintsTheLatestMessagesAndThoseAfterAPosition() throws IOException {
        publishLines(
                "/cli/stored",
                IntStream.range(0, 20).mapToObj(i -> "m" + i).collect(Collectors.joining("\n", "", "\n")));
        List<String> latest =
                run("history", "--count=3", "/cli/stored").wellDone().lines().toList();
        assertThat(latest).hasSize(3).allMatch(printed -> printed.matches("/cli/stored \\d+:\\d+ history m1[789]"));
        String position = latest.getFirst().split(" ", -1)[1];
        assertThat(run("history", "--from=" + position, "--format=data", "/cli/stored")
                        .wellDone())
                .isEqualTo("m18\nm19\n");
        assertThat(run("sub", "--from=" + position, "--count=2", "-q", "/cli/stored")
                        .wellDone()
                        .lines())
                .allMatch(printed -> printed.matches("/cli/stored \\d+:\\d+ recovered m1[89]"));
    }

    @Test
    @Tag("complete")
    void figuresOfTheServerAreReadLikeOtherSubjects() {
        String stats = "/$node/cli/stats";
        assertThat(run("sub", "--count=2", "-q", "--format=data", stats)
                        .wellDone()
                        .lines())
                .hasSize(2)
                .allMatch(line -> Http.json(line).path("node").asText().equals("cli"));
        assertThat(run("history", "--count=1", "--format=data", stats).wellDone())
                .contains("connectedSessions");
    }

    private static Tool.Result top(String password, String... more) throws IOException {
        Path file = Files.writeString(Files.createTempFile(folder, "password", ""), password + "\n");
        List<String> line = new ArrayList<>(List.of(
                PROGRAM,
                "top",
                "--once",
                "--monitor=http://127.0.0.1:" + server.monitorHttpPort(),
                "--password-file=" + file));
        line.addAll(List.of(more));
        try (Tool tool = begin(line)) {
            return tool.await();
        }
    }

    @Test
    @Tag("complete")
    void topShowsTheFiguresOfEachNode() throws IOException {
        Tool.Result wrong = top("wrong");
        assertThat(wrong.exitCode()).isEqualTo(1);
        assertThat(wrong.output()).contains("the name or the password is wrong");
        Tool.Result two = top(MONITOR_PASSWORD, "--json", "--monitor=http://127.0.0.1:1");
        assertThat(two.exitCode()).isEqualTo(1);
        List<JsonNode> nodes = two.output().lines().map(Http::json).toList();
        assertThat(nodes.getFirst().path("workgroups")).hasSize(2);
        assertThat(nodes.getLast().path("monitor").asText()).isEqualTo("http://127.0.0.1:1");
        assertThat(top(MONITOR_PASSWORD).wellDone()).contains(": ready\nsessions ", "\nGROUP ");
    }

    @Test
    void aRequestPrintsItsReplyOrFailsWithNoReply() throws IOException {
        try (TestClient responder = TestClient.open(
                        server,
                        WireEncoding.JSON,
                        "Authorization: Bearer " + Files.readString(token).strip());
                Tool asking = begin(line("request", server.encryptedPort(), "--quiet", "/cli/service", "[1,2]"))) {
            responder.subscribe("/cli/service");
            Event.Message request = responder.expect(Event.Message.class);
            String id = request.headers().getOrDefault("correlationId", "");
            responder.publish(
                    request.headers().getOrDefault("replyTo", ""),
                    request.data() + " answered",
                    new PublishTerms(false, null, Map.of("correlationId", id), 0));
            assertThat(asking.await().wellDone()).isEqualTo("[1,2] answered\n");
        }
        requireRefused("no-reply", run("request", "--timeout=1", "/cli/nobody", "x"));
        requireRefused("publish-denied", run("request", "/other", "x"));
    }

    private static void requireRefused(String code, Tool.Result result) {
        assertThat(result.exitCode()).as(result.errors()).isEqualTo(1);
        assertThat(result.errors()).contains(code);
    }

    @Test
    @Tag("complete")
    void refusalsAndWrongOptionsHaveTheirExitCodes() {
        requireRefused("subscribe-denied", run("sub", "/other"));
        requireRefused("publish-denied", run("pub", "/other", "x"));
        requireRefused("subscribe-denied", run("history", "/other"));
        assertThat(run("pub", "--header=nothing", "/cli/a", "x").exitCode()).isEqualTo(2);
        assertThat(run("pub", "--header=$user=me", "/cli/a", "x").exitCode()).isEqualTo(2);
        Tool.Result wrong = run("sub", "--from=here", "/cli/a");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.errors()).isEqualTo("belfry: --from must be EPOCH:SEQ, not here\n");
    }
}
