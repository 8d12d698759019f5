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
        Wire wire,
        Credentials credentials,
        ReconnectPolicy reconnect,
        Times times,
        Bounds bounds,
        @Nullable Executor executor,
        StatusListener status,
        @Nullable ClientLoop loop,
        RandomGenerator random) {
    /**
     * The protocol of the connections; with {@code keepSession} the server keeps the session of a lost connection, and
     * {@code clientName} is the name of the client on its node.
     */
    record Wire(
            Transport transport,
            Encoding encoding,
            boolean compression,
            boolean keepSession,
            @Nullable String clientName) {
        Wire {
            if (clientName != null && transport != Transport.WEBSOCKET) {
                throw new IllegalStateException("clientName needs the transport WEBSOCKET, not " + transport);
            }
        }
    }

    /** Returns whether the client has a name on its node. */
    boolean isNamed() {
        return wire.clientName() != null;
    }

    /** The token of the client, and the certificates of TLS. */
    record Credentials(
            @Nullable Supplier<@Nullable String> token,
            boolean tokenRenewable,
            @Nullable SslContext sslContext,
            @Nullable Path trusted) {}

    /** The time limits and the interval of pings. */
    record Times(
            Duration connectTimeout,
            Duration publishTimeout,
            @Nullable Duration pingInterval) {
        private static final Duration USUAL_PING_INTERVAL = Duration.ofSeconds(25);

        /** Returns the ping interval that counts until the server names one. */
        Duration assumedPingInterval() {
            return pingInterval == null ? USUAL_PING_INTERVAL : pingInterval;
        }

        /** Returns the ping interval to request from the server, or 0 for none. */
        long requestedPingMillis() {
            return pingInterval == null ? 0 : pingInterval.toMillis();
        }
    }

    /** The maximum sizes of queues and tables. */
    record Bounds(int pendingMax, long pendingBytesMax, int waitingMax, int followedSubjectsMax, int bridgesMax) {}
}
