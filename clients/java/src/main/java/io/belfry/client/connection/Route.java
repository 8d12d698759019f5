package io.belfry.client.connection;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * How to connect to a server: address, source addresses, first request and TLS. One route serves any number of
 * connections. Immutable except for the source addresses, which any thread may take.
 *
 * @param server resolved address
 * @param tls null for plain TCP
 */
public record Route(
        InetSocketAddress server,
        SourceAddresses sources,
        Opening opening,
        @Nullable ClientTls tls) {
    /** A plain route whose source address and port are chosen by the kernel. */
    public static Route to(InetSocketAddress server, Opening opening) {
        return new Route(server, SourceAddresses.any(), opening, null);
    }

    /** Returns this route with other source addresses. */
    public Route from(SourceAddresses sources) {
        return new Route(server, sources, opening, tls);
    }

    /** Returns this route with TLS; null for plain TCP. */
    public Route encrypted(@Nullable ClientTls tls) {
        return new Route(server, sources, opening, tls);
    }

    /** Returns this route with another first request. */
    public Route opening(Opening opening) {
        return new Route(server, sources, opening, tls);
    }
}
