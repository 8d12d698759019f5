package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.cluster.Brokers;
import io.belfry.cluster.KafkaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests events in a topic of a real broker that stops and continues. ClusterFeedTest has the topic without faults. */
final class EventTopicTest {
    private static final int PARTITIONS = 4;
    private static final int SESSIONS = 600;

    @Test
    @Tag("complete")
    void aStoppedBrokerDisturbsNothingAndTheLossIsAnnounced() throws IOException {
        try (Brokers brokers = ClusterNodes.startBrokers(1)) {
            ClusterNodes cluster = ClusterNodes.on(brokers);
            try (TestServer node = ServerInJvm.start(cluster.settings(
                    "Entitlement=JWT",
                    "Jwt.Secret=" + Jwts.SECRET,
                    "Events.Topic=events",
                    "Events.Waiting=100",
                    "Events.Batch=10",
                    "Events.RetryTime=500ms",
                    "Kafka.PublishTime=1s",
                    "Kafka.producer.delivery.timeout.ms=3000",
                    "Kafka.producer.request.timeout.ms=2000"))) {
                KafkaProcess broker = brokers.all().getFirst();
                try (TestClient pinging = TestClient.open(node, WireEncoding.JSON, bearer("ping"))) {
                    for (int i = 0; i < SESSIONS; i++) {
                        if (i == SESSIONS / 3) {
                            broker.hold(true);
                        } else if (i == 2 * SESSIONS / 3) {
                            Await.until("events are missed", () -> counter(node, "eventsMissed") > 0);
                            Await.until("batches fail", () -> counter(node, "eventFailures") > 0);
                            broker.hold(false);
                        }
                        TestClient.open(node, WireEncoding.JSON, bearer("u" + i % 7))
                                .close();
                        long begin = System.nanoTime();
                        pinging.ping(i);
                        pinging.await(Event.Pong.class);
                        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
                    }
                    Topics topics = new Topics(brokers.addresses());
                    // The start of the node, the session that pings, and all others.
                    Await.until(
                            "all events are in the topic, or announced as missed",
                            Duration.ofSeconds(60),
                            () -> covered(topics.records("events", PARTITIONS)) == 2 + 2 * SESSIONS);
                    requireOrder(topics.records("events", PARTITIONS));
                }
            }
        }
    }

    private static String bearer(String user) {
        return "Authorization: Bearer " + ApiCalls.token(user, "");
    }

    private static long counter(TestServer server, String name) {
        return server.stats().path("counters").path(name).asLong();
    }

    /** Returns the last number up to which each one is an event or was missed. */
    private static long covered(List<ConsumerRecord<String, String>> records) {
        Map<Long, JsonNode> byNumber = new TreeMap<>();
        for (ConsumerRecord<String, String> record : records) {
            JsonNode event = Http.json(record.value());
            byNumber.put(event.path("seq").asLong(), event);
        }
        long last = 0;
        for (JsonNode event : byNumber.values()) {
            if (event.path("seq").asLong() != last + 1) {
                break;
            }
            last = event.path("toSeq").asLong(last + 1);
        }
        return last;
    }

    /** Requires the key of each record, and for each key the order of the events, in which repeated records are ignored. */
    private static void requireOrder(List<ConsumerRecord<String, String>> records) {
        Map<String, List<Long>> seqs = new HashMap<>();
        for (ConsumerRecord<String, String> record : records) {
            JsonNode event = Http.json(record.value());
            String key = event.path("user").asText(event.path("node").asText());
            assertThat(record.key()).isEqualTo(key);
            List<Long> before = seqs.computeIfAbsent(key, added -> new ArrayList<>());
            long seq = event.path("seq").asLong();
            if (!before.contains(seq)) {
                before.add(seq);
            }
        }
        assertThat(seqs).hasSize(9);
        assertThat(seqs.values()).allSatisfy(each -> assertThat(each).isSorted());
    }

    @Test
    void aWrongTopicIsRefusedAtTheStart() {
        assertThatThrownBy(() -> TestServer.start("Events.Topic=events"))
                .hasMessageContaining("Events.Topic")
                .hasMessageContaining("ClusterEngine = kafka");
        ClusterNodes cluster = new ClusterNodes("127.0.0.1:1", "log");
        for (String topic : List.of("log", "log.retained", "log.presence", "a/b", "events session.lost")) {
            assertThatThrownBy(() -> TestServer.start(cluster.settings("Events.Topic=" + topic)))
                    .as(topic)
                    .hasMessageContaining("Events.Topic");
        }
    }
}
