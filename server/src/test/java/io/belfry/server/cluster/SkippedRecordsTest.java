package io.belfry.server.cluster;

import static io.belfry.server.cluster.PlayedClusterLane.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Backbone;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.HeaderConfig;
import io.belfry.server.config.KafkaConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.history.History;
import io.belfry.server.history.Holes;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Drives the reader by hand: which records of Kafka's topics are messages. */
class SkippedRecordsTest implements PlayedClusterLane.Reading {
    private static final int MESSAGE_MAX = 10;
    private static final KafkaConfig CONFIG = ConfigLoader.load(
                    Optional.empty(),
                    Map.of(),
                    List.of("ClusterEngine=kafka", "Kafka.Brokers=localhost:1", "Kafka.Topic=t"))
            .kafka()
            .orElseThrow();

    /** A mock consumer that can be searched by time, which Kafka's own mock cannot. */
    private static final class Consumer extends MockConsumer<byte[], byte[]> {
        Consumer() {
            super("none");
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
                Map<TopicPartition, Long> timestampsToSearch) {
            return Map.of();
        }
    }

    private final Partitions partitions = new Partitions(2, List.of(new Bridge("orders", "id", 3, 2, 2)));
    private final Consumer consumer = new Consumer();
    private final List<Counter> counted = new ArrayList<>();
    private final List<String> received = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<String> before = new ArrayList<>();
    private final Holes holes = new Holes();
    private final History history = new History(9, new History.Bounds(100, 1000), 4096, 1 << 20, holes);
    private final LogPublisher publisher = new LogPublisher(
            "t",
            CONFIG,
            () -> new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()),
            counter -> {});
    private final KafkaBroker broker = new KafkaBroker(
            new KafkaShared(9, 1, partitions, CONFIG, publisher, Map.of(), publisher, 65_536, HeaderConfig.DEFAULT),
            PlayedClusterLane.of(names, this::known, new LoopCounters(), this),
            new Backbone.Cache(history, holes, new Retained(9, 1000)));
    private final LogReader reader = new LogReader(
            new LogReader.Log("t", partitions, MESSAGE_MAX),
            consumer,
            0,
            new LogReader.Before() {
                @Override
                public long from(int partition, long begin, long first) {
                    before.add(partition + " " + first + " to " + begin);
                    return begin - 1;
                }

                @Override
                public void restore() {
                    before.add("restored");
                }
            },
            List.of(broker),
            new SubjectKey(1),
            counted::add,
            broken -> {
                throw new AssertionError(broken);
            });

    private int known(SubjectKey key) {
        return PlayedClusterLane.known(names, key, broker);
    }

    /** Begins with two partitions per topic and ten records each that are older than the start of reading. */
    private void begin() {
        for (TopicPartition each : partitions.all("t")) {
            consumer.updateBeginningOffsets(Map.of(each, 3L));
            consumer.updateEndOffsets(Map.of(each, 10L));
        }
        reader.turn();
    }

    private void add(String topic, int partition, long offset, @Nullable String key, String value) {
        add(topic, partition, offset, key, value, new RecordHeaders());
    }

    private void add(
            String topic, int partition, long offset, @Nullable String key, String value, RecordHeaders headers) {
        consumer.addRecord(new ConsumerRecord<>(
                topic,
                partition,
                offset,
                1000,
                TimestampType.CREATE_TIME,
                0,
                0,
                key == null ? null : utf8(key),
                utf8(value),
                headers,
                Optional.empty()));
    }

    private static int partition(String key) {
        return Partitions.partition(utf8(key), 2);
    }

    @AfterEach
    void close() {
        history.close();
    }

    @Test
    void retainedMessagesOfTheLogAreRestoredFirst() {
        begin();
        assertThat(before).containsExactly("0 3 to 10", "1 3 to 10", "restored");
        assertThat(partitions.readTo(0))
                .as("one record earlier, for its leader epoch")
                .isEqualTo(8);
        assertThat(partitions.readTo(2)).isEqualTo(9);
    }

    @Test
    void onlyNodesPublishToSubjectsOfTheServer() {
        begin();
        String stats = "/$node/a/stats";
        add("t", partition(stats), 10, stats, "others");
        add("t", partition(stats), 11, stats, "a node's", new RecordHeaders(Headers.ofServer(List.of())));
        add("t", partition("/a/$b"), 12, "/a/$b", "a node's", new RecordHeaders(Headers.ofServer(List.of())));
        add("orders", partition("$x"), 10, "$x", "bridged", new RecordHeaders(Headers.ofServer(List.of())));
        reader.turn();
        assertThat(received).containsExactly(stats + " 12");
        assertThat(counted)
                .containsExactlyInAnyOrder(
                        Counter.CLUSTER_MALFORMED, Counter.CLUSTER_MALFORMED, Counter.CLUSTER_MALFORMED);
    }

    @Test
    void aRecordIsAMessageAccordingToItsTopicAndKey() {
        begin();
        add("t", partition("/a"), 10, "/a", "data");
        add("orders", partition("17"), 10, "17", "data");
        add("orders", partition("17"), 11, "17", "data");
        reader.turn();
        assertThat(received).containsExactlyInAnyOrder("/a 11", "/orders/17 11", "/orders/17 12");
        assertThat(counted).isEmpty();
    }

    @Test
    void recordsThatAreNotMessagesAreSkippedAndCounted() {
        begin();
        add("t", 0, 10, null, "data");
        add("t", 0, 11, "no subject", "data");
        add("t", 0, 12, "/too/large", "x".repeat(MESSAGE_MAX + 1));
        add("t", 0, 13, "/orders/17", "data");
        add("orders", 0, 10, null, "data");
        add("orders", 0, 11, "", "data");
        add("orders", 0, 12, "a/*", "data");
        add("orders", 0, 13, "x".repeat(250), "data");
        reader.turn();
        assertThat(received).isEmpty();
        assertThat(counted).hasSize(8).containsOnly(Counter.CLUSTER_MALFORMED);
        assertThat(partitions.readTo(0)).as("skipped records count as read").isEqualTo(14);
    }

    @Test
    void recordsInTheWrongPartitionAreSkippedAndCounted() {
        begin();
        add("t", 1 - partition("/a"), 10, "/a", "data");
        add("orders", 1 - partition("17"), 10, "17", "data");
        reader.turn();
        assertThat(received).isEmpty();
        assertThat(counted).hasSize(2).containsOnly(Counter.CLUSTER_MISPLACED);
    }

    @Override
    public void onMessage(int subject, MessageView message, long receivedNanos) {
        received.add(names.get(subject) + " " + message.seq());
    }
}
