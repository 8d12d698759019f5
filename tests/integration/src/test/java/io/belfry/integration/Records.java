package io.belfry.integration;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes many messages with ids to the log, as nodes do. No state except the log. */
final class Records {
    private static final int SUBJECTS = 2000;
    private static final String PADDING = "~".repeat(100);

    private Records() {}

    static String subject(int number) {
        return "/r/" + number % SUBJECTS;
    }

    static String text(int number) {
        return "<" + number + ">";
    }

    static void write(ClusterNodes nodes, int count) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", nodes.brokers(), "linger.ms", "5", "batch.size", "131072");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>(
                        nodes.topic(),
                        null,
                        subject(i).getBytes(StandardCharsets.UTF_8),
                        (text(i) + PADDING).getBytes(StandardCharsets.UTF_8),
                        List.of(new RecordHeader("id", ("client-" + i).getBytes(StandardCharsets.UTF_8)))));
            }
        }
    }
}
