package io.belfry.server.cluster;

import io.belfry.server.config.KafkaClientConfig;
import io.belfry.server.config.KafkaConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates Kafka's clients with settings found by experience, and those that the configuration adds. Immutable. */
final class ClientSettings {
    /** Bytes of a producer's request beside the data: subject, headers, batch. */
    private static final int REQUEST_SLACK = 64 << 10;

    private static final int REQUEST_MIN = 1 << 20;

    private static final String DELIVERY_TIMEOUT = "delivery.timeout.ms";
    private static final String DELIVERY_MILLIS = "45000";

    private final KafkaConfig config;
    private final int maxMessageSize;

    ClientSettings(KafkaConfig config, int maxMessageSize) {
        this.config = config;
        this.maxMessageSize = maxMessageSize;
    }

    /** Returns the size of a request with the largest message, which a topic must accept. */
    static String requestBytes(int maxMessageSize) {
        return Integer.toString(Math.max(REQUEST_MIN, maxMessageSize + REQUEST_SLACK));
    }

    /** Returns the time after which the producer gives up a record. Its settings must be valid. */
    static long deliveryNanos(KafkaConfig config) {
        KafkaClientConfig clients = config.clients();
        String ofAll = clients.all().getOrDefault(DELIVERY_TIMEOUT, DELIVERY_MILLIS);
        return TimeUnit.MILLISECONDS.toNanos(Long.parseLong(
                clients.producer().getOrDefault(DELIVERY_TIMEOUT, ofAll).strip()));
    }

    Producer<byte[], byte[]> producer() {
        Map<String, Object> settings = common();
        settings.putAll(Map.of(
                "acks", "all",
                "enable.idempotence", "true",
                "max.in.flight.requests.per.connection", "5",
                "linger.ms", "1",
                "batch.size", Integer.toString(64 << 10),
                "request.timeout.ms", "8000",
                "buffer.memory", Long.toString(4 * LogPublisher.HANDED_BYTES_MAX + (long) maxMessageSize),
                // The publisher waits itself: it passes nothing on before the partition leaders are known.
                "max.block.ms", "0"));
        settings.put(DELIVERY_TIMEOUT, DELIVERY_MILLIS);
        settings.put("metadata.max.idle.ms", Long.toString(24L * 60 * 60 * 1000));
        settings.put("max.request.size", requestBytes(maxMessageSize));
        settings.putAll(config.clients().producer());
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
        settings.putAll(config.clients().consumer());
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    Admin admin() {
        Map<String, Object> settings = common();
        settings.put("default.api.timeout.ms", "5000");
        settings.put("request.timeout.ms", "2000");
        settings.putAll(config.clients().admin());
        return Admin.create(settings);
    }

    private Map<String, Object> common() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", List.copyOf(config.brokers()));
        // With the default, clients start over when no broker answers; a send was seen to block for 17 s.
        settings.put("metadata.recovery.strategy", "none");
        settings.put("reconnect.backoff.max.ms", "500");
        settings.putAll(config.clients().all());
        return settings;
    }
}
