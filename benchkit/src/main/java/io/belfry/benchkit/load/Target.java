package io.belfry.benchkit.load;

import io.belfry.client.connection.HttpCalls;
import io.belfry.client.connection.HttpStream;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.client.connection.Tls;
import io.belfry.client.connection.Upgrade;
import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where clients connect and how. Immutable but for the source addresses, which any thread may take from.
 *
 * @param webSocketBinary the encoding over WebSocket; streams and answers over HTTP are JSON
 * @param connectRate connections begun per second, of all loops together
 */
public record Target(
        List<Server> servers,
        Transport transport,
        boolean webSocketBinary,
        SourceAddresses sources,
        double connectRate) {
    /** One server with what opens a connection to it, prepared once for all. */
    public record Server(
            Route webSocket,
            HttpCalls calls,
            String host,
            @Nullable String token) {}

    /** How servers are to be talked to; {@code tls} answers null where nothing is to be encrypted. */
    public record Manner(
            Transport transport,
            boolean webSocketBinary,
            boolean compression,
            @Nullable String token,
            Function<InetSocketAddress, @Nullable Tls> tls) {
        public static Manner plain(boolean binary, @Nullable String token) {
            return new Manner(Transport.WEBSOCKET, binary, false, token, server -> null);
        }
    }

    public Target {
        servers = List.copyOf(servers);
    }

    public static Target of(
            List<InetSocketAddress> servers, Manner manner, SourceAddresses sources, double connectRate) {
        return new Target(
                servers.stream().map(server -> server(server, manner, sources)).toList(),
                manner.transport(),
                manner.webSocketBinary(),
                sources,
                connectRate);
    }

    private static Server server(InetSocketAddress address, Manner manner, SourceAddresses sources) {
        String host = hostHeader(address);
        String subprotocol = encoding(manner.webSocketBinary()).subprotocol();
        Route route = Route.to(address, Upgrade.to(host, "/", subprotocol, manner.token(), manner.compression()))
                .from(sources)
                .encrypted(manner.tls().apply(address));
        return new Server(route, HttpCalls.to(host, manner.token()), host, manner.token());
    }

    private static String hostHeader(InetSocketAddress server) {
        String host = server.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + server.getPort();
    }

    /** How a subscriber gets its subjects: over WebSocket it asks when it is open, over HTTP the request names them. */
    Route subscribing(int client, SubjectList all, int[] subjects) {
        Server server = serverOf(client);
        return switch (transport) {
            case WEBSOCKET -> server.webSocket();
            case HTTP_STREAM ->
                server.webSocket()
                        .opening(HttpStream.lines(server.host(), subscribePath(all, subjects), server.token()));
            case SSE ->
                server.webSocket()
                        .opening(HttpStream.serverSentEvents(
                                server.host(), subscribePath(all, subjects), server.token()));
        };
    }

    private static String subscribePath(SubjectList all, int[] subjects) {
        StringBuilder path = new StringBuilder("/subscribe");
        for (int i = 0; i < subjects.length; i++) {
            path.append(i == 0 ? "?subject=" : "&subject=").append(inQuery(all.text(subjects[i])));
        }
        return path.toString();
    }

    /** A slash may stand in a query as it is, and the URL stays readable. */
    static String inQuery(String subject) {
        return URLEncoder.encode(subject, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
    }

    Route publishing(int client) {
        Server server = serverOf(client);
        return transport == Transport.WEBSOCKET
                ? server.webSocket()
                : server.webSocket().opening(server.calls());
    }

    /** How to ask the first server what time it is; never from the addresses and ports that the clients need. */
    Route asking() {
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

    /** One for each server and loop: connections of a loop to one server share what they were told of its epochs. */
    ServerEventDecoder[] decoders() {
        ServerEventDecoder[] decoders = new ServerEventDecoder[servers.size()];
        Arrays.setAll(decoders, i -> transport == Transport.WEBSOCKET ? webSocketDecoder() : new JsonServerEvents());
        return decoders;
    }

    /** The clients go to the servers in turn. */
    Server serverOf(int client) {
        return servers.get(serverIndex(client));
    }

    int serverIndex(int client) {
        return client % servers.size();
    }
}
