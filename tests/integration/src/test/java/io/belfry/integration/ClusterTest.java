package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.cluster.Brokers;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Several nodes on one real broker: one order for all, and clients that go from one node to another. */
final class ClusterTest {
    private static final boolean LONG =
            System.getProperty("belfry.cluster.proof", "").equals("long");

    private static Brokers brokers;
    private static ClusterNodes cluster;
    private static ServerProcess a;
    private static ServerProcess b;

    /** Publishes once at the beginning, and then not for long. */
    private static ServerProcess idle;

    private static KafkaProducer<byte[], byte[]> forgetful;
    private static long idleSinceNanos;

    @BeforeAll
    static void startCluster() throws IOException {
        brokers = Brokers.start(Machine.root(), Files.createTempDirectory(Machine.target(), "brokers"), 1);
        cluster = ClusterNodes.on(brokers);
        a = cluster.start();
        b = cluster.start();
        // In the short form both forget a topic as soon as Kafka's client allows it, in the long form when it does by
        // itself.
        String forgettingSooner = "Kafka.producer.metadata.max.age.ms=1000";
        idle = LONG
                ? ServerProcess.startUnwatched(cluster.settings())
                : Mutant.FORGETS_THE_TOPIC.start(cluster.settings(forgettingSooner));
        forgetful = forgetful();
        publishIdly();
        idleSinceNanos = System.nanoTime();
    }

    /** As the server's producer is, but for what keeps the topic in mind. */
    private static KafkaProducer<byte[], byte[]> forgetful() {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers", brokers.addresses(), "max.block.ms", "0", "metadata.recovery.strategy", "none"));
        if (!LONG) {
            settings.putAll(Map.of("metadata.max.idle.ms", "5000", "metadata.max.age.ms", "1000"));
        }
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void publishIdly() {
        Await.until("the topic is known", () -> !sendForgetfully().isCompletedExceptionally());
        try (Client client = Client.open(idle, Encoding.JSON)) {
            client.publish("/idle", "first");
        }
    }

    private static CompletableFuture<RecordMetadata> sendForgetfully() {
        CompletableFuture<RecordMetadata> written = new CompletableFuture<>();
        forgetful.send(
                new ProducerRecord<>(cluster.topic(), Client.bytes("/idle"), Client.bytes("x")), (where, failure) -> {
                    if (failure == null) {
                        written.complete(where);
                    } else {
                        written.completeExceptionally(failure);
                    }
                });
        return written;
    }

    @AfterAll
    static void stopCluster() {
        try {
            forgetful.close();
            idle.close();
            b.close();
            a.close();
        } finally {
            brokers.close();
        }
    }

    @Test
    void whatIsPublishedOnAnyNodeComesToAllInOneOrder() {
        try (Client readerOfA = Client.open(a, Encoding.BINARY);
                Client readerOfB = Client.open(b, Encoding.JSON);
                Client toA = Client.open(a, Encoding.JSON);
                Client toB = Client.open(b, Encoding.BINARY)) {
            readerOfA.subscribe("/one");
            readerOfB.subscribe("/one");
            for (int i = 0; i < 50; i++) {
                toA.send("/one", "a" + i);
                toB.send("/one", "b" + i);
                // Others in the same partitions: seqs have holes.
                toB.send("/other/" + i, "x");
            }
            List<Event.Message> atA = messages(readerOfA, 100);
            List<Event.Message> atB = messages(readerOfB, 100);
            assertThat(atA.stream().map(Event.Message::data))
                    .containsExactlyElementsOf(
                            atB.stream().map(Event.Message::data).toList());
            assertThat(atA.stream().map(Event.Message::at))
                    .containsExactlyElementsOf(
                            atB.stream().map(Event.Message::at).toList());
            assertThat(atA.stream().map(Event.Message::data).filter(data -> data.startsWith("a")))
                    .containsExactlyElementsOf(numbered("a", 50));
            assertThat(atA.stream().map(Event.Message::data).filter(data -> data.startsWith("b")))
                    .containsExactlyElementsOf(numbered("b", 50));
        }
    }

    private static List<String> numbered(String of, int count) {
        return IntStream.range(0, count).mapToObj(i -> of + i).toList();
    }

    private static List<Event.Message> messages(Client client, int count) {
        return Stream.generate(() -> client.expect(Event.Message.class))
                .limit(count)
                .toList();
    }

    @Test
    void whoComesFromAnotherNodeGoesOnWhereItWas() {
        try (Client first = Client.open(a, Encoding.JSON);
                Client publisher = Client.open(b, Encoding.JSON)) {
            Event.Subscribed at = first.subscribe("/resumed");
            List<Position> positions = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                positions.add(publisher.publish("/resumed", "m" + i));
                publisher.publish("/between/" + i, "x");
            }
            assertThat(first.data(20)).isEqualTo(numbered("m", 20));
            List<Position> starts = new ArrayList<>(positions);
            starts.addFirst(at.at());
            for (ServerProcess node : List.of(a, b)) {
                for (int had = 0; had <= 20; had += 5) {
                    try (Client again = Client.open(node, Encoding.BINARY)) {
                        Event.Subscribed resumed = again.resume("/resumed", starts.get(had));
                        assertThat(resumed.recovery()).isEqualTo(Recovery.COMPLETE);
                        assertThat(again.data(20 - had))
                                .isEqualTo(numbered("m", 20).subList(had, 20));
                    }
                }
            }
        }
    }

