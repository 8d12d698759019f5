package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Settings for Kafka's own clients, for all or for one kind. Settings that would break a guarantee are rejected.
 * Immutable; its text never contains secrets.
 */
public record KafkaClientConfig(
        Map<String, String> all,
        Map<String, String> producer,
        Map<String, String> consumer,
        Map<String, String> admin) {
    private static final Map<String, String> REFUSED_OF_ANY = Map.of(
            "bootstrap.servers", "is set with Kafka.Brokers",
            "metadata.recovery.strategy", "must be none, or a publish could block while no broker answers",
            "key.serializer", "is fixed: keys are subjects",
            "value.serializer", "is fixed: values are data",
            "key.deserializer", "is fixed: keys are subjects",
            "value.deserializer", "is fixed: values are data");

    private static final Map<String, String> REFUSED_OF_PRODUCER = Map.of(
            "acks", "must be all, or an acknowledged message could be lost",
            "enable.idempotence", "must be true, or a message could be written twice or out of order",
            "max.in.flight.requests.per.connection", "must be 5, or messages could be written out of order",
            "transactional.id", "is not supported: each message is a separate record",
            "max.block.ms", "must be 0, because publishes wait in Kafka.PublishBuffer",
            "metadata.max.idle.ms", "must be one day, or the first publish after a pause would fail",
            "max.request.size", "is computed from MaxMessageSize",
            "partitioner.class", "is fixed: a subject has the same partition on every node");

    private static final Map<String, String> REFUSED_OF_CONSUMER = Map.of(
            "group.id", "is not supported: every node reads every partition",
            "group.protocol", "is not supported: every node reads every partition",
            "group.instance.id", "is not supported: every node reads every partition",
            "enable.auto.commit", "must be false: a node starts to read where its cache begins",
            "auto.offset.reset", "must be none, or the consumer could skip a gap without an error");

    /** Compressions whose libraries are not included in the server. */
    private static final Set<String> COMPRESSIONS_LEFT_OUT = Set.of("zstd", "lz4", "snappy");

    public KafkaClientConfig {
        all = Map.copyOf(all);
        producer = Map.copyOf(producer);
        consumer = Map.copyOf(consumer);
        admin = Map.copyOf(admin);
        refuse("Kafka.clients.", all, REFUSED_OF_ANY, REFUSED_OF_PRODUCER, REFUSED_OF_CONSUMER);
        refuse("Kafka.producer.", producer, REFUSED_OF_ANY, REFUSED_OF_PRODUCER);
        refuse("Kafka.consumer.", consumer, REFUSED_OF_ANY, REFUSED_OF_CONSUMER);
        refuse("Kafka.admin.", admin, REFUSED_OF_ANY);
        String compression = producer.getOrDefault("compression.type", "none");
        InvalidSetting.unless(
                !COMPRESSIONS_LEFT_OUT.contains(compression.toLowerCase(Locale.ROOT)),
                "Kafka.producer.compression.type",
                compression,
                "needs a library that is not included in the server; use gzip or none");
    }

    @SafeVarargs
    private static void refuse(String prefix, Map<String, String> written, Map<String, String>... refused) {
        for (Map<String, String> each : refused) {
            each.forEach((name, reason) -> {
                if (written.containsKey(name)) {
                    throw new InvalidSetting(prefix + name, reason + "; remove this line");
                }
            });
        }
    }

    /** Returns a text without the settings, because they may contain secrets. */
    @Override
    public String toString() {
        return "KafkaClientConfig[" + all.size() + " settings of all clients]";
    }
}
