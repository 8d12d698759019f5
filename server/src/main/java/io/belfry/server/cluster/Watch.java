package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Kafka every half second for the ends of the log, and so determines whether this node is <em>stale</em>: cut off, or
 * behind what the log had some time ago. Also detects a topic that was deleted and created again. One thread.
 */
final class Watch {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    private static final long PAUSE_MILLIS = 500;

    /** Number of checks of the log's ends per check of the topic's id. */
    private static final int LOOKS_PER_ID = 4;

    /** Number of absences tolerated, because a broker that has just started may not know an existing topic yet. */
    private static final int ABSENCES_MAX = 3;

    /** Maximum wait for bridged topics: a missing one, or one without a leader, does not mean that this node is cut off. */
    private static final long BRIDGES_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

    /** Receives changes. Called by the watch's thread. */
    interface Listener {
        void onLag(long messages);

        /** Called when the node becomes stale, with the reason, or is no longer stale. */
        void onStale(Optional<String> reason);

        void onStaleTime(long millis);
    }

    private final KafkaConfig config;
    private final Topic topic;
    private final Partitions partitions;
    private final Admin admin;
    private final Listener listener;
    private final Consumer<String> onBroken;
    private final List<TopicPartition> all;

    /** Requests the end that the reader may read; an end behind unreadable records would make the node stale. */
    private final ListOffsetsOptions readable;

    private final AtomicLongArray ends;
    private final Staleness staleness;
    private final Thread thread = new Thread(this::run, "belfry-kafka-watch");
    private long lookedNanos;
    private int turns;
    private int absences;
    private volatile @Nullable String stale;
    private volatile boolean closing;

    Watch(
            KafkaConfig config,
            Topic topic,
            Partitions partitions,
            Admin admin,
            Listener listener,
            Consumer<String> onBroken) {
        this.config = config;
        this.topic = topic;
        this.partitions = partitions;
        this.admin = admin;
        this.listener = listener;
        this.onBroken = onBroken;
        all = partitions.all(config.topics().log());
        boolean committed = "read_committed".equals(config.clients().consumer().get("isolation.level"));
        readable = new ListOffsetsOptions(committed ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED);
        ends = new AtomicLongArray(all.size());
        lookedNanos = System.nanoTime();
        staleness = new Staleness(config.times().staleMillis(), partitions, lookedNanos);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Returns why this node is stale, or empty. Any thread. */
    Optional<String> stale() {
        return Optional.ofNullable(stale);
    }

    /** Returns the lag of a partition in messages. Any thread. */
    long lag(int partition) {
        return Math.max(0, ends.get(partition) - partitions.readTo(partition));
    }

    private void run() {
        try {
            while (!closing) {
                look();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException end) {
            LOG.debug("watch thread ends", end);
        }
    }

    private void look() throws InterruptedException {
        try {
            if (turns++ % LOOKS_PER_ID == 0) {
                lookAtTopic();
            }
            long asked = System.nanoTime();
            Map<Integer, Long> latest = ask();
            latest.forEach(ends::set);
            staleness.onAnswer(new Staleness.Ends(asked, latest), System.nanoTime());
        } catch (ExecutionException | TimeoutException unreachable) {
            LOG.debug("Kafka does not answer the watch; it retries", unreachable);
        }
        long now = System.nanoTime();
        if (stale != null) {
            listener.onStaleTime(TimeUnit.NANOSECONDS.toMillis(now - lookedNanos));
        }
        lookedNanos = now;
        Optional<String> reason = staleness.judge(now);
        listener.onLag(staleness.lag());
        become(reason.orElse(null));
    }

    private void lookAtTopic() throws ExecutionException, InterruptedException {
        Optional<String> id =
                Topic.idOf(admin, config.topics().log(), config.times().staleMillis());
        absences = id.isPresent() ? 0 : absences + 1;
        if (id.isPresent() && !id.get().equals(topic.id())) {
            onBroken.accept("the topic " + config.topics().log() + " was deleted and created again");
        } else if (absences == ABSENCES_MAX) {
            onBroken.accept("the topic " + config.topics().log() + " was deleted");
        }
        for (Bridge bridge : partitions.bridges()) {
            bridge.change(admin, config.times().staleMillis()).ifPresent(onBroken);
        }
    }

    private Map<Integer, Long> ask() throws ExecutionException, TimeoutException, InterruptedException {
        ListOffsetsResult own = admin.listOffsets(latest(0, partitions.count()), readable);
        ListOffsetsResult bridges = admin.listOffsets(latest(partitions.count(), all.size()), readable);
        Map<Integer, Long> found = new HashMap<>();
        own.all().get(config.times().staleMillis(), TimeUnit.MILLISECONDS);
        for (int partition = 0; partition < partitions.count(); partition++) {
            found.put(partition, own.partitionResult(all.get(partition)).get().offset());
        }
        long end = System.nanoTime() + BRIDGES_WAIT_NANOS;
        for (int partition = partitions.count(); partition < all.size(); partition++) {
            long left = Math.max(0, end - System.nanoTime());
            KafkaFuture<ListOffsetsResultInfo> answer = bridges.partitionResult(all.get(partition));
            try {
                found.put(partition, answer.get(left, TimeUnit.NANOSECONDS).offset());
            } catch (ExecutionException | TimeoutException unknown) {
                LOG.debug("Kafka did not report the end of partition {}", all.get(partition), unknown);
            }
        }
        return found;
    }

    private Map<TopicPartition, OffsetSpec> latest(int from, int to) {
        return all.subList(from, to).stream()
                .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
    }

    private void become(@Nullable String reason) {
        boolean changes = (reason == null) != (stale == null);
        stale = reason;
        if (changes) {
            if (reason == null) {
                LOG.info("this node has caught up with the log");
            } else {
                LOG.warn("this node is stale: {}; /health/ready fails and subscribers are notified", reason);
            }
            listener.onStale(Optional.ofNullable(reason));
        }
    }

    void close() throws InterruptedException {
        closing = true;
        thread.interrupt();
        thread.join(CLOSE_WAIT);
    }
}