    @Test
    void aNodeThatStartsLaterHasTheHistory() {
        try (Client publisher = Client.open(a, Encoding.JSON)) {
            Position last = new Position(0, 0);
            for (int i = 0; i < 30; i++) {
                last = publisher.publish("/past", "p" + i);
            }
            try (ServerProcess later = cluster.start();
                    Http http = Http.to(later.port());
                    Client returning = Client.open(later, Encoding.JSON)) {
                JsonNode history =
                        http.get("/history?subject=/past&count=10").json().path("messages");
                assertThat(history).hasSize(10);
                assertThat(history.get(9).path("data").asText()).isEqualTo("p29");
                assertThat(history.get(9).path("epoch").asLong()).isEqualTo(last.epoch());
                assertThat(returning.resume("/past", last).recovery()).isEqualTo(Recovery.COMPLETE);
                publisher.publish("/past", "next");
                assertThat(returning.data(1)).containsExactly("next");
            }
        }
    }

    @Test
    void aMessageRepeatedOnAnotherNodeComesOnce() {
        try (Client reader = Client.open(a, Encoding.JSON);
                Http toA = Http.to(a.port());
                Http toB = Http.to(b.port())) {
            reader.subscribe("/once");
            for (int i = 0; i < 20; i++) {
                JsonNode first =
                        toA.post("/publish?subject=/once&msgId=m" + i, "o" + i).json();
                JsonNode again =
                        toB.post("/publish?subject=/once&msgId=m" + i, "o" + i).json();
                assertThat(again).isEqualTo(first);
            }
            assertThat(reader.data(20)).isEqualTo(numbered("o", 20));
            toA.post("/publish?subject=/once", "last");
            assertThat(reader.data(1)).containsExactly("last");
        }
    }

    /** Kafka's producer forgets a topic it was not used for, and then does not know where to send. */
    @Test
    void theFirstPublishAfterALongPauseIsTaken() throws InterruptedException {
        long pauseNanos = TimeUnit.SECONDS.toNanos(LONG ? 330 : 8);
        TimeUnit.NANOSECONDS.sleep(pauseNanos - (System.nanoTime() - idleSinceNanos));
        try (Client client = Client.open(idle, Encoding.JSON)) {
            client.publish("/idle", "second");
        }
        assertThat(sendForgetfully()).as("the control").isCompletedExceptionally();
    }
}
