package io.belfry.integration;

import static io.belfry.integration.ApiCalls.ALL;
import static io.belfry.integration.ApiCalls.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.cluster.Brokers;
import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that removed messages are announced to followers and cannot be read any more. */
final class RemovedHistoryTest {
    private static ServerInJvm server(String... more) {
        String[] all = new String[more.length + 2];
        all[0] = "Entitlement=None";
        all[1] = "CacheSize=100";
        System.arraycopy(more, 0, all, 2, more.length);
        return ApiCalls.server(all);
    }

    private static Position remove(ServerInJvm server, String subject) {
        try (Http api = Http.to(server.apiPort())) {
            Http.Answer answer = api.request("DELETE", "/v1/history?subject=" + subject, "", ALL);
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            assertThat(answer.json().path("subject").asText()).isEqualTo(subject);
            return new Position(
                    answer.json().path("epoch").asLong(),
                    answer.json().path("seq").asLong());
        }
    }

    private static Event.Gap gap(String subject, Position from, Position to) {
        return new Event.Gap(subject, from, to, "history-removed");
    }

    private static Position before(Position at) {
        return new Position(at.epoch(), at.seq() - 1);
    }

    private static void assertGone(ServerInJvm server, String subject, Position removal) {
        try (Http http = Http.to(server.port());
                Http api = Http.to(server.apiPort());
                TestClient late = TestClient.open(server, WireEncoding.JSON);
                TestClient behind = TestClient.open(server, WireEncoding.BINARY)) {
            JsonNode messages =
                    http.get("/history?count=50&subject=" + subject).json().path("messages");
            assertThat(messages.findValuesAsText("op")).containsOnly("gap");
            JsonNode stored = api.get("/v1/history?subject=" + subject, ALL).json();
            assertThat(stored.path("messages")).isEmpty();
            assertThat(stored.path("seq").asLong()).isEqualTo(removal.seq());
            late.subscribe(subject);
            late.publish("/other", "x");
            Position from = new Position(removal.epoch(), 1);
            assertThat(behind.resume(subject, from).recovery()).isEqualTo(Recovery.GAP);
            assertThat(behind.expect(Event.Gap.class)).isEqualTo(gap(subject, from, removal));
        }
    }

    @ParameterizedTest
    @EnumSource
    void followersGetAGapInPlaceOfTheRemovedMessages(WireEncoding encoding) {
        try (ServerInJvm server = server();
                TestClient publisher = TestClient.open(server, encoding);
                TestClient named = TestClient.open(server, encoding);
                TestClient pattern = TestClient.open(server, encoding);
                Http events = Http.to(server.port());
                Http lines = Http.to(server.port())) {
            publisher.publish("/a", "one");
            Position last = publisher.retain("/a", "two", null);
            named.subscribe("/a");
            named.expect(Event.Message.class);
            pattern.ask("/*");
            pattern.await(Event.Subscribed.class);
            events.stream("/subscribe?subject=/a&subject=/b");
            lines.stream("/subscribe?subject=/a", "Accept: application/x-ndjson");
            Http.LineSource event = events.lines();
            Http.LineSource line = lines.lines();
            assertThat(line.next()).contains("subscribed");
            assertThat(line.next()).contains("snapshot");
            Position removal = remove(server, "/a");
            assertThat(removal).isEqualTo(new Position(last.epoch(), last.seq() + 1));
            assertThat(named.expect(Event.Gap.class)).isEqualTo(gap("/a", last, removal));
            assertThat(pattern.await(Event.Gap.class)).isEqualTo(gap("/a", last, removal));
            String json = "{\"op\":\"gap\",\"subject\":\"/a\",\"from\":\"" + last + "\",\"to\":\"" + removal
                    + "\",\"reason\":\"history-removed\"}";
            assertThat(line.next()).isEqualTo(json);
            String eventLine = event.next();
            while (!eventLine.equals("event: gap")) {
                eventLine = event.next();
            }
            assertThat(event.next()).startsWith("id: " + removal);
            assertThat(event.next()).isEqualTo("data: " + json);
            Position next = publisher.publish("/a", "three");
            assertThat(before(next)).isEqualTo(removal);
            assertThat(named.data(1)).containsExactly("three");
            assertThat(pattern.data(1)).containsExactly("three");
        }
    }

    @Test
    void removedMessagesCannotBeRead() {
        try (ServerInJvm server = server();
                TestClient publisher = TestClient.open(server, WireEncoding.JSON);
                TestClient resumed = TestClient.open(server, WireEncoding.JSON);
                TestClient complete = TestClient.open(server, WireEncoding.JSON);
                Http http = Http.to(server.port())) {
            Position first = publisher.publish("/a", "one");
            Position second = publisher.retain("/a", "two", null);
            Position removal = remove(server, "/a");
            assertGone(server, "/a", removal);
            publisher.publish("/a", "three");
            assertThat(resumed.resume("/a", first).recovery()).isEqualTo(Recovery.GAP);
            assertThat(resumed.expect(Event.Gap.class)).isEqualTo(gap("/a", first, removal));
            assertThat(resumed.data(1)).containsExactly("three");
            complete.resume("/a", second);
            assertThat(complete.await(Event.Gap.class).to()).isEqualTo(removal);
            assertThat(complete.data(1)).containsExactly("three");
            JsonNode poll =
                    http.get("/poll?wait=1s&subject=/a&from=" + first).json().path("messages");
            assertThat(poll.get(0).path("reason").asText()).isEqualTo("history-removed");
            assertThat(poll.get(1).path("data").asText()).isEqualTo("three");
        }
    }

