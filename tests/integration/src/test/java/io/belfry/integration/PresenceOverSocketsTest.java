package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.client.BelfryClient;
import io.belfry.client.Encoding;
import io.belfry.client.Message;
import io.belfry.client.api.BelfryApi;
import io.belfry.client.api.SubjectMembers;
import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.testsupport.TestScope;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests presence over sockets: members with tokens, followers of all kinds, and the server API. */
final class PresenceOverSocketsTest {
    private static final String FOLLOWED = "/$presence/rooms/7";
    private static final String OPTION = "Subjects.10=/rooms/** presence=yes";
    /** This process has both ends of each connection, which are open files. PresenceRoomsTest has 10,000 members. */
    private static final int MANY = TestScope.length(5_000, 1_000);

    private static String token(String user, String permissions) {
        String sub = user.isEmpty() ? "" : "\"sub\":\"" + user + "\",";
        return Jwts.hs256("{" + sub + Jwts.claims(600, permissions).substring(1));
    }

    private static TestClient client(TestServer server, String user, WireEncoding encoding) {
        String info = user.equals("bob") ? ",\"info\":{\"name\":\"B\u00f6b\",\"n\":1}" : "";
        return TestClient.open(server, encoding, bearer(user, "{\"sub\":[\"/rooms/*\"]" + info + "}"));
    }

    private static String bearer(String user, String permissions) {
        return "Authorization: Bearer " + token(user, permissions);
    }

    private static JsonNode nextOf(TestClient client) {
        return Http.json(client.expect(Event.Message.class).data());
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void aFollowerSeesMembersAndResumesByPosition(WireEncoding encoding) {
        try (ServerInJvm server = ApiCalls.server(OPTION, "Presence.LeaveTime=1 s");
                Http api = Http.to(server.apiPort());
                TestClient bob = client(server, "bob", encoding)) {
            bob.subscribe("/rooms/7");
            Position position;
            try (TestClient follower = client(server, "", encoding)) {
                follower.subscribe(FOLLOWED);
                Event.Message snapshot = follower.expect(Event.Message.class);
                assertThat(snapshot.type()).isEqualTo(MessageType.SNAPSHOT);
                assertThat(Http.json(snapshot.data()).path("members"))
                        .isEqualTo(Http.json(
                                "[{\"user\":\"bob\",\"sessions\":1,\"info\":{\"name\":\"B\u00f6b\",\"n\":1}}]"));
                position = snapshot.at();
            }
            try (TestClient ann = client(server, "ann", encoding)) {
                ann.subscribe("/rooms/7");
            }
            await(api, "bob");
            try (TestClient follower = client(server, "", encoding)) {
                assertThat(follower.resume(FOLLOWED, position).recovery()).isEqualTo(Recovery.COMPLETE);
                assertThat(nextOf(follower).path("event").asText()).isEqualTo("joined");
                assertThat(nextOf(follower)).isEqualTo(Http.json("{\"event\":\"left\",\"user\":\"ann\"}"));
            }
        }
    }

    /** Waits until these are the members. */
    private static void await(Http api, String... users) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        List<String> present;
        do {
            JsonNode answer =
                    api.get("/v1/presence?subject=/rooms/7", ApiCalls.ALL).json();
            present = answer.path("members").findValuesAsText("user");
        } while (!present.equals(List.of(users)) && System.nanoTime() - deadline < 0);
        assertThat(present).containsExactly(users);
    }

    @Test
    void onlyThoseWhoMaySubscribeSeeTheMembers() {
        try (ServerInJvm server = ApiCalls.server(OPTION);
                TestClient outside =
                        TestClient.open(server, WireEncoding.JSON, bearer("eve", "{\"sub\":[\"/news/**\"]}"));
                TestClient system = TestClient.open(server, WireEncoding.JSON, bearer("root", "{\"system\":true}"));
                TestClient inside = client(server, "ann", WireEncoding.JSON)) {
            outside.ask(FOLLOWED);
            assertThat(outside.expect(Event.Failed.class).code()).isEqualTo("subscribe-denied");
            inside.ask("/$presence/$node/x");
            assertThat(inside.expect(Event.Failed.class).code()).isEqualTo("subscribe-denied");
            system.subscribe(FOLLOWED);
            inside.subscribe(FOLLOWED);
            inside.send(FOLLOWED, "{}");
            assertThat(inside.expect(Event.Failed.class).code()).isEqualTo("bad-subject");
        }
    }

