package io.belfry.server.cluster;

import io.belfry.server.broker.Backbone;
import io.belfry.server.broker.Broker;
import io.belfry.server.config.KafkaConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.config.SubjectOptions;
import io.belfry.server.counter.Counter;
import io.belfry.server.event.EventReceiver;
import io.belfry.server.subject.SubjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's part in a cluster: the threads that read, publish and watch, and the lanes' brokers. The order of calls is
 * {@link #open}, {@link #broker} for each lane, {@link #start}, {@link #close}, by one thread.
 */
public final class Cluster implements Backbone, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    /** Number of consecutive refusals that end a start; a broker that has just started may not know its users yet. */
    private static final int REFUSALS_MAX = 3;

    private static final long ASK_AGAIN_MILLIS = 500;
    private static final long TELL_SECONDS = 5;

    /**
     * The server as the cluster uses it, from threads of its own.
     *
     * @param counting counts events that belong to no lane
     * @param onBroken called with the reason when this node cannot continue
     */
    public record Server(LongSupplier clockMillis, ObjLongConsumer<Counter> counting, Consumer<String> onBroken) {}

    private final KafkaConfig config;
    private final ServerConfig whole;
    private final Server server;
    private final ClientSettings clients;
    private final Admin admin;
    private final Topic topic;
    private final KafkaShared shared;
    private final @Nullable PresenceLog presence;
    private final MemberLog members;
    private final List<KafkaBroker> lanes = new ArrayList<>();
    private @Nullable LogReader reader;

    /** The end of reading, which the reader reports once. */
    private final CompletableFuture<LogReader.Broken> readingEnded = new CompletableFuture<>();

    private @Nullable RetainedTopic retained;
    private volatile @Nullable Watch watch;

    private Cluster(
            KafkaConfig config,
            ServerConfig whole,
            Server server,
            ClientSettings clients,
            Admin admin,
            Topic topic,
            List<Bridge> bridges) {
        this.config = config;
        this.whole = whole;
        this.server = server;
        this.clients = clients;
        this.admin = admin;
        this.topic = topic;
        shared = new KafkaShared(
                topic.epoch(),
                Headers.newNode(),
                new Partitions(topic.partitions(), bridges),
                config,
                new LogPublisher(config.topics().log(), config, clients::producer, this::count),
                bridges.stream()
                        .collect(Collectors.toMap(
                                Bridge::topic,
                                bridge -> new LogPublisher(bridge.topic(), config, clients::producer, this::count))),
                // A failed write here is repeated, and no publisher waits for its answer.
                new LogPublisher(config.topics().retained(), config, clients::producer, counter -> {}),
                whole.messages().maxMessageSize(),
                whole.messages().headers());
        presence = whole.messages().tightlyCoupled()
                ? new PresenceLog(config, shared.node(), clients, admin, server.clockMillis(), server.counting())
                : null;
        members = new MemberLog(config, shared.node(), clients, admin, server.clockMillis(), server.counting());
    }

    /** Opens the cluster when Kafka has described the topic; throws if it has not within {@code Kafka.StartTime}. */
    public static Cluster open(KafkaConfig config, ServerConfig whole, Server server) throws IOException {
        int maxMessageSize = whole.messages().maxMessageSize();
        ClientSettings clients = new ClientSettings(config, maxMessageSize);
        Admin admin = admin(clients);
        try {
            Topic topic = await(
                    config, () -> Topic.find(admin, config, whole.subjects().longestHistoryMillis(), maxMessageSize));
            warn(config.topics().log(), topic.warnings());
            warn(
                    config.topics().retained(),
                    await(config, () -> RetainedSettings.find(admin, config, topic.partitions(), maxMessageSize)));
            if (whole.messages().tightlyCoupled()) {
                await(config, () -> NodeLog.findTopic(admin, config, PresenceLog.USE));
            }
            if (showsMembers(whole)) {
                await(config, () -> NodeLog.findTopic(admin, config, MemberLog.use(config)));
            }
            List<Bridge> bridges =
                    await(config, () -> Bridge.find(admin, config.topics().bridges(), topic.partitions()));
            return new Cluster(config, whole, server, clients, admin, topic, bridges);
        } catch (IOException | RuntimeException failure) {
            admin.close();
            throw failure;
        }
    }

    private static boolean showsMembers(ServerConfig whole) {
        return whole.subjects().any(SubjectOptions::presence);
    }

    private static void warn(String topic, List<String> warnings) {
        warnings.forEach(warning -> LOG.warn("Kafka topic {}: {}", topic, warning));
    }

    private static Admin admin(ClientSettings clients) throws IOException {
        try {
            return clients.admin();
        } catch (KafkaException bad) {
            throw new IOException("Kafka's client did not start: " + reasonOf(bad), bad);
        }
    }

    private static String reasonOf(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure.getMessage() + (cause == null ? "" : ": " + cause.getMessage());
    }

    /** A request to Kafka. */
    private interface Question<T> {
        T ask() throws IOException, InterruptedException;
    }

    private static <T> T await(KafkaConfig config, Question<T> question) throws IOException {
        long deadline =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.times().startMillis());
        int refusals = 0;
        try {
            while (true) {
                try {
                    return question.ask();
                } catch (Topic.WrongTopic wrong) {
                    throw wrong;
                } catch (IOException unreachable) {
                    refusals = isRefusal(unreachable) ? refusals + 1 : 0;
                    if (refusals == REFUSALS_MAX) {
                        throw refused(config, unreachable);
                    }
                    if (System.nanoTime() - deadline > 0) {
                        throw new IOException(
                                "Kafka at " + config.brokers() + " did not answer within Kafka.StartTime: "
                                        + unreachable.getMessage(),
                                unreachable);
                    }
                    LOG.info("waiting for Kafka at {}: {}", config.brokers(), unreachable.getMessage());
                    TimeUnit.MILLISECONDS.sleep(ASK_AGAIN_MILLIS);
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("the start was interrupted", interrupted);
        }
    }

    /** Returns whether Kafka refused this node's identity or rights, so that waiting does not help. */
    private static boolean isRefusal(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof AuthenticationException || each instanceof AuthorizationException) {
                return true;
            }
        }
        return false;
    }

    private static IOException refused(KafkaConfig config, Exception refusal) {
        return new IOException(
                "Kafka at " + config.brokers() + " refuses this node: " + refusal.getMessage()
                        + "; check Kafka.clients.* and the rights listed in docs/cluster.md",
                refusal);
    }

    /** Opens a topic that gets events; throws if Kafka has not described it within {@code Kafka.StartTime}. */
    public EventReceiver eventTopic(String name) throws IOException {
        await(config, () -> EventTopic.find(admin, name, config, topic.partitions()));
        // A failed write is repeated by the delivery, which counts it.
        LogPublisher publisher = new LogPublisher(name, config, clients::producer, counter -> {});
        publisher.start();
        return new EventTopic(name, publisher);
    }

    /** Returns the epoch of all positions. */
    public long epoch() {
        return topic.epoch();
    }

    @Override
    public Broker broker(Lane lane, Cache cache) {
        KafkaBroker broker = new KafkaBroker(shared, lane, cache);
        broker.share(presence == null ? null : new LanePresence(presence), members);
        lanes.add(broker);
        return broker;
    }

    /**
     * Starts reading and publishing. Returns when every lane has the messages that the log had at this moment; throws when that
     * takes longer than {@code Kafka.StartTime}.
     *
     * @param seed the seed of the lanes' subject hashes
     */
    public void start(long seed) throws IOException {
        long deadline =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.times().startMillis());
        RetainedTopic retaining =
                new RetainedTopic(shared, clients.consumer(), lanes, new SubjectKey(seed), this::count);
        retained = retaining;
        try {
            retaining.load(deadline);
            retaining.settleBridges();
        } catch (AuthenticationException | AuthorizationException refusal) {
            throw refused(config, refusal);
        }
        members.connect(lanes, new SubjectKey(seed));
        if (showsMembers(whole)) {
            // Before the first message is read.
            lanes.forEach(lane -> lane.run(lane::showMembers));
        }
        LogReader reading = reader(retaining, seed);
        reader = reading;
        reading.start();
        shared.publisher().start();
        shared.bridging().values().forEach(LogPublisher::start);
        shared.storing().start();
        awaitCaughtUp(reading, deadline);
        // Until here this start fails instead.
        readingEnded.thenAccept(
                broken -> server.onBroken().accept(failed(broken).getMessage()));
        retaining.start();
        if (presence != null) {
            presence.start(lanes, new SubjectKey(seed));
        }
        if (showsMembers(whole)) {
            members.begin();
        }
        Watch watching = new Watch(config, topic, shared.partitions(), admin, new Told(), server.onBroken());
        watch = watching;
        watching.start();
    }

    private LogReader reader(RetainedTopic before, long seed) {
        // The time needed to recognise repeats of older messages is added.
        long from = server.clockMillis().getAsLong()
                - whole.subjects().longestHistoryMillis()
                - config.times().repeatMillis();
        return new LogReader(
                new LogReader.Log(
                        config.topics().log(),
                        shared.partitions(),
                        whole.messages().maxMessageSize()),
                clients.consumer(),
                from,
                before,
                lanes,
                new SubjectKey(seed),
                this::count,
                readingEnded::complete);
    }

    private void awaitCaughtUp(LogReader reading, long deadline) throws IOException {
        try {
            while (!reading.caughtUp().await(TELL_SECONDS, TimeUnit.SECONDS)) {
                LOG.info("reading the log");
                if (readingEnded.isDone()) {
                    throw failed(readingEnded.join());
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException("the log was not read to its end within Kafka.StartTime");
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("the start was interrupted", interrupted);
        }
    }

    private IOException failed(LogReader.Broken broken) {
        return broken.cause() instanceof ApiException refusal && isRefusal(refusal)
                ? refused(config, refusal)
                : new IOException(broken.reason(), broken.cause());
    }

    /** Returns why new clients should not be sent to this node now, or empty. Any thread. */
    public Optional<String> trouble() {
        Watch watching = watch;
        return watching == null ? Optional.empty() : watching.stale();
    }

    /** Returns the names of its partitions, those of {@code Kafka.Topic} first. */
    public List<String> partitions() {
        return shared.partitions().names();
    }

    /** Returns the number of messages of a partition that this node has not read yet, as far as it knows. Any thread. */
    public long lag(int partition) {
        Watch watching = watch;
        return watching == null ? 0 : watching.lag(partition);
    }

    private void count(Counter counter) {
        server.counting().accept(counter, 1);
    }

    /** Counts the events of the watch. */
    private final class Told implements Watch.Listener {
        private long lag;

        @Override
        public void onLag(long messages) {
            if (messages != lag) {
                server.counting().accept(Counter.CLUSTER_LAG, messages - lag);
                lag = messages;
            }
        }

        @Override
        public void onStale(Optional<String> reason) {
            boolean stale = reason.isPresent();
            server.counting().accept(Counter.CLUSTER_STALE, stale ? 1 : -1);
            lanes.forEach(lane -> lane.run(() -> lane.onStale(stale)));
        }

        @Override
        public void onStaleTime(long millis) {
            server.counting().accept(Counter.CLUSTER_STALE_MILLIS, millis);
        }
    }

    /** Publishes waiting messages for a short time, and ends the threads. Called while the lanes still run. */
    @Override
    public void close() {
        try {
            shared.publisher().close();
            if (presence != null) {
                presence.close();
            }
            members.close();
            for (LogPublisher bridging : shared.bridging().values()) {
                bridging.close();
            }
            Watch watching = watch;
            if (watching != null) {
                watching.close();
            }
            if (reader != null) {
                reader.close();
            }
            shared.storing().close();
            if (retained != null) {
                retained.close();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        admin.close();
    }
}
