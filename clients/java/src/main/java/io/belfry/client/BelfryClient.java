package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.Subjects;
import io.netty.buffer.Unpooled;
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
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client of Belfry that stays connected. After a disconnect it reconnects, resumes its subscriptions at their
 * positions and repeats unacknowledged publishes. Any thread may call it. One thread serves the whole client, so a
 * program needs one client, not one per subject.
 */
public final class BelfryClient implements AutoCloseable {
    private static final int READ_BUFFER_BYTES = 64 << 10;
    private static final int STREAM_BUFFER = 1000;

    private final ClientOptions options;
    private final ClientLoop loop;
    private final PendingPublishes publishes;
    private final OwnOrigin origin = new OwnOrigin();
    private final Engine engine;
    private final ConcurrentHashMap<String, Subscription> subscriptions = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, SubjectWatch> watches = new ConcurrentHashMap<>();
    private final Subscription.Control control;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicLong ids = new AtomicLong();
    private final String msgIdPrefix;

    private BelfryClient(ClientOptions options) {
        this.options = options;
        this.loop = options.loop() != null
                ? options.loop()
                : new ClientLoop("belfry-client", READ_BUFFER_BYTES, System::nanoTime);
        this.publishes = new PendingPublishes(
                options.bounds().pendingMax(), options.bounds().pendingBytesMax());
        this.engine = new Engine(options, loop, publishes, origin);
        this.control = new SubscriptionControl(subscriptions, closed::get, loop, engine);
        byte[] random = new byte[9];
        ThreadLocalRandom.current().nextBytes(random);
        this.msgIdPrefix = Base64.getUrlEncoder().encodeToString(random) + "-";
    }

    /** Returns a builder with default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Begins to connect and returns at once. Further calls have an effect only after {@link Status.Refused}. */
    public BelfryClient start() {
        loop.run(engine::start);
        return this;
    }

    /**
     * Subscribes to a subject or pattern with default options; see {@link #subscribe(String, MessageListener,
     * SubscribeOptions)}.
     */
    public Subscription subscribe(String subject, MessageListener listener) {
        return subscribe(subject, listener, SubscribeOptions.LIVE);
    }

    /**
     * Subscribes to a subject or pattern until {@link Subscription#unsubscribe} or the end of the client. The client
     * need not be connected.
     *
     * @throws IllegalArgumentException if the subject is invalid, or the options are not allowed for a pattern
     * @throws IllegalStateException if this client already has this subscription, or was closed
     */
    public Subscription subscribe(String subject, MessageListener listener, SubscribeOptions with) {
        mustBeOpen();
        Subscription subscription =
                new Subscription(subject, with, listener, options.bounds().followedSubjectsMax(), control);
        if (subscriptions.putIfAbsent(subscription.subject(), subscription) != null) {
            throw new IllegalStateException("already subscribed: " + subject);
        }
        subscription.ready().whenComplete((done, refused) -> {
            if (refused != null) {
                subscriptions.remove(subscription.subject(), subscription);
            }
        });
        if (!loop.tryRun(() -> engine.subscribe(subscription))) {
            throw new IllegalStateException("the client was closed");
        }
        return subscription;
    }

    /** Returns a stream of a subject or pattern with default options; see {@link #stream(String, SubscribeOptions, int)}. */
    public Flow.Publisher<StreamItem> stream(String subject) {
        return stream(subject, SubscribeOptions.LIVE, STREAM_BUFFER);
    }

    /**
     * Returns a stream of a subject or pattern. It subscribes when its subscriber does, and delivers what the subscriber
     * requests. At most {@code bufferMax} items, or 4 MB, wait in the client for requests: then the subscription pauses,
     * and it continues at its position when half of them are taken. The stream completes when the client is closed, and
     * fails with a {@link SubscribeException} if the server refuses.
     */
    public Flow.Publisher<StreamItem> stream(String subject, SubscribeOptions with, int bufferMax) {
        if (bufferMax < 1) {
            throw new IllegalArgumentException("bufferMax must be 1 or more, not " + bufferMax);
        }
        return subscriber ->
                new StreamSubscription(subscriber, bufferMax).begin(items -> subscribe(subject, items, with));
    }

