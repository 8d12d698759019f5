package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests events as messages of the subject {@code /$events}. */
final class EventSubjectTest {
    private static final String EVENTS = "/$events";

    private static TestServer start(String... more) {
        return TestServer.start(Stream.concat(
                        Stream.of(
                                "NodeName=one",
                                "Entitlement=JWT",
                                "Jwt.Secret=" + Jwts.SECRET,
                                "Subjects.1=/rooms/* presence=yes",
                                "Presence.LeaveTime=0"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    private static TestClient open(TestServer server, WireEncoding encoding, String user, String permissions) {
        String claims =
                "{\"sub\":\"" + user + "\"," + Jwts.claims(600, permissions).substring(1);
        return TestClient.open(server, encoding, "Authorization: Bearer " + Jwts.hs256(claims));
    }

    private static TestClient system(TestServer server, WireEncoding encoding) {
        return open(server, encoding, "root", "{\"system\":true}");
    }

    private static void visit(TestServer server, String user) {
        try (TestClient client = open(server, WireEncoding.JSON, user, "{\"sub\":[\"/rooms/*\"]}")) {
            client.subscribe("/rooms/7");
        }
    }

    /** Reads events about a user until each of these types has arrived; lanes report them in any order. */
    private static List<JsonNode> eventsUntil(TestClient client, String user, String... types) {
        List<JsonNode> events = new ArrayList<>();
        while (!types(events).containsAll(List.of(types))) {
            JsonNode event = Http.json(client.expect(Event.Message.class).data());
            if (event.path("user").asText().equals(user)) {
                events.add(event);
            }
        }
        return events;
    }

    private static List<String> types(List<JsonNode> events) {
        return events.stream().map(each -> each.path("type").asText()).toList();
    }

    @ParameterizedTest
    @EnumSource(WireEncoding.class)
    void eventsAreMessagesForClientsWithTheSystemPermission(WireEncoding encoding) {
        try (TestServer server = start("Events.Subject=all");
                TestClient follower = system(server, encoding);
                TestClient other = open(server, encoding, "eve", "{\"all\":[\"/**\"]}")) {
            follower.subscribe(EVENTS);
            visit(server, "ann");
            List<JsonNode> events = eventsUntil(follower, "ann", "session.closed", "presence.left");
            assertThat(types(events))
                    .containsExactlyInAnyOrder("session.opened", "presence.joined", "session.closed", "presence.left");
            assertThat(events).allSatisfy(event -> {
                assertThat(event.path("node").asText()).isEqualTo("one");
                assertThat(event.path("run").asLong()).isPositive();
            });
            for (int i = 1; i < events.size(); i++) {
                assertThat(events.get(i).path("seq").asLong())
                        .isEqualTo(events.get(i - 1).path("seq").asLong() + 1);
            }
            other.ask(EVENTS);
            assertThat(other.expect(Event.Failed.class).code()).isEqualTo("subscribe-denied");
            other.send(EVENTS, "{}");
            assertThat(other.expect(Event.Failed.class).code()).isEqualTo("bad-subject");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "disk"})
    void aFollowerResumesByPosition(String history) throws Exception {
        Path folder = Files.createTempDirectory(TestMachine.target(), "events");
        try (TestServer server = start(
                "Events.Subject=presence.joined presence.left", "History=" + history, "History.Folder=" + folder)) {
            Position position;
            try (TestClient follower = system(server, WireEncoding.JSON)) {
                follower.subscribe(EVENTS);
                visit(server, "ann");
                assertThat(types(eventsUntil(follower, "ann", "presence.joined")))
                        .hasSize(1);
                Event.Message left = follower.expect(Event.Message.class);
                assertThat(left.data()).contains("presence.left");
                position = left.at();
            }
            visit(server, "bob");
            try (TestClient follower = system(server, WireEncoding.BINARY)) {
                assertThat(follower.resume(EVENTS, position).recovery()).isEqualTo(Recovery.COMPLETE);
                assertThat(types(eventsUntil(follower, "bob", "presence.left")))
                        .containsExactly("presence.joined", "presence.left");
            }
        }
    }

    /** The only loop publishes the events, so the end of many sessions in few turns fills a short queue. */
    @Test
    void droppedEventsAreAnnouncedInTheirPlace() {
        try (TestServer server = start(
                        "Events.Subject=session.closed",
                        "Events.Waiting=5",
                        "Events.Batch=1",
                        "Workgroups=1",
                        "IoThreads=1");
                TestClient follower = system(server, WireEncoding.JSON)) {
            follower.subscribe(EVENTS);
            long next = 1;
            boolean missed = false;
            while (!missed) {
                List<TestClient> clients = Stream.generate(() -> open(server, WireEncoding.JSON, "u", "{}"))
                        .limit(50)
                        .toList();
                clients.forEach(TestClient::close);
                for (long end = next + 50; next < end; ) {
                    JsonNode event =
                            Http.json(follower.expect(Event.Message.class).data());
                    assertThat(event.path("seq").asLong()).isEqualTo(next);
                    missed |= event.path("type").asText().equals("missed");
                    next = event.path("toSeq").asLong(next) + 1;
                }
            }
        }
    }

    /** A message whose event is too large for the subject is still an event, without its content. */
    @Test
    void messagesAreEventsWithinTheSizeOfAMessage() {
        try (TestServer server =
                        start("Events.Subject=message", "Subjects.2=/orders/* events=both", "MaxMessageSize=8 KB");
                TestClient follower = system(server, WireEncoding.BINARY);
                TestClient publisher = open(server, WireEncoding.JSON, "ann", "{\"all\":[\"/**\"]}")) {
            follower.subscribe(EVENTS);
            publisher.publish("/orders/1", "small");
            publisher.publish("/orders/1", "\"".repeat(8_000));
            publisher.publish("/orders/1", "later");
            List<JsonNode> events = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                events.add(Http.json(follower.expect(Event.Message.class).data()));
            }
            assertThat(events).extracting(event -> event.path("data").asText()).containsExactly("small", "", "later");
            assertThat(events.get(1).path("dataBytes").asInt()).isEqualTo(8_000);
            assertThat(events.get(1).path("position").asText()).endsWith(":2");
        }
    }

    @Test
    void withoutTheKeyThereIsNoSubjectAndWrongValuesAreRefused() {
        try (TestServer server = start();
                TestClient follower = system(server, WireEncoding.JSON)) {
            follower.subscribe(EVENTS);
            visit(server, "ann");
            follower.ping(1);
            assertThat(follower.next()).isInstanceOf(Event.Pong.class);
        }
        assertThatThrownBy(() -> start("Events.Subject=session.lost"))
                .hasMessageContaining("Events.Subject")
                .hasMessageContaining("session.lost");
        assertThatThrownBy(() -> start("Events.Subject=all", "MaxMessageSize=1 KB"))
                .hasMessageContaining("MaxMessageSize")
                .hasMessageContaining("8 KB");
    }
}
