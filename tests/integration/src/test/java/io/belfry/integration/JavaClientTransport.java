package io.belfry.integration;

import io.belfry.client.BelfryClient;
import io.belfry.client.Encoding;
import io.belfry.client.ReconnectPolicy;
import io.belfry.client.Transport;
import java.nio.file.Path;
import java.time.Duration;

/** Transports and encodings of the Java client, configured with short delays between connection attempts. */
enum JavaClientTransport {
    BINARY(Transport.WEBSOCKET, Encoding.BINARY),
    JSON(Transport.WEBSOCKET, Encoding.JSON),
    LINES(Transport.HTTP_STREAM, Encoding.JSON),
    SSE(Transport.SSE, Encoding.JSON);

    private static final ReconnectPolicy BRISK = new ReconnectPolicy(
            3,
            Duration.ofMillis(50),
            Duration.ofMillis(100),
            Duration.ofMillis(300),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1));

    private final Transport transport;
    private final Encoding encoding;

    JavaClientTransport(Transport transport, Encoding encoding) {
        this.transport = transport;
        this.encoding = encoding;
    }

    BelfryClient.Builder to(int... ports) {
        BelfryClient.Builder builder = builder();
        for (int port : ports) {
            builder.server("ws://127.0.0.1:" + port);
        }
        return builder;
    }

    BelfryClient.Builder encrypted(int port, Path trusted) {
        return builder().server("wss://127.0.0.1:" + port).trust(trusted);
    }

    private BelfryClient.Builder builder() {
        return BelfryClient.builder().transport(transport).encoding(encoding).reconnect(BRISK);
    }
}
