package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.client.BelfryClient;
import io.belfry.client.SubscribeOptions;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a history on disk survives every kind of server stop, and that losses are reported. */
final class DiskHistoryTest {
    private Path folder;
    private String subject;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createTempDirectory(TestMachine.target(), "history");
        subject = "/disk/" + folder.getFileName();
    }

    private String[] settings(String... more) {
        return Stream.concat(
                        Stream.of("History=disk", "History.Folder=" + folder, "CacheSize=100000", "CacheExpireTime=1h"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    private ServerProcess start(String... more) {
        return ServerProcess.startWatched(settings(more));
    }

    /** Publishes numbers until the server stops or this number is answered; returns the position of each. */
    private static List<Position> publish(TestClient client, String subject, int from, int count) {
        List<Position> answered = new ArrayList<>();
        int sent = 0;
        try {
            while (answered.size() < count) {
                while (sent < count && sent - answered.size() < 200) {
                    client.send(subject, Integer.toString(from + sent++));
                }
                answered.add(client.await(Event.Published.class).at());
            }
        } catch (RuntimeException | AssertionError gone) {
            assertThat(answered.size())
                    .as("only the last messages may be unanswered")
                    .isLessThanOrEqualTo(count);
        }
        return answered;
    }

    private static Position at(Event.Subscribed subscribed) {
        return Objects.requireNonNull(subscribed.at());
    }

    private static List<String> numbers(int from, int to) {
        List<String> numbers = new ArrayList<>();
        for (int i = from; i < to; i++) {
            numbers.add(Integer.toString(i));
        }
        return numbers;
    }

    @ParameterizedTest
    @MethodSource("syncs")
    void acknowledgedMessagesSurviveAKillAndPositionsContinue(String sync) throws Exception {
        Position before;
        int acknowledged;
        try (ServerProcess server = start("History.Sync=" + sync);
                TestClient client = TestClient.open(server, WireEncoding.BINARY)) {
            before = client.publish(subject, "first");
            Thread killer = Thread.ofPlatform().start(() -> {
                try {
                    Thread.sleep(700);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                server.kill();
            });
            List<Position> answered = publish(client, subject, 0, 50_000);
            killer.join();
            server.kill();
            acknowledged = answered.size();
            assertThat(acknowledged).isPositive();
        }
        try (ServerProcess server = start();
                TestClient client = TestClient.open(server, WireEncoding.BINARY)) {
            Event.Subscribed subscribed = client.resume(subject, before);
            assertThat(subscribed.recovery()).isEqualTo(Recovery.COMPLETE);
            assertThat(at(subscribed).epoch()).isEqualTo(before.epoch());
            assertThat(at(subscribed).seq()).isGreaterThanOrEqualTo(before.seq() + acknowledged);
            assertThat(client.data(acknowledged)).isEqualTo(numbers(0, acknowledged));
            assertThat(server.logText()).contains("continues epoch " + before.epoch() + ": the server was killed");
        }
    }

    @Test
    @Tag("complete")
    void anOrderlyStopAndANewLoopCountLoseNothing() {
        Position last = new Position(0, 0);
        int published = 0;
        for (String lanes : List.of("2", "1", "3", "2")) {
            try (ServerProcess server = start("Workgroups=1", "IoThreads=" + lanes);
                    TestClient client = TestClient.open(server, WireEncoding.JSON)) {
                if (published > 0) {
                    Event.Subscribed subscribed = client.subscribe(subject);
                    assertThat(subscribed.at()).isEqualTo(last);
                    client.unsubscribe(subject);
                    assertThat(client.retain(subject + "/kept", "again", "id"))
                            .isEqualTo(new Position(last.epoch(), 1));
                    client.subscribe(subject + "/kept");
                    assertThat(client.await(Event.Message.class).data()).isEqualTo("kept");
                    for (int other = 0; other < 20; other++) {
                        assertThat(client.subscribe(subject + "/" + other).at())
                                .isEqualTo(new Position(last.epoch(), published / 10));
                    }
                } else {
                    assertThat(client.retain(subject + "/kept", "kept", "id").seq())
                            .isEqualTo(1);
                }
                List<Position> answered = publish(client, subject, published, 10);
                for (int other = 0; other < 20; other++) {
                    client.send(subject + "/" + other, "x");
                    client.await(Event.Published.class);
                }
                published += answered.size();
                last = answered.getLast();
                assertThat(last.seq()).isEqualTo(published);
            }
        }
        try (ServerProcess server = start();
                TestClient client = TestClient.open(server, WireEncoding.JSON)) {
            client.resume(subject, new Position(last.epoch(), 0));
            assertThat(client.data(published)).isEqualTo(numbers(0, published));
        }
    }

    @Tag("complete")
    @Test
    void aDamagedFileIsReportedAndInvalidatesOldPositions() throws IOException {
        Position last;
        try (ServerProcess server = start("Workgroups=1", "IoThreads=1");
                TestClient client = TestClient.open(server, WireEncoding.BINARY)) {
            client.publish(subject, "0");
            last = client.publish(subject, "1");
            client.publish(subject, "2");
            server.kill();
        }
        Path file = onlyFile(".log");
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(bytes.length() / 2);
            bytes.write(0xFF);
        }
        try (ServerProcess server = start("Workgroups=1", "IoThreads=1");
                TestClient client = TestClient.open(server, WireEncoding.BINARY)) {
            Event.Subscribed subscribed = client.resume(subject, last);
            assertThat(subscribed.recovery()).isEqualTo(Recovery.GAP);
            assertThat(at(subscribed).epoch()).isGreaterThan(last.epoch());
            assertThat(server.logText())
                    .contains("history is damaged: " + file)
                    .contains("begins epoch " + at(subscribed).epoch() + ": a part of it is damaged or missing");
            assertThat(onlyFile(".damaged").getFileName().toString())
                    .startsWith(file.getFileName().toString());
            server.expectErrors();
        }
    }

    private Path onlyFile(String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .reduce((one, other) -> {
                        throw new AssertionError(one + " and " + other);
                    })
                    .orElseThrow();
        }
    }

    @Tag("complete")
    @Test
    void aRestoredBackupKeepsItsMessagesInANewEpoch() throws IOException {
        Position first;
        try (ServerProcess server = start();
                TestClient client = TestClient.open(server, WireEncoding.BINARY)) {
            first = client.publish(subject, "in the backup");
        }
        Path original = folder;
        folder = Files.createTempDirectory(TestMachine.target(), "restored");
        copy(original, folder);
        try (ServerProcess server = start();
                TestClient client = TestClient.open(server, WireEncoding.BINARY)) {
            Event.Subscribed subscribed = client.resume(subject, first);
            assertThat(subscribed.recovery()).isEqualTo(Recovery.GAP);
            assertThat(at(subscribed).epoch()).isGreaterThan(first.epoch());
            assertThat(client.await(Event.Message.class).data()).isEqualTo("in the backup");
            assertThat(server.logText()).contains("the folder is a copy, or was restored from a backup");
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    @Tag("complete")
    @Test
    void aFullDiskRefusesPublishesAndServesReaders() {
        List<String> accepted = new ArrayList<>();
        Position before;
        try (ServerProcess server = ServerProcess.startWithFileLimit(512, settings("Workgroups=1", "IoThreads=1"));
                TestClient client = TestClient.open(server, WireEncoding.BINARY);
                Http http = Http.to(server.port())) {
            server.expectErrors();
            String code = "";
            before = client.publish(subject, "first");
            for (int i = 0; code.isEmpty(); i++) {
                String data = i + "x".repeat(10_000);
                client.send(subject, data);
                Event answer = client.next();
                if (answer instanceof Event.Published) {
                    accepted.add(data);
                } else if (answer instanceof Event.Failed failed) {
                    code = failed.code();
                }
            }
            assertThat(code).isEqualTo("history-full");
            Http.Answer answer = http.post("/publish?subject=" + subject, "at once");
            if (answer.status() == 200) {
                // After a second a new file may accept the publish again.
                accepted.add("at once");
            } else {
                assertThat(answer.code()).isEqualTo("history-full");
            }
            assertThat(client.resume(subject, before).recovery()).isEqualTo(Recovery.COMPLETE);
            assertThat(client.data(accepted.size())).isEqualTo(accepted);
            accepted.add("after");
            Await.until(
                    "publishing works again",
                    () -> http.post("/publish?subject=" + subject, "after").status() == 200);
            assertThat(client.await(Event.Message.class).data()).isEqualTo("after");
            assertThat(server.logText()).contains("publishes are refused with history-full");
            // The publish is answered before the server logs this.
            Await.until("the log", () -> server.logText().contains("history writes succeed again"));
        }
        try (ServerProcess server = start();
                TestClient client = TestClient.open(server, WireEncoding.BINARY)) {
            assertThat(client.resume(subject, before).recovery()).isEqualTo(Recovery.COMPLETE);
            assertThat(client.data(accepted.size())).isEqualTo(accepted);
        }
    }

    @Test
    @Tag("complete")
    void aPatternContinuesAfterEachKill() {
        try (RestartedServer server = new RestartedServer(settings());
                BelfryClient first = client(server)) {
            PatternTurns turns = new PatternTurns(subject, first);
            SubscribeOptions from = SubscribeOptions.LIVE;
            for (int turn = 0; turn < 4; turn++) {
                try (BelfryClient publisher = client(server)) {
                    String position = turns.with(publisher).take(JavaClientTransport.JSON.to(server.port()), from);
                    from = SubscribeOptions.fromPattern(position);
                }
                server.kill();
                server.start();
            }
            turns.requireAll();
        }
    }

    private static BelfryClient client(RestartedServer server) {
        return JavaClientTransport.BINARY.to(server.port()).build().start();
    }

    @Test
    void oneFolderServesOneServer() {
        try (ServerProcess server = start()) {
            assertThat(server.port()).isPositive();
            assertThatThrownBy(() -> start().close())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("is in use by another server");
        }
    }

    static Stream<String> syncs() {
        return TestScope.variants(List.of("group", "always", "os"));
    }
}