    @Test
    void aResumedPatternGetsNoRemovedMessages() {
        try (ServerInJvm server = server();
                TestClient publisher = TestClient.open(server, WireEncoding.BINARY);
                Http http = Http.to(server.port())) {
            publisher.publish("/p/0", "zero");
            String at = http.get("/poll?wait=0&subject=/p/*").json().path("at").asText();
            assertThat(at).isNotEmpty();
            publisher.publish("/p/1", "one");
            Position removal = remove(server, "/p/1");
            publisher.publish("/p/1", "two");
            JsonNode events =
                    http.get("/poll?wait=1s&subject=/p/*&from=" + at).json().path("messages");
            assertThat(events)
                    .extracting(each -> each.path("data").asText())
                    .doesNotContain("one")
                    .endsWith("two");
            assertThat(events).extracting(each -> each.path("to").asText()).contains(removal.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Workgroups=2", "Workgroups=1"})
    void aRestartDoesNotShowRemovedMessagesAgain(String workgroups) throws IOException {
        Path folder = Files.createTempDirectory(TestMachine.target(), "removed");
        String[] settings = {"History=disk", "History.Folder=" + folder, "Workgroups=2"};
        Position removal;
        try (ServerInJvm server = server(settings);
                TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
            publisher.publish("/a", "one");
            publisher.retain("/a", "two", null);
            publisher.publish("/b", "stays");
            removal = remove(server, "/a");
            assertGone(server, "/a", removal);
        }
        settings[2] = workgroups;
        try (ServerInJvm server = server(settings);
                Http http = Http.to(server.port())) {
            assertThat(http.get("/history?subject=/b")
                            .json()
                            .path("messages")
                            .get(0)
                            .path("data")
                            .asText())
                    .isEqualTo("stays");
            assertGone(server, "/a", new Position(epoch(server), removal.seq()));
        }
    }

    private static long epoch(ServerInJvm server) {
        try (Http api = Http.to(server.apiPort())) {
            return api.get("/v1/history?subject=/a", ALL).json().path("epoch").asLong();
        }
    }

    @Test
    void onlyPlainSubjectsOfClientsAreRemoved() {
        try (ServerInJvm server = server();
                Http api = Http.to(server.apiPort())) {
            assertRefused(api.request("DELETE", "/v1/history", "", ALL), Code.BAD_REQUEST);
            assertRefused(api.request("DELETE", "/v1/history?subject=/a/*", "", ALL), Code.WILDCARD_NOT_ALLOWED);
            assertRefused(api.request("DELETE", "/v1/history?subject=/$node/a", "", ALL), Code.BAD_SUBJECT);
            assertRefused(api.request("DELETE", "/v1/sessions", "", ALL), Code.METHOD_NOT_ALLOWED);
            assertRefused(api.request("DELETE", "/v1/history?subject=/a", ""), Code.UNAUTHORIZED);
        }
    }

    @Test
    @Tag("complete")
    void aRemovalAppliesOnAllNodesOfACluster() throws IOException {
        try (Brokers brokers = ClusterNodes.startBrokers(1)) {
            ClusterNodes cluster = ClusterNodes.on(brokers);
            Position first;
            Position removal;
            try (ServerInJvm a = server(cluster.settings("NodeName=a"));
                    ServerInJvm b = server(cluster.settings("NodeName=b"));
                    TestClient publisher = TestClient.open(a, WireEncoding.JSON);
                    TestClient follower = TestClient.open(b, WireEncoding.BINARY)) {
                first = publisher.publish("/a", "one");
                Position last = publisher.retain("/a", "two", null);
                try (Http api = Http.to(b.apiPort())) {
                    Await.until(
                            "node b has the messages",
                            () -> api.get("/v1/history?subject=/a", ALL)
                                            .json()
                                            .path("messages")
                                            .size()
                                    == 2);
                }
                follower.subscribe("/a");
                removal = remove(a, "/a");
                Event.Gap gap = follower.await(Event.Gap.class);
                assertThat(gap).isEqualTo(gap("/a", last, removal));
                assertGoneInCluster(b, first, removal);
            }
            try (ServerInJvm later = server(cluster.settings("NodeName=c"))) {
                assertGoneInCluster(later, first, removal);
            }
        }
    }

    private static void assertGoneInCluster(ServerInJvm server, Position first, Position removal) {
        try (TestClient behind = TestClient.open(server, WireEncoding.JSON);
                TestClient late = TestClient.open(server, WireEncoding.JSON);
                Http api = Http.to(server.apiPort())) {
            behind.askFrom("/a", first);
            assertThat(behind.await(Event.Gap.class)).isEqualTo(gap("/a", first, removal));
            assertThat(api.get("/v1/history?subject=/a", ALL).json().path("messages"))
                    .isEmpty();
            late.subscribe("/a");
            late.ping(7);
            late.expect(Event.Pong.class);
        }
    }
}
