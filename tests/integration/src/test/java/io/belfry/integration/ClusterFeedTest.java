package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.cluster.Brokers;
import io.belfry.server.monitor.NodeSummary;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that any node of a cluster shows the figures of all nodes, and that none are published without need. */
@Tag("complete")
final class ClusterFeedTest {
    private static final String EVENTS = "feed-events";
    private static Brokers brokers;
    private static ServerInJvm a;
    private static ServerInJvm b;

    @BeforeAll
    static void start() throws IOException {
        brokers = ClusterNodes.startBrokers(1);
        ClusterNodes cluster = ClusterNodes.on(brokers);
        a = ServerInJvm.start(settings(cluster, "a"));
        b = ServerInJvm.start(settings(cluster, "b"));
    }

    private static String[] settings(ClusterNodes cluster, String name) {
        return cluster.settings(
                "NodeName=" + name,
                "PubSubTightlyCoupled=true",
                "Events.Topic=" + EVENTS + " session.opened session.closed",
                "Events.Subject=session.opened");
    }

    @AfterAll
    static void stop() {
        try {
            b.close();
            a.close();
        } finally {
            brokers.close();
        }
    }

    @Test
    void aSubscriberOfOneNodeGetsTheFiguresOfAnother() {
        try (TestClient client = TestClient.open(a, WireEncoding.BINARY)) {
            client.subscribe("/$node/b/stats");
            for (int i = 0; i < 3; i++) {
                JsonNode stats = Http.json(client.expect(Event.Message.class).data());
                assertThat(stats.path("node").asText()).isEqualTo("b");
                assertThat(stats.path("cluster").path("stale").asBoolean()).isFalse();
            }
        }
    }

    @Test
    void eventsOfEachNodeReachTheTopicAndTheSubject() {
        Topics topics = new Topics(brokers.addresses());
        try (TestClient follower = TestClient.open(a, WireEncoding.JSON)) {
            follower.subscribe("/$events");
            for (ServerInJvm node : List.of(a, b)) {
                String session;
                try (TestClient client = TestClient.open(node, WireEncoding.JSON)) {
                    client.connect(null);
                    session = client.expect(Event.Connected.class).session();
                }
                JsonNode event;
                do {
                    event = Http.json(follower.expect(Event.Message.class).data());
                } while (!event.path("session").asText().equals(session));
                assertThat(event.path("node").asText()).isEqualTo(node == a ? "a" : "b");
                Await.until(
                        "both events of the session",
                        () -> topics.records(EVENTS, 4).stream()
                                .filter(record -> record.key().equals(session))
                                .map(record ->
                                        Http.json(record.value()).path("type").asText())
                                .toList()
                                .equals(List.of("session.opened", "session.closed")));
            }
        }
    }

    @Test
    void theSubjectOfTheClusterHasAllNodes() {
        requireBothNodes(a, b, "a", "b");
    }

    @Test
    void nodesThatReportNoSubscribersAreAskedForTheirSummaries() throws IOException, InterruptedException {
        ClusterNodes cluster = ClusterNodes.on(brokers);
        try (ServerInJvm c = ServerInJvm.start(cluster.settings("NodeName=c"));
                ServerInJvm d = ServerInJvm.start(cluster.settings("NodeName=d"))) {
            requireBothNodes(c, d, "c", "d");
            // The question is valid for five seconds, and each node looks once per second.
            Thread.sleep(8_000);
            String before = last(d);
            Thread.sleep(2_500);
            assertThat(last(d)).as("nobody asks any more").isEqualTo(before);
        }
    }

    private static void requireBothNodes(TestServer one, TestServer two, String... all) {
        for (TestServer node : Set.of(one, two)) {
            try (TestClient client = TestClient.open(node, WireEncoding.JSON)) {
                client.subscribe("/$cluster/nodes");
                Set<String> names = new TreeSet<>();
                while (names.size() < 2) {
                    JsonNode summary =
                            Http.json(client.expect(Event.Message.class).data());
                    assertThat(summary.path("ready").asBoolean()).isTrue();
                    names.add(summary.path("node").asText());
                }
                assertThat(names).containsExactly(all);
            }
        }
    }

    @Test
    void aNodeFollowsTheOthersOnlyWhileAConsoleAsks() throws InterruptedException {
        Await.until("node a knows both", () -> a.nodes().size() == 2);
        assertThat(a.nodes()).extracting(NodeSummary::node).containsExactly("a", "b");
        assertThat(a.nodes()).allMatch(NodeSummary::ready).allMatch(node -> node.seenMillis() > 0);
        long seen = a.nodes().getLast().seenMillis();
        Await.until("newer figures of node b", () -> a.nodes().getLast().seenMillis() > seen);
        // Ten seconds after the last question, and five after the last message with one.
        Thread.sleep(20_000);
        String before = last(b);
        Thread.sleep(2_500);
        assertThat(last(b)).isEqualTo(before);
    }

    private static String last(TestServer node) {
        try (Http http = Http.to(node.port())) {
            return http.get("/history?subject=/$cluster/nodes&count=1").body();
        }
    }
}
