package io.belfry.server.transport;

import io.belfry.server.config.ListenAddress;
import java.net.InetSocketAddress;

/**
 * One listening socket on one loop: accepts connections until it is closed. With native sockets every lane listens on the
 * same port and the kernel distributes the connections. Any thread.
 */
interface Listener {
    /** Returns the actual port. */
    int port();

    /** Stops accepting; existing connections stay open. Returns after the socket is closed. */
    void close();

    /** Returns the address that the system binds to; may resolve a name. */
    static InetSocketAddress resolved(ListenAddress address) {
        return address.any()
                ? new InetSocketAddress(address.port())
                : new InetSocketAddress(address.host(), address.port());
    }
}
