package io.belfry.server.monitor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.server.RMIServerSocketFactory;
import javax.net.ServerSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Opens RMI's server socket on exactly one address; by default RMI listens on all addresses. RMI compares factories to
 * decide whether two exported objects share a port; a factory of this class equals only itself. Safe for any thread.
 */
final class BoundSockets implements RMIServerSocketFactory, AutoCloseable {
    private static final int BACKLOG = 50;

    private final InetAddress address;
    private final ServerSocketFactory sockets;
    private volatile @Nullable ServerSocket opened;

    BoundSockets(InetAddress address, ServerSocketFactory sockets) {
        this.address = address;
        this.sockets = sockets;
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        ServerSocket socket = sockets.createServerSocket(port, BACKLOG, address);
        opened = socket;
        return socket;
    }

    /** Returns the port of the open socket, including a port that the system chose. */
    int port() {
        ServerSocket socket = opened;
        if (socket == null) {
            throw new IllegalStateException("no object is exported yet, so the port is unknown");
        }
        return socket.getLocalPort();
    }

    /** Closes the socket. RMI itself closes only sockets with a configured port, not those on a port of the system. */
    @Override
    public void close() throws IOException {
        ServerSocket socket = opened;
        if (socket != null) {
            socket.close();
        }
    }
}
