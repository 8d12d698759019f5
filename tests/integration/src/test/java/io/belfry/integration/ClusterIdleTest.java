package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.cluster.Brokers;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests a topic that Kafka's producer has removed from its metadata after an idle time. With {@code
 * -Dbelfry.cluster.proof=long} the test waits 5 min for Kafka's default; otherwise both sides use the shortest time.
 */
@Tag("complete")
final class ClusterIdleTest {
    private static final boolean LONG =
            System.getProperty("belfry.cluster.proof", "").equals("long");
    private static final long PAUSE_SECONDS = LONG ? 330 : 7;

    @Test
    void theFirstPublishAfterALongPauseIsAccepted() throws IOException, InterruptedException {
        try (Brokers brokers = ClusterNodes.startBrokers(1)) {
            ClusterNodes cluster = ClusterNodes.on(brokers);
            String[] settings = cluster.settings("Kafka.producer.metadata.max.age.ms=" + (LONG ? 300_000 : 1000));
            try (ServerProcess node =
                            LONG ? ServerProcess.startUnwatched(settings) : Mutant.FORGETS_THE_TOPIC.start(settings);
                    KafkaProducer<byte[], byte[]> bare = bare(cluster)) {
                Await.until("the producer has the topic's metadata", () -> !isRefused(bare, cluster));
                publish(node, "first");
                TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
                publish(node, "second");
                assertThat(isRefused(bare, cluster)).as("control").isTrue();
            }
        }
    }

    /** Uses a new connection, because the server closes a client that answers no pings for minutes. */
    private static void publish(ServerProcess node, String data) {
        try (TestClient client = TestClient.open(node, WireEncoding.JSON)) {
            client.publish("/idle", data);
        }
    }

    /** Creates a producer with the server's settings but without the server's workaround. */
    private static KafkaProducer<byte[], byte[]> bare(ClusterNodes cluster) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers", cluster.brokers(), "max.block.ms", "0", "metadata.recovery.strategy", "none"));
        if (!LONG) {
            settings.putAll(Map.of("metadata.max.idle.ms", "5000", "metadata.max.age.ms", "1000"));
        }
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static boolean isRefused(KafkaProducer<byte[], byte[]> bare, ClusterNodes cluster) {
        CompletableFuture<RecordMetadata> written = new CompletableFuture<>();
        bare.send(
                new ProducerRecord<>(cluster.topic(), TestClient.bytes("/idle"), TestClient.bytes("x")),
                (where, failure) -> {
                    if (failure != null) {
                        written.completeExceptionally(failure);
                    }
                });
        // Kafka calls back within send, since send may not block.
        return written.isCompletedExceptionally();
    }
}