    /**
     * Watches whether a subject has subscribers, until {@link SubjectWatch#unwatch} or the end of the client. The listener gets
     * the first state and every change, also a change that was missed during a disconnect.
     *
     * @throws UnsupportedOperationException if the transport is not {@link Transport#WEBSOCKET}
     * @throws IllegalArgumentException if the subject is invalid or a pattern
     * @throws IllegalStateException if this client watches the subject already, or was closed
     */
    public SubjectWatch watch(String subject, InterestListener listener) {
        mustBeOpen();
        if (options.wire().transport() != Transport.WEBSOCKET) {
            throw new UnsupportedOperationException("watch requires Transport.WEBSOCKET");
        }
        mustBePlain(subject, subject.getBytes(StandardCharsets.UTF_8));
        SubjectWatch watch = new SubjectWatch(subject, listener, this::unwatch);
        if (watches.putIfAbsent(subject, watch) != null) {
            throw new IllegalStateException("already watched: " + subject);
        }
        watch.ready().whenComplete((state, refused) -> {
            if (refused != null) {
                watches.remove(subject, watch);
            }
        });
        if (!loop.tryRun(() -> engine.watch(watch))) {
            throw new IllegalStateException("the client was closed");
        }
        return watch;
    }

    private void unwatch(SubjectWatch watch) {
        if (watches.remove(watch.subject(), watch) && !closed.get()) {
            loop.tryRun(() -> engine.unwatch(watch));
        }
    }

    private static void mustBePlain(String subject, byte[] key) {
        String problem = Subjects.publishProblem(Unpooled.wrappedBuffer(key), 0, key.length);
        if (problem != null) {
            throw new IllegalArgumentException(problem + ": " + subject);
        }
    }

    /** Publishes a text as UTF-8 with default options; see {@link #publish(String, byte[], PublishOptions)}. */
    public CompletableFuture<Position> publish(String subject, String text) {
        return publish(subject, text.getBytes(StandardCharsets.UTF_8), PublishOptions.DEFAULT);
    }

    /** Publishes with default options; see {@link #publish(String, byte[], PublishOptions)}. */
    public CompletableFuture<Position> publish(String subject, byte[] data) {
        return publish(subject, data, PublishOptions.DEFAULT);
    }

    /**
     * Publishes a message. The future completes with the position of the message, or fails with a {@link
     * PublishException}. Publishes of one thread keep their order. The future completes on the client's thread, so use
     * {@code thenApplyAsync} for work that takes long.
     *
     * @throws IllegalArgumentException if the subject or the msgId is invalid
     */
    public CompletableFuture<Position> publish(String subject, byte[] data, PublishOptions with) {
        byte[] key = subject.getBytes(StandardCharsets.UTF_8);
        mustBePlain(subject, key);
        long id = ids.incrementAndGet();
        Publish publish = new Publish(
                id,
                key,
                subject,
                data.clone(),
                with.terms(msgId(with, id), origin),
                loop.clock().getAsLong() + options.times().publishTimeout().toNanos(),
                new CompletableFuture<>());
        if (closed.get()) {
            return failed(PublishException.Kind.CLOSED, "the client was closed");
        }
        if (!publishes.admit(publish)) {
            return failed(
                    PublishException.Kind.TOO_MANY_PENDING,
                    "more than " + options.bounds().pendingMax() + " publishes or "
                            + options.bounds().pendingBytesMax() + " bytes wait for acknowledgement");
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
            throw new IllegalArgumentException("a msgId must have 1 to " + PublishRequest.MSG_ID_MAX_BYTES + " bytes");
        }
        return chosen;
    }

