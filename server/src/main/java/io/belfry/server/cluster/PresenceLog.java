package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.subject.SubjectKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchanges the nodes' {@link Presence} through a topic of its own, and notifies the lanes. One thread; methods for lanes say
 * so. Reports are delayed while Kafka is unreachable, and complete afterwards.
 */
final class PresenceLog implements Presence.Listener, PresenceReports {
    private static final Logger LOG = LoggerFactory.getLogger(PresenceLog.class);

    /** Changes within this time are sent together, and of one subject only the last. */
    private static final Duration POLL = Duration.ofMillis(50);

    /** Retention of the topic; older reports are never read. */
    private static final long RETENTION_MILLIS = TimeUnit.HOURS.toMillis(1);

    private static final long ALIVE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

    /** A lane's report about one of its subjects. */
    private record Told(ByteBuffer subject, boolean watch, boolean now) {}

    private final TopicPartition partition;
    private final byte[] node;
    private final ClientSettings clients;
    private final Presence presence;
    private final ObjLongConsumer<Counter> counting;
    private final Queue<Told> told = new ConcurrentLinkedQueue<>();
    private final Thread thread = new Thread(this::run, "belfry-kafka-presence");
    private List<KafkaBroker> lanes = List.of();
    private @Nullable SubjectKey key;
    private volatile @Nullable Consumer<byte[], byte[]> consumer;
    private long aliveNanos;
    private int watched;
    private boolean warned;
    private volatile boolean failed;
    private volatile boolean closing;

    PresenceLog(KafkaConfig config, long node, ClientSettings clients, ObjLongConsumer<Counter> counting) {
        partition = new TopicPartition(topic(config), 0);
        this.node = Long.toHexString(node).getBytes(StandardCharsets.UTF_8);
        this.clients = clients;
        this.counting = counting;
        presence = new Presence(this, config.times().presenceMillis(), config.watchedSubjects());
        thread.setDaemon(true);
    }

    private static String topic(KafkaConfig config) {
        return config.topics().log() + ".presence";
    }

    /** Finds the topic, or creates it. */
    static TopicDescription findTopic(Admin admin, KafkaConfig config) throws IOException, InterruptedException {
        NewTopic wanted = new NewTopic(topic(config), 1, (short) config.topics().replication())
                .configs(Map.of(
                        "cleanup.policy",
                        "delete",
                        "retention.ms",
                        Long.toString(RETENTION_MILLIS),
                        "message.timestamp.type",
                        "LogAppendTime",
                        "min.insync.replicas",
                        Topic.inSync(config)));
        try {
            return Topic.findOrCreate(admin, wanted);
        } catch (ExecutionException failure) {
            throw new IOException(String.valueOf(failure.getCause()), failure);
        }
    }

    void start(List<KafkaBroker> all, SubjectKey hashing) {
        lanes = List.copyOf(all);
        key = hashing;
        thread.start();
    }

    @Override
    public void watched(ByteBuffer subject, boolean now) {
        told.add(new Told(subject, true, now));
    }

    @Override
    public void followed(ByteBuffer subject, boolean now) {
        told.add(new Told(subject, false, now));
    }

    private void run() {
        try (Producer<byte[], byte[]> producer = clients.producer();
                Consumer<byte[], byte[]> reading = clients.consumer()) {
            consumer = reading;
            reading.assign(List.of(partition));
            reading.seekToEnd(List.of(partition));
            while (!closing) {
                turn(producer, reading);
            }
        } catch (WakeupException end) {
            LOG.debug("presence thread ends", end);
        } catch (RuntimeException failure) {
            LOG.error("presence thread failed; until a restart `watch` reports local subscribers only", failure);
        }
    }

    private void turn(Producer<byte[], byte[]> producer, Consumer<byte[], byte[]> reading) {
        try {
            for (ConsumerRecord<byte[], byte[]> record : reading.poll(POLL)) {
                if (record.key() != null && record.value() != null) {
                    hear(record);
                }
            }
        } catch (WakeupException end) {
            LOG.debug("presence thread ends after its last reports", end);
        } catch (InvalidOffsetException lost) {
            LOG.warn("presence records of other nodes were deleted before they were read; requesting them again", lost);
            reading.seekToEnd(List.of(partition));
            presence.hello();
        } catch (KafkaException unreachable) {
            warn(unreachable);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        takeTold();
        if (failed) {
            failed = false;
            presence.sayAll();
        }
        long now = System.nanoTime();
        boolean alive = now - aliveNanos > ALIVE_NANOS;
        aliveNanos = alive ? now : aliveNanos;
        presence.say(alive, record -> say(producer, record));
    }

    private void warn(KafkaException unreachable) {
        if (!warned) {
            warned = true;
            LOG.warn("interest of remote subscribers unavailable; `watch` reports local subscribers only", unreachable);
        }
    }

    private void hear(ConsumerRecord<byte[], byte[]> record) {
        String name = new String(record.key(), StandardCharsets.UTF_8);
        presence.onRecord(name, Arrays.equals(record.key(), node), record.value(), record.timestamp());
    }

    private void takeTold() {
        for (Told next = told.poll(); next != null; next = told.poll()) {
            if (!next.watch) {
                presence.followed(next.subject, next.now);
            } else if (!presence.watched(next.subject, next.now)) {
                counting.accept(Counter.CLUSTER_WATCHES_LEFT_OUT, 1);
            }
        }
        if (presence.watched() != watched) {
            counting.accept(Counter.CLUSTER_WATCHED_SUBJECTS, presence.watched() - watched);
            watched = presence.watched();
        }
    }

    private void say(Producer<byte[], byte[]> producer, byte[] value) {
        try {
            producer.send(new ProducerRecord<>(partition.topic(), 0, node, value), (written, failure) -> {
                if (failure != null) {
                    failed = true;
                }
            });
        } catch (KafkaException failure) {
            LOG.debug("presence report could not be written; it is repeated", failure);
            failed = true;
        }
    }

    @Override
    public void onWatchedElsewhere(ByteBuffer subject, boolean now) {
        KafkaBroker lane = laneOf(subject);
        lane.run(() -> lane.onWatchedElsewhere(subject, now));
    }

    @Override
    public void onFollowedElsewhere(ByteBuffer subject, boolean now) {
        KafkaBroker lane = laneOf(subject);
        lane.run(() -> lane.onFollowedElsewhere(subject, now));
    }

    private KafkaBroker laneOf(ByteBuffer subject) {
        return lanes.get(java.util.Objects.requireNonNull(key)
                .set(Presence.bytes(subject))
                .home(lanes.size()));
    }

    void close() throws InterruptedException {
        closing = true;
        Consumer<byte[], byte[]> reading = consumer;
        if (reading != null) {
            reading.wakeup();
        }
        if (thread.isAlive()) {
            thread.join(CLOSE_WAIT);
        }
    }
}
