package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.Subjects;
import io.netty.handler.ssl.SslContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client of Belfry that stays connected: it reconnects by itself, asks for its subscriptions again from where they were
 * and repeats what was not acknowledged. Any thread may call it. One thread serves it; a program needs one client, not
 * one per subject.
 */
public final class BelfryClient implements AutoCloseable {
    private static final int READ_BUFFER_BYTES = 64 << 10;

    private final ClientOptions options;
    private final ClientLoop loop;
    private final Publishes publishes;
    private final Engine engine;
    private final ConcurrentHashMap<String, Subscription> subscriptions = new ConcurrentHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicLong ids = new AtomicLong();
    private final String msgIdPrefix;

    private BelfryClient(ClientOptions options) {
        this.options = options;
        this.loop = options.loop() != null
                ? options.loop()
                : new ClientLoop("belfry-client", READ_BUFFER_BYTES, System::nanoTime);
        this.publishes = new Publishes(options.pendingMax(), options.pendingBytesMax());
        this.engine = new Engine(options, loop, publishes);
        byte[] random = new byte[9];
        ThreadLocalRandom.current().nextBytes(random);
        this.msgIdPrefix = Base64.getUrlEncoder().encodeToString(random) + "-";
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Begins to connect, and returns at once. Again has an effect only after {@link Status.Refused}. */
    public BelfryClient start() {
        loop.run(engine::start);
        return this;
    }

    public Subscription subscribe(String subject, MessageListener listener) {
        return subscribe(subject, listener, SubscribeOptions.LIVE);
    }

    /**
     * Subscribes to a subject or pattern, for as long as the client lives, whether it is connected now or not.
     *
     * @throws IllegalArgumentException if it is neither, or the options do not go with a pattern
     * @throws IllegalStateException if this client has this subscription already
     */
    public Subscription subscribe(String subject, MessageListener listener, SubscribeOptions with) {
        mustBeOpen();
        Subscription subscription =
                new Subscription(subject, with, listener, options.followedSubjectsMax(), this::unsubscribe);
        if (subscriptions.putIfAbsent(subject, subscription) != null) {
            throw new IllegalStateException("subscribed already: " + subject);
        }
        subscription.ready().whenComplete((done, refused) -> {
            if (refused != null) {
                subscriptions.remove(subject, subscription);
            }
        });
        loop.run(() -> engine.subscribe(subscription));
        return subscription;
    }

    private void unsubscribe(Subscription subscription) {
        if (subscriptions.remove(subscription.subject(), subscription) && !closed.get()) {
            loop.run(() -> engine.unsubscribe(subscription));
        }
    }

    public CompletableFuture<Position> publish(String subject, String text) {
        return publish(subject, text.getBytes(StandardCharsets.UTF_8), PublishOptions.DEFAULT);
    }

    public CompletableFuture<Position> publish(String subject, byte[] data) {
        return publish(subject, data, PublishOptions.DEFAULT);
    }

    /**
     * Publishes; the future has the position that the server gave the message, or fails with a {@link PublishException}.
     * Publishes of one thread keep their order. The future completes on the client's thread: go on with {@code
     * thenApplyAsync} where it takes long.
     *
     * @throws IllegalArgumentException if the subject or the msgId is none
     */
    public CompletableFuture<Position> publish(String subject, byte[] data, PublishOptions with) {
        byte[] key = subject.getBytes(StandardCharsets.UTF_8);
        String problem = Subjects.problem(key, 0, key.length, false);
        if (problem != null) {
            throw new IllegalArgumentException(problem + ": " + subject);
        }
        long id = ids.incrementAndGet();
        Publish publish = new Publish(
                id,
                key,
                subject,
                data.clone(),
                with.retain(),
                msgId(with, id),
                loop.clock().getAsLong() + options.publishTimeout().toNanos(),
                new CompletableFuture<>());
        if (closed.get()) {
            return failed(PublishException.Kind.CLOSED, "the client was closed");
        }
        if (!publishes.admit(publish)) {
            return failed(
                    PublishException.Kind.TOO_MANY_PENDING,
                    "more than " + options.pendingMax() + " publishes or " + options.pendingBytesMax()
                            + " bytes wait for the server");
        }
        engine.offer(publish);
        return publish.acknowledged();
    }

    private @Nullable String msgId(PublishOptions with, long id) {
        String chosen = with.msgId();
        if (chosen == null) {
            return with.repeat() ? msgIdPrefix + Long.toString(id, 36) : null;
        }
        int bytes = chosen.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > PublishRequest.MSG_ID_MAX_BYTES) {
            throw new IllegalArgumentException("a msgId has 1 to " + PublishRequest.MSG_ID_MAX_BYTES + " bytes");
        }
        return chosen;
    }

    private static CompletableFuture<Position> failed(PublishException.Kind kind, String reason) {
        return CompletableFuture.failedFuture(new PublishException(kind, "", reason));
    }

    /** Whether one more publish would be taken: what a fast publisher looks at before it goes on. */
    public boolean isWritable() {
        return !closed.get() && publishes.hasRoom();
    }

    private void mustBeOpen() {
        if (closed.get()) {
            throw new IllegalStateException("the client was closed");
        }
    }

