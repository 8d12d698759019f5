package io.belfry.benchkit.load;

import io.belfry.client.connection.ClientTls;
import io.belfry.client.connection.HttpCalls;
import io.belfry.client.connection.HttpStream;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.client.connection.Upgrade;
import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a load generator and how its clients connect to them; client i uses server i modulo their number.
 * Immutable but for the source addresses, which any thread may take from.
 *
 * @param webSocketBinary the encoding over WebSocket; HTTP streams and responses are JSON
 * @param connectRate connections begun per second, all loops together
 */
public record LoadTarget(
        List<Server> servers,
        LoadTransport transport,
        boolean webSocketBinary,
        SourceAddresses sources,
        double connectRate) {
    /** One server with the requests that open connections to it, prepared once for all clients. */
    public record Server(
            Route webSocket,
            HttpCalls calls,
            String host,
            @Nullable String token) {}

    /** The way clients connect to any server; {@code tls} returns null if a connection is not encrypted. */
    public record ConnectOptions(
            LoadTransport transport,
            boolean webSocketBinary,
            boolean compression,
            @Nullable String token,
            Function<InetSocketAddress, @Nullable ClientTls> tls) {
        /** Unencrypted, uncompressed WebSockets. */
        public static ConnectOptions plain(boolean binary, @Nullable String token) {
            return new ConnectOptions(LoadTransport.WEBSOCKET, binary, false, token, server -> null);
        }

        /** TLS that accepts any certificate for any name, for tests. */
        public static Function<InetSocketAddress, @Nullable ClientTls> trustingAny() {
            SslContext any = contextTrustingAny();
            return server -> ClientTls.with(any, server.getHostString(), server.getPort());
        }

        /** The context of {@link #trustingAny}, for TLS without a {@link ClientTls}. */
        public static SslContext contextTrustingAny() {
            try {
                return SslContextBuilder.forClient()
                        .sslProvider(SslProvider.JDK)
                        .trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .endpointIdentificationAlgorithm(null)
                        .build();
            } catch (SSLException e) {
                throw new IllegalArgumentException("TLS is not available: " + e.getMessage(), e);
            }
        }
    }

    /** Prepares the requests for each server. */
    public static LoadTarget of(
            List<InetSocketAddress> servers, ConnectOptions options, SourceAddresses sources, double connectRate) {
        return new LoadTarget(
                servers.stream().map(server -> server(server, options, sources)).toList(),
                options.transport(),
                options.webSocketBinary(),
                sources,
                connectRate);
    }

    private static Server server(InetSocketAddress address, ConnectOptions options, SourceAddresses sources) {
        String name = address.getHostString();
        String host = (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + address.getPort();
        String subprotocol = encoding(options.webSocketBinary()).subprotocol();
        Route route = Route.to(address, Upgrade.to(host, "/", subprotocol, options.token(), options.compression()))
                .from(sources)
                .encrypted(options.tls().apply(address));
        return new Server(route, HttpCalls.to(host, options.token()), host, options.token());
    }

    /** The route of a subscriber; over HTTP its request names the subjects, over WebSocket it subscribes when open. */
    Route subscribing(int client, SubjectList all, int[] subjects) {
        Server server = serverOf(client);
        if (transport == LoadTransport.WEBSOCKET) {
            return server.webSocket();
        }
        String path = Arrays.stream(subjects)
                .mapToObj(subject -> "subject=" + inQuery(all.text(subject)))
                .collect(Collectors.joining("&", "/subscribe?", ""));
        return server.webSocket()
                .opening(
                        transport == LoadTransport.SSE
                                ? HttpStream.serverSentEvents(server.host(), path, server.token())
                                : HttpStream.lines(server.host(), path, server.token()));
    }

    /** Encodes a subject for a query; slashes are allowed there and keep the URL readable. */
    static String inQuery(String subject) {
        return URLEncoder.encode(subject, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
    }

    Route publishing(int client) {
        Server server = serverOf(client);
        return transport == LoadTransport.WEBSOCKET
                ? server.webSocket()
                : server.webSocket().opening(server.calls());
    }

    /** The route of the clock probe to the first server; takes none of the source addresses that the clients need. */
    Route probing() {
        return servers.getFirst().webSocket().from(SourceAddresses.any());
    }

    private static ClientEncoding encoding(boolean binary) {
        return binary ? new BinaryClientEncoding() : new JsonClientEncoding();
    }

    ClientEncoding webSocketEncoding() {
        return encoding(webSocketBinary);
    }

    ServerEventDecoder webSocketDecoder() {
        return webSocketBinary ? new BinaryServerEvents() : new JsonServerEvents();
    }

    /** Makes a decoder for each server; connections of one loop to one server share the epochs that it has sent. */
    ServerEventDecoder[] decoders() {
        ServerEventDecoder[] decoders = new ServerEventDecoder[servers.size()];
        Arrays.setAll(
                decoders, i -> transport == LoadTransport.WEBSOCKET ? webSocketDecoder() : new JsonServerEvents());
        return decoders;
    }

    Server serverOf(int client) {
        return servers.get(serverIndex(client));
    }

    int serverIndex(int client) {
        return client % servers.size();
    }
}
