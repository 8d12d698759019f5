package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes Kafka's own clients as running them taught, with what the configuration adds. Immutable. */
final class ClientSettings {
    /** Of the producer's request beside the data: subject, headers, the batch around it. */
    private static final int REQUEST_SLACK = 64 << 10;

    private static final int REQUEST_MIN = 1 << 20;

    private final KafkaConfig config;
    private final int maxMessageSize;

    ClientSettings(KafkaConfig config, int maxMessageSize) {
        this.config = config;
        this.maxMessageSize = maxMessageSize;
    }

    /** What a request with the largest message takes, and so what a topic is to take at once. */
    static String requestBytes(int maxMessageSize) {
        return Integer.toString(Math.max(REQUEST_MIN, maxMessageSize + REQUEST_SLACK));
    }

    Producer<byte[], byte[]> producer() {
        Map<String, Object> settings = common();
        settings.putAll(Map.of(
                "acks", "all",
                "enable.idempotence", "true",
                "max.in.flight.requests.per.connection", "5",
                "linger.ms", "1",
                "batch.size", Integer.toString(64 << 10),
                "delivery.timeout.ms", "45000",
                "request.timeout.ms", "8000",
                "buffer.memory", Long.toString(4 * LogPublisher.HANDED_BYTES_MAX + (long) maxMessageSize),
                // The publisher waits itself: nothing is handed on before the leaders are known.
                "max.block.ms", "0"));
        settings.put("metadata.max.idle.ms", Long.toString(24L * 60 * 60 * 1000));
        settings.put("max.request.size", requestBytes(maxMessageSize));
        settings.putAll(config.producer());
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    Consumer<byte[], byte[]> consumer() {
        Map<String, Object> settings = common();
        settings.putAll(Map.of(
                "auto.offset.reset", "none",
                "enable.auto.commit", "false",
                "allow.auto.create.topics", "false",
                "max.poll.records", "1000",
                "max.partition.fetch.bytes", Integer.toString(4 << 20),
                "fetch.max.bytes", Integer.toString(16 << 20),
                "default.api.timeout.ms", "10000",
                "request.timeout.ms", "8000"));
        settings.putAll(config.consumer());
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    Admin admin() {
        Map<String, Object> settings = common();
        settings.put("default.api.timeout.ms", "5000");
        settings.put("request.timeout.ms", "2000");
        settings.putAll(config.admin());
        return Admin.create(settings);
    }

    private Map<String, Object> common() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", List.copyOf(config.brokers()));
        // Its other value has clients start anew where no broker answers, and a send stalled for 17 s.
        settings.put("metadata.recovery.strategy", "none");
        settings.put("reconnect.backoff.max.ms", "500");
        settings.putAll(config.clients());
        return settings;
    }
}
