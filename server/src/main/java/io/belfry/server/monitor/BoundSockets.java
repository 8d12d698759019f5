package io.belfry.server.monitor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.server.RMIServerSocketFactory;
import javax.net.ServerSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Opens RMI's server socket on exactly one address; RMI by itself listens on all. RMI compares factories to decide
 * whether two exported objects share a port, and this one equals only itself. Safe for any thread.
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

    /** The port that was opened, also where any was asked for. */
    int port() {
        ServerSocket socket = opened;
        if (socket == null) {
            throw new IllegalStateException("nothing was exported yet");
        }
        return socket.getLocalPort();
    }

    /** RMI closes the socket of a given port with the last object on it, but never that of any port. */
    @Override
    public void close() throws IOException {
        ServerSocket socket = opened;
        if (socket != null) {
            socket.close();
        }
    }
}
