package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import io.belfry.settings.SizeUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The server's whole configuration, one record per concern. Immutable. */
public record ServerConfig(
        ProcessConfig process,
        NetworkConfig network,
        WorkgroupConfig workgroups,
        MessageConfig messages,
        HistoryConfig history,
        SlowConsumerConfig slowConsumer,
        EntitlementConfig entitlement,
        LimitConfig limits,
        MonitorConfig monitor,
        Optional<OtlpConfig> otlp,
        Optional<KafkaConfig> kafka) {
    public ServerConfig {
        InvalidSetting.unless(
                slowConsumer.maxBytes() >= messages.maxMessageSize(),
                "SlowConsumer.MaxBytes",
                SizeUnit.write(slowConsumer.maxBytes()),
                "must not be less than MaxMessageSize (" + SizeUnit.write(messages.maxMessageSize())
                        + "), or a single message would make its subscriber slow");
        InvalidSetting.unless(
                history.kind() == HistoryConfig.Kind.MEMORY || history.diskBytes() / 4 >= limits.retainedBytes(),
                "History.DiskBytes",
                SizeUnit.write(history.diskBytes()),
                "must be at least four times Limit.RetainedBytes (" + SizeUnit.write(limits.retainedBytes()) + ")");
        kafka.ifPresent(cluster -> requireFit(cluster, history));
    }

    private static void requireFit(KafkaConfig kafka, HistoryConfig history) {
        InvalidSetting.unless(
                history.kind() == HistoryConfig.Kind.MEMORY,
                "History",
                "disk",
                "has no effect under ClusterEngine = kafka: Kafka stores the messages; use memory");
        InvalidSetting.unless(
                history.cacheSize() > 0,
                "CacheSize",
                history.cacheSize(),
                "must be at least 1 under ClusterEngine = kafka: clients of other nodes resume from this cache");
        InvalidSetting.unless(
                history.expires(),
                "CacheExpireTime",
                0,
                "must not be 0 under ClusterEngine = kafka: a starting node reads the topic of this time");
        InvalidSetting.unless(
                history.cacheExpireMillis() > kafka.times().repeatMillis(),
                "CacheExpireTime",
                history.cacheExpireMillis() + " ms",
                "must be longer than Kafka.RepeatTime (" + kafka.times().repeatMillis() + " ms)");
    }

    /** Returns the configuration with the default of every key. */
    public static ServerConfig defaults() {
        return ConfigLoader.load(Optional.empty(), Map.of(), List.of());
    }
}
