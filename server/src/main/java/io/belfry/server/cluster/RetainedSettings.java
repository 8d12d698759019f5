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

/** Creates {@code Kafka.RetainedTopic}, and checks the settings of an existing one. Stateless. */
final class RetainedSettings {
    /** Segment size, which bounds the outdated records that a start reads: one segment per partition if cleaning keeps up. */
    private static final int SEGMENT_BYTES = 16 << 20;

    private static final long SEGMENT_MILLIS = 60L * 60 * 1000;

    /** Minimum time before a record is compacted, so that every node sees the later of two records stored out of order. */
    private static final long NOT_CLEANED_MILLIS = 10L * 60 * 1000;

    private RetainedSettings() {}

    /** Finds the topic, or creates it. Throws if it contradicts the configuration; returns warnings. */
    static List<String> find(Admin admin, KafkaConfig config, int partitions, int maxMessageSize)
            throws IOException, InterruptedException {
        try {
            TopicDescription found = Topic.findOrCreate(admin, wanted(config, partitions, maxMessageSize));
            Topic.requirePartitions(found, "Kafka.RetainedTopic", partitions);
            Config settings = Topic.settings(admin, config.topics().retained());
            List<String> warnings = Topic.safety(settings, found, maxMessageSize);
            if (!Topic.value(settings, "cleanup.policy").equals("compact")) {
                warnings.add("cleanup.policy is not compact, so old retained messages are deleted");
            }
            return List.copyOf(warnings);
        } catch (ExecutionException failure) {
            throw new IOException(String.valueOf(failure.getCause()), failure);
        }
    }

    private static NewTopic wanted(KafkaConfig config, int partitions, int maxMessageSize) {
        return new NewTopic(config.topics().retained(), partitions, (short)
                        config.topics().replication())
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
