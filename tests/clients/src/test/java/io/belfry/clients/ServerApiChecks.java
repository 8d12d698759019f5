package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.client.api.ApiOutcome;
import io.belfry.client.api.ApiTarget;
import io.belfry.client.api.BelfryApi;
import io.belfry.client.api.SessionEntry;
import io.belfry.client.api.SessionFilter;
import io.belfry.integration.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks of what a client experiences when the application's backend acts by the server API. Pure. */
final class ServerApiChecks {
    private static final String GROUP = "Acts of the application";
    private static final String KEY = "0123456789abcdef0123456789abcdef";
    private static final int RACES = 30;

    private ServerApiChecks() {}

    static List<Behaviour> all() {
        List<Behaviour> all = new ArrayList<>();
        all.add(Behaviour.of(
                GROUP,
                "A subscription that the server begins is reported, and the program can take it over",
                ServerApiChecks::subscribedByServer,
                "webSocket"));
        all.add(Behaviour.of(
                GROUP,
                "A subject that server and program subscribe at the same time is delivered once",
                ServerApiChecks::subscribedTwice,
                "webSocket"));
        all.add(Behaviour.of(
                GROUP,
                "A subscription that the server ends is reported with disconnected",
                ServerApiChecks::endedByServer,
                "webSocket"));
        all.addAll(Behaviour.overEachWire(
                GROUP,
                "A removed history is a gap with history-removed, and later messages follow",
                Behaviour.Mode.SHARED,
                ServerApiChecks::historyRemoved));
        return all;
    }

    private static TestServer server(Scene scene) {
        try {
            Path keys = Files.createTempFile("belfry", ".keys");
            keys.toFile().deleteOnExit();
            Files.writeString(keys, "suite publish,read,act " + KEY + "\n");
            return scene.closing(
                            MeasuredServer.start("Api.Listen=127.0.0.1:0", "Api.KeyFile=" + keys, "Entitlement=None"))
                    .server();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BelfryApi api(TestServer server) {
        return new BelfryApi(URI.create("http://127.0.0.1:" + server.apiPort()), KEY);
    }

    private static Wire webSocket(Scene scene) {
        return scene.can(Wire.BINARY) ? Wire.BINARY : Wire.JSON;
    }

    private static DrivenClient connected(Scene scene, TestServer server) {
        DrivenClient client = scene.start(scene.plan(webSocket(scene), server.port()));
        client.awaitState("connected");
        return client;
    }

    /** Returns the only session of the server; the suite's publisher is opened later. */
    private static ApiTarget onlySession(BelfryApi api) {
        List<SessionEntry> sessions = new ArrayList<>();
        api.sessions(SessionFilter.ALL).forEach(sessions::add);
        assertThat(sessions).hasSize(1);
        return ApiTarget.session(sessions.getFirst().session());
    }

    /** A call of the server API. */
    private interface Call<T> {
        T run() throws IOException;
    }

    private static <T> T call(Call<T> call) {
        try {
            return call.run();
        } catch (IOException refused) {
            throw new AssertionError(refused);
        }
    }

    private static void subscribedByServer(Scene scene) {
        TestServer server = server(scene);
        DrivenClient client = connected(scene, server);
        BelfryApi api = api(server);
        ApiTarget session = onlySession(api);
        String subject = scene.subject("begun");
        assertThat(call(() -> api.subscribe(session, List.of(subject, subject + "/*"))))
                .isEqualTo(2);
        client.await("status", reports("subscribedByServer", subject));
        client.await("status", reports("subscribedByServer", subject + "/*"));
        SuitePublisher publisher = scene.publisher(server);
        publisher.publish(subject, "nobody takes it", false);
        client.subscribe(subject);
        client.awaitSubscribed(subject);
        publisher.publish(subject, "taken", false);
        List<JsonNode> messages = client.awaitMessages(1);
        assertThat(messages).extracting(each -> each.path("text").asText()).containsExactly("taken");
        assertThat(client.events("ended")).isEmpty();
    }

    private static java.util.function.Predicate<JsonNode> reports(String state, String subject) {
        return event -> event.path("state").asText().equals(state)
                && event.path("subject").asText().equals(subject);
    }

    private static void subscribedTwice(Scene scene) {
        TestServer server = server(scene);
        DrivenClient client = connected(scene, server);
        BelfryApi api = api(server);
        ApiTarget session = onlySession(api);
        List<String> subjects = new ArrayList<>();
        for (int i = 0; i < RACES; i++) {
            String subject = scene.subject("race" + i);
            subjects.add(subject);
            Thread server2 = Thread.ofVirtual().start(() -> call(() -> api.subscribe(session, List.of(subject))));
            client.subscribe(subject);
            try {
                server2.join();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
        subjects.forEach(client::awaitSubscribed);
        // Commands of a client that subscribes again are answered before its next publish.
        Scene.pause(500);
        SuitePublisher publisher = scene.publisher(server);
        subjects.forEach(subject -> publisher.publish(subject, subject, false));
        client.awaitMessages(RACES);
        Scene.pause(200);
        assertThat(client.messages())
                .extracting(each -> each.path("text").asText())
                .containsExactlyInAnyOrderElementsOf(subjects);
        assertThat(client.events("ended")).isEmpty();
    }

    private static void endedByServer(Scene scene) {
        TestServer server = server(scene);
        DrivenClient client = connected(scene, server);
        BelfryApi api = api(server);
        ApiTarget session = onlySession(api);
        String subject = scene.subject("ended");
        client.subscribe(subject);
        client.awaitSubscribed(subject);
        assertThat(call(() -> api.unsubscribe(session, List.of(subject)))).isEqualTo(1);
        assertThat(client.await("ended", event -> event.path("subject").asText().equals(subject))
                        .path("code")
                        .asText())
                .isEqualTo("disconnected");
        client.subscribe(subject);
        client.awaitSubscribed(subject, 2);
    }

    private static void historyRemoved(Scene scene, Wire wire) {
        TestServer server = server(scene);
        SuitePublisher publisher = scene.publisher(server);
        DrivenClient client = scene.start(scene.plan(wire, server.port()));
        client.awaitState("connected");
        String subject = scene.subject("removed");
        client.subscribe(subject);
        client.awaitSubscribed(subject);
        publisher.publish(subject, "one", false);
        client.awaitMessages(1);
        ApiOutcome removal = call(() -> api(server).removeHistory(subject));
        client.awaitMessages(2);
        assertThat(client.gaps()).hasSize(1);
        JsonNode gap = client.gaps().getFirst();
        assertThat(gap.path("subject").asText()).isEqualTo(subject);
        assertThat(gap.path("reason").asText()).isEqualTo("history-removed");
        assertThat(gap.path("to").asText()).isEqualTo(removal.epoch() + ":" + removal.seq());
        publisher.publish(subject, "two", false);
        assertThat(client.awaitMessages(3).getLast().path("text").asText()).isEqualTo("two");
        assertThat(client.gaps()).hasSize(1);
    }
}
