package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import io.belfry.settings.SizeUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Everything the server is told, one record per concern. Immutable. */
public record ServerConfig(
        ListenConfig listen,
        TlsConfig tls,
        ProxyConfig proxies,
        WorkgroupConfig workgroups,
        MessageConfig messages,
        HistoryConfig history,
        SlowConsumerConfig slowConsumer,
        EntitlementConfig entitlement,
        LimitConfig limits,
        MonitorConfig monitor,
        LogConfig log,
        Optional<KafkaConfig> kafka,
        TrialConfig trial,
        long memoryBytes) {
    /** Less than this and the JVM itself has no room. */
    static final long MIN_MEMORY_BYTES = 32 * SizeUnit.MB.bytes();

    public ServerConfig {
        InvalidSetting.unless(
                listen.encrypted().isEmpty() || tls.identity().isPresent(),
                "ListenEncrypted",
                listen.encrypted().stream().map(ListenAddress::toString).collect(Collectors.joining(", ")),
                "needs Certificate and CertificateKey, or KeyStore");
        InvalidSetting.unless(
                memoryBytes >= MIN_MEMORY_BYTES, "Memory", SizeUnit.write(memoryBytes), "must be 32 MB or more");
        InvalidSetting.unless(
                slowConsumer.maxBytes() >= messages.maxMessageSize(),
                "SlowConsumer.MaxBytes",
                SizeUnit.write(slowConsumer.maxBytes()),
                "must not be less than MaxMessageSize (" + SizeUnit.write(messages.maxMessageSize())
                        + "), or a single message makes its reader slow");
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
                "has no use under ClusterEngine = kafka: the messages are Kafka's, and memory is this node's cache of them");
        InvalidSetting.unless(
                history.cacheSize() > 0,
                "CacheSize",
                history.cacheSize(),
                "must be 1 or more under ClusterEngine = kafka: clients of other nodes go on from this cache");
        InvalidSetting.unless(
                history.cacheExpireMillis() > kafka.repeatMillis(),
                "CacheExpireTime",
                history.cacheExpireMillis() + " ms",
                "must be longer than Kafka.RepeatTime (" + kafka.repeatMillis() + " ms)");
    }

    /** What holds when nothing is written anywhere. */
    public static ServerConfig defaults() {
        return ConfigLoader.load(Optional.empty(), Map.of(), List.of());
    }
}
