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
import org.junit.jupiter.api.Test;

/**
 * Kafka's producer forgets a topic it was not used for, and then does not know where to send. {@code
 * -Dbelfry.cluster.proof=long} waits until it does so by itself, after 5 min; else both are told to as soon as they can be.
 */
final class ClusterIdleTest {
    private static final boolean LONG =
            System.getProperty("belfry.cluster.proof", "").equals("long");
    private static final long PAUSE_SECONDS = LONG ? 330 : 7;

    @Test
    void theFirstPublishAfterALongPauseIsTaken() throws IOException, InterruptedException {
        try (Brokers brokers = ClusterNodes.startBrokers(1)) {
            ClusterNodes cluster = ClusterNodes.on(brokers);
            String[] settings = cluster.settings("Kafka.producer.metadata.max.age.ms=" + (LONG ? 300_000 : 1000));
            try (ServerProcess node =
                            LONG ? ServerProcess.startUnwatched(settings) : Mutant.FORGETS_THE_TOPIC.start(settings);
                    KafkaProducer<byte[], byte[]> bare = bare(cluster)) {
                Await.until("it knows the topic", () -> !isRefused(bare, cluster));
                publish(node, "first");
                TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
                publish(node, "second");
                assertThat(isRefused(bare, cluster)).as("the control").isTrue();
            }
        }
    }

    /** On a connection of its own: who does not answer pings for minutes is ended. */
    private static void publish(ServerProcess node, String data) {
        try (Client client = Client.open(node, Encoding.JSON)) {
            client.publish("/idle", data);
        }
    }

    /** As the server's is, without what the server does about it. */
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
        bare.send(new ProducerRecord<>(cluster.topic(), Client.bytes("/idle"), Client.bytes("x")), (where, failure) -> {
            if (failure != null) {
                written.completeExceptionally(failure);
            }
        });
        // Told within the call, since it may not wait.
        return written.isCompletedExceptionally();
    }
}