    @Test
    void anInvalidInfoMakesTheTokenInvalid() {
        try (ServerInJvm server = ApiCalls.server(OPTION);
                Http http = Http.to(server.port())) {
            for (String info : List.of("7", "{\"x\":\"" + "y".repeat(260) + "\"}")) {
                Http.Answer answer = http.get(
                        "/history?subject=/rooms/7", bearer("ann", "{\"sub\":[\"/rooms/*\"],\"info\":" + info + "}"));
                assertThat(answer.code()).isEqualTo("unauthorized");
                assertThat(answer.body()).contains("info");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void theJavaClientFollowsWithoutAnyChange(Encoding encoding) throws Exception {
        BlockingQueue<Message> received = new LinkedBlockingQueue<>();
        try (ServerInJvm server = ApiCalls.server(OPTION);
                TestClient bob = client(server, "bob", WireEncoding.JSON);
                BelfryClient client = BelfryClient.builder()
                        .server("ws://127.0.0.1:" + server.port())
                        .encoding(encoding)
                        .token(token("cy", "{\"sub\":[\"/rooms/*\"]}"))
                        .build()) {
            bob.subscribe("/rooms/7");
            client.start();
            client.subscribe(FOLLOWED, received::add);
            assertThat(text(received)).contains("\"event\":\"state\"", "bob");
            client.subscribe("/rooms/7", message -> {});
            assertThat(text(received)).isEqualTo("{\"event\":\"joined\",\"user\":\"cy\",\"sessions\":1}");
        }
    }

    private static String text(BlockingQueue<Message> received) throws InterruptedException {
        Message message = received.poll(10, TimeUnit.SECONDS);
        assertThat(message).isNotNull();
        return message.text();
    }

    @Test
    void theServerApiReturnsTheMembers() throws Exception {
        try (ServerInJvm server = ApiCalls.server(OPTION);
                Http api = Http.to(server.apiPort());
                TestClient bob = client(server, "bob", WireEncoding.JSON)) {
            bob.subscribe("/rooms/7");
            await(api, "bob");
            BelfryApi calls = new BelfryApi(URI.create("http://127.0.0.1:" + server.apiPort()), ApiCalls.KEY);
            SubjectMembers members = calls.presence("/rooms/7");
            assertThat(members.users()).isEqualTo(1);
            assertThat(members.members())
                    .containsExactly(new SubjectMembers.SubjectMember("bob", 1, Map.of("name", "B\u00f6b", "n", 1L)));
            try (Http http = Http.to(server.port())) {
                JsonNode read = http.get("/history?subject=" + FOLLOWED, bearer("", "{\"sub\":[\"/rooms/*\"]}"))
                        .json();
                assertThat(read.path("messages").findValuesAsText("data"))
                        .singleElement()
                        .asString()
                        .contains("state");
            }
            ApiCalls.assertRefused(api.get("/v1/presence", ApiCalls.ALL), Code.BAD_REQUEST);
            ApiCalls.assertRefused(api.get("/v1/presence?subject=/$node/x", ApiCalls.ALL), Code.BAD_SUBJECT);
            ApiCalls.assertRefused(api.get("/v1/presence?subject=/" + "x".repeat(250), ApiCalls.ALL), Code.BAD_SUBJECT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "disk"})
    void aRestartEndsAllMembers(String history) throws Exception {
        String folder =
                Files.createTempDirectory(TestMachine.target(), "presence").toString();
        String[] settings = {OPTION, "History=" + history, "History.Folder=" + folder};
        Position position;
        try (ServerInJvm server = ApiCalls.server(settings);
                TestClient ann = client(server, "ann", WireEncoding.JSON);
                TestClient follower = client(server, "", WireEncoding.JSON)) {
            follower.subscribe(FOLLOWED);
            ann.subscribe("/rooms/7");
            position = follower.expect(Event.Message.class).at();
        }
        try (ServerInJvm server = ApiCalls.server(settings);
                TestClient follower = client(server, "", WireEncoding.JSON)) {
            follower.resume(FOLLOWED, position);
            if (history.equals("memory")) {
                assertThat(follower.expect(Event.Gap.class).reason()).isEqualTo("epoch-changed");
            } else {
                assertThat(nextOf(follower))
                        .isEqualTo(Http.json("{\"event\":\"state\",\"users\":0,\"sessions\":0,\"members\":[]}"));
            }
        }
    }

    @Test
    @Tag("slow")
    void manyMembersAreCounted() {
        try (ServerInJvm server = ApiCalls.server(OPTION, "Presence.MaxMembers=100");
                Http api = Http.to(server.apiPort());
                TestClient follower = client(server, "", WireEncoding.JSON)) {
            follower.subscribe(FOLLOWED);
            try (SubscriberCrowd crowd = new SubscriberCrowd(
                    server.port(),
                    MANY,
                    "/rooms/7",
                    member -> List.of(bearer("user" + member, "{\"sub\":[\"/rooms/*\"]}")))) {
                crowd.awaitSubscribed();
                int messages = 0;
                JsonNode last;
                do {
                    last = nextOf(follower);
                    messages++;
                } while (last.path("users").asInt() < MANY);
                assertThat(last)
                        .isEqualTo(
                                Http.json("{\"event\":\"counts\",\"users\":" + MANY + ",\"sessions\":" + MANY + "}"));
                assertThat(messages).isBetween(102, 300);
                JsonNode answer =
                        api.get("/v1/presence?subject=/rooms/7", ApiCalls.ALL).json();
                assertThat(answer.path("users").asInt()).isEqualTo(MANY);
                assertThat(answer.has("members")).isFalse();
                assertThat(crowd.faults()).isEmpty();
            }
        }
    }
}
