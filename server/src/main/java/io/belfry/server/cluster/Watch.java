package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Kafka each half second how far the log is, and so knows whether this node is <em>stale</em>: cut off, or behind what
 * the log had a while ago. Also sees a topic that was deleted and created again. One thread.
 */
final class Watch {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    private static final long PAUSE_MILLIS = 500;

    /** One look at the topic itself for so many at its ends. */
    private static final int LOOKS_PER_ID = 4;

    /** A broker that has just started may not know a topic yet that is there. */
    private static final int ABSENCES_MAX = 3;

    private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

    /** Told of what changes. Called by the watch's thread. */
    interface Listener {
        void onLag(long messages);

        /** Stale, for the given reason, or not any more. */
        void onStale(Optional<String> reason);

        void onStaleTime(long millis);
    }

    /** The log's ends as they were then. */
    private record Ends(long atNanos, Map<Integer, Long> offsets) {}

    private final KafkaConfig config;
    private final Topic topic;
    private final Partitions partitions;
    private final Admin admin;
    private final Listener listener;
    private final Consumer<String> onBroken;
    private final Deque<Ends> looks = new ArrayDeque<>();
    private final Thread thread = new Thread(this::run, "belfry-kafka-watch");
    private long answeredNanos;
    private long lookedNanos;
    private int turns;
    private int absences;
    private final AtomicLongArray ends;
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
        ends = new AtomicLongArray(partitions.count());
        thread.setDaemon(true);
    }

    void start() {
        answeredNanos = System.nanoTime();
        lookedNanos = answeredNanos;
        thread.start();
    }

    /** Why this node is stale, while it is. Any thread. */
    Optional<String> stale() {
        return Optional.ofNullable(stale);
    }

    /** Any thread. */
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
            LOG.debug("the watch was ended", end);
        }
    }

    private void look() throws InterruptedException {
        try {
            if (turns++ % LOOKS_PER_ID == 0) {
                lookAtTopic();
            }
            Ends latest = new Ends(System.nanoTime(), ask());
            latest.offsets.forEach(ends::set);
            looks.add(latest);
            answeredNanos = System.nanoTime();
        } catch (ExecutionException | TimeoutException unreachable) {
            LOG.debug("Kafka does not answer the watch", unreachable);
        }
        long now = System.nanoTime();
        if (stale != null) {
            listener.onStaleTime(TimeUnit.NANOSECONDS.toMillis(now - lookedNanos));
        }
        lookedNanos = now;
        judge(now);
    }

    private void lookAtTopic() throws ExecutionException, InterruptedException {
        Optional<String> id = Topic.idOf(admin, config.topic(), config.staleMillis());
        absences = id.isPresent() ? 0 : absences + 1;
        if (id.isPresent() && !id.get().equals(topic.id())) {
            onBroken.accept("the topic " + config.topic() + " was deleted and created again");
        } else if (absences == ABSENCES_MAX) {
            onBroken.accept("the topic " + config.topic() + " was deleted");
        }
        for (Bridge bridge : partitions.bridges()) {
            bridge.change(admin, config.staleMillis()).ifPresent(onBroken);
        }
    }

    private Map<Integer, Long> ask() throws ExecutionException, TimeoutException, InterruptedException {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        for (int partition = 0; partition < partitions.count(); partition++) {
            asked.put(new TopicPartition(config.topic(), partition), OffsetSpec.latest());
        }
        Map<Integer, Long> found = new HashMap<>();
        admin.listOffsets(asked)
                .all()
                .get(config.staleMillis(), TimeUnit.MILLISECONDS)
                .forEach((partition, end) -> found.put(partition.partition(), end.offset()));
        return found;
    }

    private void judge(long now) {
        long longest = TimeUnit.MILLISECONDS.toNanos(config.staleMillis());
        Ends latest = looks.peekLast();
        long lag = latest == null ? 0 : missing(latest);
        listener.onLag(lag);
        // What is read by now needs no second look; of the others the oldest tells.
        while (!looks.isEmpty() && missing(looks.peekFirst()) == 0) {
            looks.removeFirst();
        }
        Ends oldest = looks.peekFirst();
        if (now - answeredNanos > longest) {
            become("Kafka does not answer");
        } else if (oldest != null && now - oldest.atNanos > longest) {
            become("this node is " + lag + " messages behind the log");
        } else {
            become(null);
        }
    }

    private long missing(Ends then) {
        long missing = 0;
        for (Map.Entry<Integer, Long> each : then.offsets.entrySet()) {
            missing += Math.max(0, each.getValue() - partitions.readTo(each.getKey()));
        }
        return missing;
    }

    private void become(@Nullable String reason) {
        boolean changes = (reason == null) != (stale == null);
        stale = reason;
        if (changes) {
            if (reason == null) {
                LOG.info("this node has all of the log again");
            } else {
                LOG.warn("this node is stale: {}", reason);
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