    /** Ends the connection; what was not acknowledged fails. Again has no effect. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (loop.inLoop()) {
            // A listener closes its own client: the loop cannot wait for its own end.
            engine.close();
            closeLoopAside();
            return;
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.run(() -> {
            engine.close();
            done.complete(null);
        });
        done.join();
        if (options.loop() == null) {
            loop.close();
        }
    }

    private void closeLoopAside() {
        if (options.loop() == null) {
            Thread closing = new Thread(loop::close, "belfry-client-close");
            closing.setDaemon(true);
            closing.start();
        }
    }

    /** What a client can be told; every setting but the servers has a default. Owner: the thread that builds. */
    public static final class Builder {
        private final List<ServerAddress> servers = new ArrayList<>();
        private Transport transport = Transport.WEBSOCKET;
        private Encoding encoding = Encoding.BINARY;
        private boolean compression;
        private @Nullable Supplier<@Nullable String> token;
        private boolean tokenRenewable;
        private ReconnectPolicy reconnect = ReconnectPolicy.DEFAULT;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration publishTimeout = Duration.ofSeconds(30);
        private Duration pingInterval = Duration.ofSeconds(25);
        private int pendingMax = 10_000;
        private long pendingBytesMax = 16 << 20;
        private int waitingMax = 10_000;
        private int followedSubjectsMax = 100_000;
        private int bridgesMax = 500;
        private @Nullable Executor executor;
        private StatusListener status = ignored -> {};
        private @Nullable SslContext sslContext;
        private @Nullable Path trusted;
        private @Nullable ClientLoop loop;
        private RandomGenerator random = new SplittableRandom();

        private Builder() {}

        public Builder server(String url) {
            return server(url, 1);
        }

        /** One of the servers, {@code ws://host:port} or {@code wss://host:port}, and its share of the clients. */
        public Builder server(String url, int weight) {
            servers.add(ServerAddress.parse(url, weight));
            return this;
        }

        /** WebSocket. */
        public Builder transport(Transport chosen) {
            transport = chosen;
            return this;
        }

        /** Binary; over HTTP everything is JSON. */
        public Builder encoding(Encoding chosen) {
            encoding = chosen;
            return this;
        }

        /** Offers a server to compress messages over WebSocket, and compresses those that are published; off. */
        public Builder compression(boolean offered) {
            compression = offered;
            return this;
        }

        /** None. One that is refused ends the attempts. */
        public Builder token(String fixed) {
            token = () -> fixed;
            tokenRenewable = false;
            return this;
        }

        /** Asked before every connection, on a thread that may block; a refused one is followed by another attempt. */
        public Builder token(Supplier<@Nullable String> source) {
            token = source;
            tokenRenewable = true;
            return this;
        }

        /** {@link ReconnectPolicy#DEFAULT}. */
        public Builder reconnect(ReconnectPolicy policy) {
            reconnect = policy;
            return this;
        }

        /** Hears every {@link Status}; nobody. */
        public Builder listener(StatusListener listener) {
            status = listener;
            return this;
        }

        /** Calls the listeners, one at a time and in order; the client's own thread. */
        public Builder executor(Executor listenersRunOn) {
            executor = listenersRunOn;
            return this;
        }

        /** How many calls may wait for the executor before the client stops reading; 10,000. */
        public Builder waitingMax(int calls) {
            waitingMax = calls;
            return this;
        }

        /** For name lookup, connect, TLS and handshake together; 10 s. */
        public Builder connectTimeout(Duration timeout) {
            connectTimeout = timeout;
            return this;
        }

        /** How long a publish may wait for its acknowledgement, through however many connections; 30 s. */
        public Builder publishTimeout(Duration timeout) {
            publishTimeout = timeout;
            return this;
        }

        /**
         * A server of which nothing comes for two of these is given up; 25 s, or what the server says, which over HTTP it
         * cannot.
         */
        public Builder pingInterval(Duration interval) {
            pingInterval = interval;
            return this;
        }

        /** The publishes that may wait for acknowledgement, by number and by bytes; 10,000 and 16 MB. */
        public Builder pending(int count, long bytes) {
            pendingMax = count;
            pendingBytesMax = bytes;
            return this;
        }

        /** How many subjects of each pattern are followed, so that a gap in them is found; 100,000. */
        public Builder followedSubjects(int count) {
            followedSubjectsMax = count;
            return this;
        }

        /** How many subjects of all patterns are recovered one by one after a disconnect; 500. */
        public Builder recoveredSubjects(int count) {
            bridgesMax = count;
            return this;
        }

        /** Trusts the certificates of this PEM file; those that the JDK trusts. */
        public Builder trust(Path certificates) {
            trusted = certificates;
            return this;
        }

        /** TLS as set up by the caller, for client certificates for example. */
        public Builder tls(SslContext context) {
            sslContext = context;
            return this;
        }

        /** A loop that several clients share; it stays open when they close. One of its own. */
        public Builder loop(ClientLoop shared) {
            loop = shared;
            return this;
        }

        /** What the choice of a server and the pauses are drawn from, for tests. */
        Builder random(RandomGenerator source) {
            random = source;
            return this;
        }

        public BelfryClient build() {
            if (servers.isEmpty()) {
                throw new IllegalStateException("a client needs a server");
            }
            return new BelfryClient(new ClientOptions(
                    List.copyOf(servers),
                    transport,
                    encoding,
                    compression,
                    token,
                    tokenRenewable,
                    reconnect,
                    connectTimeout,
                    publishTimeout,
                    pingInterval,
                    pendingMax,
                    pendingBytesMax,
                    waitingMax,
                    followedSubjectsMax,
                    bridgesMax,
                    executor,
                    status,
                    sslContext,
                    trusted,
                    loop,
                    random));
        }
    }
}
