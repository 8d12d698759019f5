package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about the cluster; {@code ConfigKey} lists them. Immutable. */
final class ClusterKeys {
    static final TopicKey CLUSTER_ENGINE = new TopicKey(
            ConfigTopic.CLUSTER,
            "ClusterEngine",
            ValueType.choice("none", "kafka"),
            "none",
            "Log that several nodes share: with `kafka` all nodes with the same `Kafka.Topic` deliver the same"
                    + " messages in the same order; see [cluster.md](cluster.md).");

    static final TopicKey KAFKA_BROKERS = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.Brokers",
            ValueType.list("list of addresses"),
            "Addresses of Kafka brokers, `host:port` each. A few are enough; Kafka reports the others.");

    static final TopicKey KAFKA_TOPIC = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.Topic",
            ValueType.text(),
            "belfry.messages",
            "Topic that carries all messages; created at the first start if it does not exist.");

    static final TopicKey KAFKA_RETAINED_TOPIC = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.RetainedTopic",
            ValueType.text(),
            "Compacted topic that keeps the retained message of each subject for longer than `Kafka.Topic`"
                    + " does; created at the first start if it does not exist. The default is the name of `Kafka.Topic`"
                    + " with `.retained` appended.");

    static final TopicKey KAFKA_BRIDGE = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.Bridge",
            ValueType.list("list of topics"),
            "Topics of other programs that are read and written as messages: subject `/T/k` is key `k` of"
                    + " topic `T`. All nodes need the same list, and each topic must exist when a node starts.");

    static final TopicKey KAFKA_PARTITIONS = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.Partitions",
            ValueType.numberOr("brokers", 1, KafkaTopicConfig.MAX_PARTITIONS),
            "brokers",
            "Number of partitions of `Kafka.Topic` and of `Kafka.RetainedTopic`; `brokers` creates topics with"
                    + " four per broker, at least 8, and accepts an existing topic. The number of a topic cannot be"
                    + " changed later: a start refuses a topic with another number than this key.");

    static final TopicKey KAFKA_REPLICATION = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.Replication",
            ValueType.number(1, KafkaTopicConfig.MAX_REPLICATION),
            "3",
            "Number of brokers that store each message, if the server creates the topic. With 3 or more, two"
                    + " brokers must store a message before it is acknowledged.");

    static final TopicKey KAFKA_START_TIME = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.StartTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "60 s",
            "Time that a start waits for Kafka and for reading the topic; after it the start fails.");

    static final TopicKey KAFKA_PUBLISH_TIME = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.PublishTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "10 s",
            "Time that a publish waits for Kafka before it is refused with `cluster-unreachable`. A publish"
                    + " that Kafka's client has accepted is answered within `Kafka.producer.delivery.timeout.ms` and 5 s.");

    static final TopicKey KAFKA_PUBLISH_BUFFER = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.PublishBuffer",
            ValueType.size(SizeUnit.B, 64 << 10, Long.MAX_VALUE),
            "32 MB",
            "Maximum number of bytes of publishes that wait for Kafka, per topic; further ones are refused"
                    + " with `cluster-full`. A publish with `retain` is also refused when the same number of bytes of"
                    + " its event loop waits for `Kafka.RetainedTopic`.");

    static final TopicKey KAFKA_REPEAT_TIME = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.RepeatTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "60 s",
            "Time within which a message that is published again with the same `msgId`, on any node, is not"
                    + " delivered again. Less than `CacheExpireTime`. Each such message takes about 150 bytes of heap"
                    + " for that time.");

    static final TopicKey KAFKA_STALE_TIME = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.StaleTime",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "2 s",
            "Time without Kafka, or behind Kafka's log, after which a node is stale. A stale node fails"
                    + " `/health/ready`, so that load balancers send new clients elsewhere, and notifies its subscribers.");

    static final TopicKey KAFKA_RESTART_PAUSE = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.RestartPause",
            ValueType.time(TimeScale.S, 1, Long.MAX_VALUE),
            "1 s",
            "Time after a publish of unknown outcome during which no publish is sent to Kafka; waiting"
                    + " publishes are refused.");

    static final TopicKey KAFKA_QUIET_SUBJECTS = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.QuietSubjects",
            ValueType.number(0, 1_000_000_000),
            "1000000",
            "Maximum number of idle subjects whose last position a node remembers, at about 30 bytes each. A"
                    + " client that resumes from such a position misses nothing; on other idle subjects it receives a"
                    + " gap.");

    static final TopicKey KAFKA_WATCHED_SUBJECTS = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.WatchedSubjects",
            ValueType.number(0, 10_000_000),
            "100000",
            "Maximum number of subjects for which a node asks the other nodes about subscribers, because its"
                    + " publishers `watch` them. For further subjects publishers learn of this node's subscribers only."
                    + " Each subject takes a few hundred bytes of heap on every node.");

    static final TopicKey KAFKA_PRESENCE_TIME = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.PresenceTime",
            ValueType.time(TimeScale.S, 3000, Long.MAX_VALUE),
            "10 s",
            "Time of silence after which another node is regarded as dead: its subscribers no longer count for"
                    + " `PubSubTightlyCoupled`, and its users leave the subjects with `presence=yes`.");

    static final TopicKey KAFKA_PRESENCE_MEMBERS = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.PresenceMembers",
            ValueType.number(0, 10_000_000),
            "1000000",
            "Maximum number of users whose presence a node reports to the cluster, each counted per subject. Further"
                    + " users are not members. Each takes 210 bytes of heap and twice its `info` on every node. If followers get a list,"
                    + " it takes 330 bytes and four times its `info`. On its own node it takes 310 bytes more.");

    static final TopicKey KAFKA_CLIENTS = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.clients.*",
            ValueType.text(),
            "Settings for all of Kafka's own clients, passed under the name after `Kafka.clients.`, such as"
                    + " `security.protocol` and `sasl.jaas.config`.",
            Trait.SECRET);

    static final TopicKey KAFKA_PRODUCER = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.producer.*",
            ValueType.text(),
            "Settings for the Kafka client that publishes, such as `linger.ms`. The server refuses settings"
                    + " that would break a guarantee.",
            Trait.SECRET);

    static final TopicKey KAFKA_CONSUMER = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.consumer.*",
            ValueType.text(),
            "Settings for the Kafka client that reads. The server refuses settings that would break a guarantee.",
            Trait.SECRET);

    static final TopicKey KAFKA_ADMIN = new TopicKey(
            ConfigTopic.CLUSTER,
            "Kafka.admin.*",
            ValueType.text(),
            "Settings for the Kafka client that creates and inspects the topics.",
            Trait.SECRET);

    private ClusterKeys() {}
}
