package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A topic with one partition through which the nodes exchange reports, and the thread that reads and writes it. Reports are
 * delayed while Kafka is unreachable, and complete afterwards.
 */
final class NodeLog {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLog.class);

    /** Changes within this time are sent together. */
    private static final Duration POLL = Duration.ofMillis(50);

    /** Retention of the topic; older reports are never read. */
    private static final long RETENTION_MILLIS = TimeUnit.HOURS.toMillis(1);

    private static final long ALIVE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

    /** The reports of this node and of the others. Called on the thread of the log. */
    interface Reports {
        /** Called for the next record; {@code own} marks those of this node. */
        void onRecord(String node, boolean own, byte[] value, Place place);

        /** Called when records of other nodes were deleted before they were read. */
        void onSkipped();

        /** Called when a record of this node may be lost. */
        void onLost();

        /** Writes what is to be reported; with {@code alive} at least one record. */
        void report(boolean alive, java.util.function.Consumer<byte[]> records);

        /** Writes the last report. */
        default void end(java.util.function.Consumer<byte[]> records) {}
    }

    /** The offset of a record, and its time in the log. */
    record Place(long offset, long timeMillis) {}

    /**
     * The differences between the topics.
     *
     * @param suffix appended to {@code Kafka.Topic}
     * @param pastMillis time before the start from which on records are read; 0 to read only later ones
     * @param consequence the consequence of a failure, for the log
     */
    record Use(String suffix, long pastMillis, String consequence) {
        String topic(KafkaConfig config) {
            return config.topics().log() + suffix;
        }
    }

    private final KafkaConfig config;
    private final Use use;
    private final TopicPartition partition;
    private final byte[] node;
    private final ClientSettings clients;
    private final Admin admin;
    private final LongSupplier clockMillis;
    private final Reports reports;
    private final Thread thread;
    private volatile @Nullable Consumer<byte[], byte[]> consumer;
    private long aliveNanos;
    private boolean begun;
    private boolean warned;
    private volatile boolean failed;
    private volatile boolean closing;

    NodeLog(
            KafkaConfig config,
            Use use,
            long node,
            ClientSettings clients,
            Admin admin,
            LongSupplier clockMillis,
            Reports reports) {
        this.config = config;
        this.use = use;
        partition = new TopicPartition(use.topic(config), 0);
        this.node = Long.toHexString(node).getBytes(StandardCharsets.UTF_8);
        this.clients = clients;
        this.admin = admin;
        this.clockMillis = clockMillis;
        this.reports = reports;
        thread = new Thread(this::run, "belfry-kafka" + use.suffix().replace('.', '-'));
        thread.setDaemon(true);
    }

    /** Finds the topic, or creates it. */
    static TopicDescription findTopic(Admin admin, KafkaConfig config, Use use)
            throws IOException, InterruptedException {
        NewTopic wanted = new NewTopic(
                        use.topic(config), 1, (short) config.topics().replication())
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

    void start() {
        thread.start();
    }

    private void run() {
        try (Producer<byte[], byte[]> producer = clients.producer();
                Consumer<byte[], byte[]> reading = clients.consumer()) {
            consumer = reading;
            while (!closing) {
                turn(producer, reading);
            }
            if (begun) {
                reports.end(record -> write(producer, record));
            }
        } catch (WakeupException end) {
            LOG.debug("{} thread ends", thread.getName(), end);
        } catch (InterruptedException end) {
            LOG.debug("{} thread ends", thread.getName(), end);
            Thread.currentThread().interrupt();
        } catch (RuntimeException failure) {
            LOG.error("{} thread failed; until a restart {}", thread.getName(), use.consequence(), failure);
        }
    }

    private void turn(Producer<byte[], byte[]> producer, Consumer<byte[], byte[]> reading) throws InterruptedException {
        try {
            if (!begun) {
                findTopic(admin, config, use);
                begin(reading);
                begun = true;
            }
            for (ConsumerRecord<byte[], byte[]> record : reading.poll(POLL)) {
                if (record.key() != null && record.value() != null) {
                    onRecord(record);
                }
            }
        } catch (WakeupException end) {
            LOG.debug("{} thread ends after its last reports", thread.getName(), end);
        } catch (InvalidOffsetException lost) {
            LOG.warn("records of other nodes were deleted before they were read; requesting them again", lost);
            reading.seek(partition, end(reading));
            reports.onSkipped();
        } catch (IOException | KafkaException unreachable) {
            warn(unreachable);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        if (begun) {
            report(producer);
        }
    }

    private void begin(Consumer<byte[], byte[]> reading) {
        reading.assign(List.of(partition));
        @Nullable
        OffsetAndTimestamp past = use.pastMillis() == 0
                ? null
                : reading.offsetsForTimes(Map.of(partition, clockMillis.getAsLong() - use.pastMillis()))
                        .get(partition);
        // Not seekToEnd, which looks for the end later: this node's first record could be before it.
        reading.seek(partition, past == null ? end(reading) : past.offset());
    }

    private long end(Consumer<byte[], byte[]> reading) {
        return reading.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    }

    private void warn(Exception unreachable) {
        if (!warned) {
            warned = true;
            LOG.warn("topic {} unavailable; {}", partition.topic(), use.consequence(), unreachable);
        }
    }

    private void onRecord(ConsumerRecord<byte[], byte[]> record) {
        reports.onRecord(
                new String(record.key(), StandardCharsets.UTF_8),
                Arrays.equals(record.key(), node),
                record.value(),
                new Place(record.offset(), record.timestamp()));
    }

    private void report(Producer<byte[], byte[]> producer) {
        if (failed) {
            failed = false;
            reports.onLost();
        }
        long now = System.nanoTime();
        boolean alive = now - aliveNanos > ALIVE_NANOS;
        aliveNanos = alive ? now : aliveNanos;
        reports.report(alive, record -> write(producer, record));
    }

    private void write(Producer<byte[], byte[]> producer, byte[] value) {
        try {
            producer.send(new ProducerRecord<>(partition.topic(), 0, node, value), (written, failure) -> {
                if (failure != null) {
                    failed = true;
                }
            });
        } catch (KafkaException failure) {
            LOG.debug("a report could not be written; it is repeated", failure);
            failed = true;
        }
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