    private static CompletableFuture<Position> failed(PublishException.Kind kind, String reason) {
        return CompletableFuture.failedFuture(new PublishException(kind, "", reason));
    }

    /** Runs a task on the client's thread after a time, unless the client is closed before. */
    void runAfter(Duration time, Runnable task) {
        loop.tryRun(() -> loop.runAfter(time.toNanos(), task));
    }

    /** Whether the client has room for one more publish; a fast publisher checks this before it continues. */
    public boolean isWritable() {
        return !closed.get() && publishes.hasRoom();
    }

    /**
     * Checks the connection now, for a program that knows that the device slept or its network changed. A connected
     * client reconnects if the server sends no sign of life within two seconds; a waiting client reconnects at once,
     * unless the server asked it to wait.
     */
    public void checkConnection() {
        mustBeOpen();
        loop.tryRun(engine::checkConnection);
    }

    private void mustBeOpen() {
        if (closed.get()) {
            throw new IllegalStateException("the client was closed");
        }
    }

    /** Closes the client and its connection; unacknowledged publishes fail. Further calls have no effect. */
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
        boolean running = loop.tryRun(() -> {
            try {
                engine.close();
            } finally {
                done.complete(null);
            }
        });
        if (running) {
            done.join();
        }
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

    /** The settings of a client; all except the servers have defaults. Owner: the thread that builds. */
    public static final class Builder {
        private final List<ServerAddress> servers = new ArrayList<>();
        private Transport transport = Transport.WEBSOCKET;
        private Encoding encoding = Encoding.BINARY;
        private boolean compression;
        private boolean keepSession;
        private @Nullable String clientName;
        private @Nullable Supplier<@Nullable String> token;
        private boolean tokenRenewable;
        private ReconnectPolicy reconnect = ReconnectPolicy.DEFAULT;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration publishTimeout = Duration.ofSeconds(30);
        private @Nullable Duration pingInterval;
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

        /** Adds a server with weight 1. */
        public Builder server(String url) {
            return server(url, 1);
        }

        /**
         * Adds a server, {@code ws://host:port} or {@code wss://host:port}; its share of the clients is proportional to
         * {@code weight}.
         */
        public Builder server(String url, int weight) {
            servers.add(ServerAddress.parse(url, weight));
            return this;
        }

        /** Sets the transport. Default: WebSocket. */
        public Builder transport(Transport chosen) {
            transport = chosen;
            return this;
        }

        /** Sets the encoding of a WebSocket. Default: binary. HTTP transports always use JSON. */
        public Builder encoding(Encoding chosen) {
            encoding = chosen;
            return this;
        }

        /** Whether to offer compression to the server and to compress publishes; WebSocket only. Default: false. */
        public Builder compression(boolean offered) {
            compression = offered;
            return this;
        }

        /** Whether the server keeps the session for the next connection after a loss; WebSocket only. Default: false. */
        public Builder keepSession(boolean keep) {
            keepSession = keep;
            return this;
        }

        /**
         * Sets the name of the client on its node: 1 to 64 of the characters A-Z, a-z, 0-9, '.', '_' and '-'. A later client
         * with the same name closes this one, which then stops with the code {@code client-taken}. The server needs
         * {@code Session.ClientNames}. WebSocket only. Default: no name.
         */
        public Builder clientName(String name) {
            if (!ConnectRequest.isClientName(name)) {
                throw new IllegalArgumentException(
                        "clientName must have 1 to 64 of the characters A-Z, a-z, 0-9, '.', '_', '-', not \"" + name
                                + '"');
            }
            clientName = name;
            return this;
        }

        /** Sets a fixed token. If the server rejects it, the client stops. Default: no token. */
        public Builder token(String fixed) {
            token = () -> fixed;
            tokenRenewable = false;
            return this;
        }

