package io.belfry.attack.attacks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/**
 * The listener under attack: a port on loopback, and no other host can be named. Connections use several loopback source
 * addresses that differ from those of the regular clients. Limits by address therefore apply to attackers only, and the
 * connections spread over all lanes. Owner: one thread.
 */
public final class AttackTarget {
    /** Last number of the first source address of attackers. */
    public static final int ATTACKERS = 30;

    /** Last number of the first source address of regular clients that connect during an attack. */
    public static final int NEW_CLIENTS = 20;

    private static final int SOURCES = 8;

    private final InetSocketAddress server;
    private final boolean encrypted;
    private final int firstSource;
    private int next;

    /** Creates a target whose connections begin with this source address. */
    public AttackTarget(int port, boolean encrypted, int firstSource) {
        this.server = new InetSocketAddress(loopback(1), port);
        this.encrypted = encrypted;
        this.firstSource = firstSource;
    }

    /** Returns the value of the Host header. */
    public String host() {
        return server.getAddress().getHostAddress() + ":" + server.getPort();
    }

    /** Returns the origin of a page that this server delivered. */
    public String origin() {
        return (encrypted ? "https://" : "http://") + host();
    }

    /** Opens a connection that is ready for the first byte of HTTP. */
    public AttackConnection open() throws IOException {
        return open(0);
    }

    /** Opens a connection with a receive buffer of this size, for a client that does not read. */
    public AttackConnection openNarrow(int receiveBytes) throws IOException {
        return open(receiveBytes);
    }

    private AttackConnection open(int receiveBytes) throws IOException {
        if (encrypted) {
            // Before the connection, because the server's time limit for the handshake begins with it.
            TlsLayer.load();
        }
        return new AttackConnection(connect(receiveBytes), encrypted);
    }

    /** Opens a TCP connection without a TLS handshake, even on an encrypted listener. */
    public AttackConnection openBare() throws IOException {
        return new AttackConnection(connect(0), false);
    }

    private SocketChannel connect(int receiveBytes) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            if (receiveBytes > 0) {
                channel.socket().setReceiveBufferSize(receiveBytes);
            }
            channel.bind(new InetSocketAddress(loopback(firstSource + next++ % SOURCES), 0));
            channel.connect(server);
            channel.socket().setTcpNoDelay(true);
            channel.configureBlocking(false);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static InetAddress loopback(int last) {
        return InetAddress.ofLiteral("127.0.0." + last);
    }
}
