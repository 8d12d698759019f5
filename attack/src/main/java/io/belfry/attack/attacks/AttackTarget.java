package io.belfry.attack.attacks;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The listener under attack: a port on loopback, and no other host can be named. Connections use several loopback source
 * addresses that differ from those of the regular clients. Limits by address therefore apply to attackers only, and the
 * connections spread over all lanes. Owner: one thread.
 */
public final class AttackTarget {
    private static final int ATTACKERS = 30;
    private static final int NEW_CLIENTS = 20;
    private static final int SOURCES = 8;

    private final InetSocketAddress server;
    private final @Nullable SSLContext tls;
    private final int firstSource;
    private int next;

    private AttackTarget(int port, boolean encrypted, int firstSource) {
        this.server = new InetSocketAddress(loopback(1), port);
        this.tls = encrypted ? trustingAny() : null;
        this.firstSource = firstSource;
    }

    /** Returns the target with the source addresses of attackers. */
    public static AttackTarget forAttackers(int port, boolean encrypted) {
        return new AttackTarget(port, encrypted, ATTACKERS);
    }

    /** Returns the target with source addresses for regular clients that connect during an attack. */
    public static AttackTarget forNewClients(int port, boolean encrypted) {
        return new AttackTarget(port, encrypted, NEW_CLIENTS);
    }

    /** Returns a client context that trusts every certificate: the server is a child process of this program. */
    private static SSLContext trustingAny() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }

    /** Returns the value of the Host header. */
    public String host() {
        return server.getAddress().getHostAddress() + ":" + server.getPort();
    }

    /** Returns the origin of a page that this server delivered. */
    public String origin() {
        return (tls == null ? "http://" : "https://") + host();
    }

    /** Opens a connection that is ready for the first byte of HTTP. */
    public AttackConnection open() throws IOException {
        return new AttackConnection(connect(0), tls);
    }

    /** Returns the first bytes that a TLS client sends. */
    static byte[] hello() {
        try (TlsLayer tls = new TlsLayer(trustingAny())) {
            return tls.outgoing().array();
        }
    }

    /** Opens a connection with a receive buffer of this size, for a client that does not read. */
    public AttackConnection openNarrow(int receiveBytes) throws IOException {
        return new AttackConnection(connect(receiveBytes), tls);
    }

    /** Opens a TCP connection without a TLS handshake, even on an encrypted listener. */
    public AttackConnection openBare() throws IOException {
        return new AttackConnection(connect(0), null);
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