        /**
         * Sets a source of tokens. It is asked before every connection, on a thread that may block. After a rejected
         * token the client asks again.
         */
        public Builder token(Supplier<@Nullable String> source) {
            token = source;
            tokenRenewable = true;
            return this;
        }

        /** Sets the pauses between attempts to connect. Default: {@link ReconnectPolicy#DEFAULT}. */
        public Builder reconnect(ReconnectPolicy policy) {
            reconnect = policy;
            return this;
        }

        /** Sets the listener for every {@link Status}. Default: none. */
        public Builder listener(StatusListener listener) {
            status = listener;
            return this;
        }

        /**
         * Sets the executor that calls the listeners, one call at a time and in order. Default: the client's own
         * thread.
         */
        public Builder executor(Executor listenersRunOn) {
            executor = listenersRunOn;
            return this;
        }

        /** Sets how many calls may wait for the executor before the client stops reading. Default: 10,000. */
        public Builder waitingMax(int calls) {
            waitingMax = calls;
            return this;
        }

        /** Sets the time limit for name lookup, connect, TLS and handshake together. Default: 10 s. */
        public Builder connectTimeout(Duration timeout) {
            connectTimeout = timeout;
            return this;
        }

        /** Sets how long a publish may wait for its acknowledgement, across reconnects. Default: 30 s. */
        public Builder publishTimeout(Duration timeout) {
            publishTimeout = timeout;
            return this;
        }

        /**
         * Requests a ping interval, of which the server applies the nearest one within its bounds. The client drops a
         * server that sends nothing for two intervals. Default: the interval of the server, usually 25 s.
         */
        public Builder pingInterval(Duration interval) {
            if (interval.toMillis() < 1 || interval.toMillis() > ConnectRequest.PING_MILLIS_MAX) {
                throw new IllegalArgumentException("a ping interval must be 1 ms to 49 days, not " + interval);
            }
            pingInterval = interval;
            return this;
        }

        /** Sets how many publishes may wait for acknowledgement, by number and by bytes. Default: 10,000 and 16 MB. */
        public Builder pending(int count, long bytes) {
            pendingMax = count;
            pendingBytesMax = bytes;
            return this;
        }

        /** Sets how many subjects of each pattern are tracked in order to detect gaps. Default: 100,000. */
        public Builder followedSubjects(int count) {
            followedSubjectsMax = count;
            return this;
        }

        /** Sets how many subjects of all patterns are resumed individually after a disconnect. Default: 500. */
        public Builder recoveredSubjects(int count) {
            bridgesMax = count;
            return this;
        }

        /** Trusts only the certificates in this PEM file. Default: those that the JDK trusts. */
        public Builder trust(Path certificates) {
            trusted = certificates;
            return this;
        }

        /** Sets a TLS context of the caller, for example for client certificates. */
        public Builder tls(SslContext context) {
            sslContext = context;
            return this;
        }

        /**
         * Sets a loop that several clients share; it stays open when they close. Default: a loop of the client's own.
         */
        public Builder loop(ClientLoop shared) {
            loop = shared;
            return this;
        }

        /** Sets the source of random numbers for server choice and pauses, for tests. */
        Builder random(RandomGenerator source) {
            random = source;
            return this;
        }

        /** Builds the client; it connects on {@link BelfryClient#start}. */
        public BelfryClient build() {
            if (servers.isEmpty()) {
                throw new IllegalStateException("a client needs at least one server");
            }
            return new BelfryClient(new ClientOptions(
                    List.copyOf(servers),
                    new ClientOptions.Wire(transport, encoding, compression, keepSession, clientName),
                    new ClientOptions.Credentials(token, tokenRenewable, sslContext, trusted),
                    reconnect,
                    new ClientOptions.Times(connectTimeout, publishTimeout, pingInterval),
                    new ClientOptions.Bounds(pendingMax, pendingBytesMax, waitingMax, followedSubjectsMax, bridgesMax),
                    executor,
                    status,
                    loop,
                    random));
        }
    }
}
