package io.belfry.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads and changes Kafka's topics with Kafka's own clients. Immutable. */
record Topics(String brokers) {
    void create(String name, int partitions) {
        try (Admin admin = admin()) {
            done(admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                    .all());
        }
    }

    void delete(String name) {
        try (Admin admin = admin()) {
            done(admin.deleteTopics(List.of(name)).all());
        }
    }

    /** Deletes all records, as expired retention does. */
    void empty(String name, int partitions) {
        Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
        partitions(name, partitions).forEach(each -> all.put(each, RecordsToDelete.beforeOffset(-1)));
        try (Admin admin = admin()) {
            done(admin.deleteRecords(all).all());
        }
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", brokers));
    }

    private static void done(KafkaFuture<?> future) {
        try {
            future.get();
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static List<TopicPartition> partitions(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(partition -> new TopicPartition(name, partition))
                .toList();
    }

    /** Returns all records in the order of their partitions. */
    List<ConsumerRecord<String, String>> records(String name, int partitions) {
        Map<String, Object> settings = Map.of("bootstrap.servers", brokers);
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> all = partitions(name, partitions);
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            List<ConsumerRecord<String, String>> found = new ArrayList<>();
            while (all.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
                consumer.poll(Duration.ofMillis(100)).forEach(found::add);
            }
            return found;
        }
    }

    /** Returns key and value of each record. */
    List<String> texts(String name, int partitions) {
        return records(name, partitions).stream()
                .map(record -> record.key() + " " + record.value())
                .toList();
    }
}
