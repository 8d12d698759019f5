package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.netty.handler.ssl.SslContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The settings of a client; {@link BelfryClient.Builder} describes each. Immutable. */
record ClientOptions(
        List<ServerAddress> servers,
        Transport transport,
        Encoding encoding,
        boolean compression,
        @Nullable Supplier<@Nullable String> token,
        boolean tokenRenewable,
        ReconnectPolicy reconnect,
        Duration connectTimeout,
        Duration publishTimeout,
        Duration pingInterval,
        int pendingMax,
        long pendingBytesMax,
        int waitingMax,
        int followedSubjectsMax,
        int bridgesMax,
        @Nullable Executor executor,
        StatusListener status,
        @Nullable SslContext sslContext,
        @Nullable Path trusted,
        @Nullable ClientLoop loop,
        RandomGenerator random) {}
