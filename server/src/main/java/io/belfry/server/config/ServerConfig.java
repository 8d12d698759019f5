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
        SubjectRules subjects,
        PresenceConfig presence,
        SlowConsumerConfig slowConsumer,
        EntitlementConfig entitlement,
        LimitConfig limits,
        Optional<ApiConfig> api,
        Optional<EventConfig> events,
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
        InvalidSetting.unless(
                subjects.isEmpty() || !history.keepsNothing() || !subjects.any(each -> each.historySize() > 0),
                "CacheSize",
                0,
                "disables every history, but a line Subjects.N sets history; set CacheSize, and history=0 for the other"
                        + " subjects in a last line for /**");
        InvalidSetting.unless(
                messages.maxMessageSize() >= EventConfig.MESSAGE_BYTES
                        || events.flatMap(EventConfig::subject).isEmpty(),
                "MaxMessageSize",
                SizeUnit.write(messages.maxMessageSize()),
                "must be at least " + SizeUnit.write(EventConfig.MESSAGE_BYTES)
                        + " with Events.Subject: an event is one message");
        events.ifPresent(each -> each.requireFits(kafka));
        EventConfig.requireReceivers(subjects, events, kafka.isPresent());
        requirePresenceFits(subjects, history);
        kafka.ifPresent(cluster -> requireFit(cluster, history));
        subjects.rules().stream()
                .filter(rule -> kafka.isPresent() && rule.options().historyMillis() >= HistoryConfig.NO_EXPIRY)
                .findFirst()
                .ifPresent(rule -> {
                    throw new InvalidSetting(
                            rule.key(),
                            "history-age must not be 0 under ClusterEngine = kafka: a starting node reads the topic of"
                                    + " this time");
                });
    }

    private static void requirePresenceFits(SubjectRules subjects, HistoryConfig history) {
        subjects.rules().stream()
                .filter(rule -> rule.options().presence())
                .findFirst()
                .ifPresent(rule -> {
                    if (history.cacheSize() == 0) {
                        throw new InvalidSetting(
                                rule.key(),
                                "presence=yes needs a history, which CacheSize = 0 disables: its messages depend on each"
                                        + " other; set CacheSize");
                    }
                });
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
