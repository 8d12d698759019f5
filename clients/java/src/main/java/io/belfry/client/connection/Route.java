package io.belfry.client.connection;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * How to get to a server; one serves any number of connections. Immutable but for the source addresses, which any thread
 * may take from.
 *
 * @param server resolved
 * @param tls null = plain TCP, which then costs nothing
 */
public record Route(
        InetSocketAddress server,
        SourceAddresses sources,
        Opening opening,
        @Nullable Tls tls) {
    /** Plain, from whatever address and port the kernel chooses. */
    public static Route to(InetSocketAddress server, Opening opening) {
        return new Route(server, SourceAddresses.any(), opening, null);
    }

    public Route from(SourceAddresses sources) {
        return new Route(server, sources, opening, tls);
    }

    public Route encrypted(@Nullable Tls tls) {
        return new Route(server, sources, opening, tls);
    }

    public Route opening(Opening opening) {
        return new Route(server, sources, opening, tls);
    }
}
