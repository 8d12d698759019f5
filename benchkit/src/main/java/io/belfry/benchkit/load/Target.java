package io.belfry.benchkit.load;

import io.belfry.client.connection.Route;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.client.connection.Upgrade;
import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where clients connect and how. Immutable but for the source addresses, which any thread may take from.
 *
 * @param connectRate connections begun per second, of all loops together
 */
public record Target(List<Server> servers, boolean binary, double connectRate) {
    /** One server, with the way to it and the handshake prepared. */
    public record Server(Route route) {}

    public Target {
        servers = List.copyOf(servers);
    }

    public static Target of(
            List<InetSocketAddress> servers,
            boolean binary,
            @Nullable String token,
            SourceAddresses sources,
            double connectRate) {
        String subprotocol = encoding(binary).subprotocol();
        return new Target(
                servers.stream()
                        .map(server -> new Server(Route.to(server, Upgrade.to(hostHeader(server), subprotocol, token))
                                .from(sources)))
                        .toList(),
                binary,
                connectRate);
    }

    /** Where all its clients connect from. */
    public SourceAddresses sources() {
        return servers.getFirst().route().sources();
    }

    private static ClientEncoding encoding(boolean binary) {
        return binary ? new BinaryClientEncoding() : new JsonClientEncoding();
    }

    ClientEncoding encoding() {
        return encoding(binary);
    }

    /** One for each server and loop: connections of a loop to one server share what they were told of its epochs. */
    ServerEventDecoder[] decoders() {
        ServerEventDecoder[] decoders = new ServerEventDecoder[servers.size()];
        Arrays.setAll(decoders, i -> binary ? new BinaryServerEvents() : new JsonServerEvents());
        return decoders;
    }

    private static String hostHeader(InetSocketAddress server) {
        String host = server.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + server.getPort();
    }

    /** The clients go to the servers in turn. */
    Server serverOf(int client) {
        return servers.get(serverIndex(client));
    }

    int serverIndex(int client) {
        return client % servers.size();
    }
}
