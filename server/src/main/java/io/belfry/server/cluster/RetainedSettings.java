package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;

/** {@code Kafka.RetainedTopic} as it is to be, and what is wrong with the one that is there. Pure but for asking Kafka. */
final class RetainedSettings {
    /** What a start has to read that is out of date: a segment for each partition at most, when cleaning keeps up. */
    private static final int SEGMENT_BYTES = 16 << 20;

    private static final long SEGMENT_MILLIS = 60L * 60 * 1000;

    /** Written out of order, the later of two is not cleaned away before a node had the time to see it. */
    private static final long NOT_CLEANED_MILLIS = 10L * 60 * 1000;

    private RetainedSettings() {}

    /** Finds the topic, or creates it where there is none. Throws where it is not what the configuration says. */
    static List<String> find(Admin admin, KafkaConfig config, int maxMessageSize)
            throws IOException, InterruptedException {
        try {
            TopicDescription found = Topic.findOrCreate(admin, wanted(config, maxMessageSize));
            Topic.requirePartitions(found, config, "Kafka.RetainedTopic");
            Config settings = Topic.settings(admin, config.retainedTopic());
            List<String> warnings = Topic.safety(settings, found, maxMessageSize);
            if (!Topic.value(settings, "cleanup.policy").equals("compact")) {
                warnings.add("cleanup.policy is not compact, so what is retained is lost when it is old");
            }
            return List.copyOf(warnings);
        } catch (ExecutionException failure) {
            throw new IOException(String.valueOf(failure.getCause()), failure);
        }
    }

    private static NewTopic wanted(KafkaConfig config, int maxMessageSize) {
        return new NewTopic(config.retainedTopic(), config.partitions(), (short) config.replication())
                .configs(Map.of(
                        "cleanup.policy", "compact",
                        "max.message.bytes", ClientSettings.requestBytes(maxMessageSize),
                        "segment.bytes", Integer.toString(SEGMENT_BYTES),
                        "segment.ms", Long.toString(SEGMENT_MILLIS),
                        "min.compaction.lag.ms", Long.toString(NOT_CLEANED_MILLIS),
                        "unclean.leader.election.enable", "false",
                        "min.insync.replicas", Topic.inSync(config)));
    }
}
