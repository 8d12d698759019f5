package io.belfry.attack.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where attackers come in: a port of loopback and nothing else, because no other can be named. They come from several
 * addresses of loopback, none of them the witness's, so that what the server bounds by address is bounded for them and
 * not for others, and so that every lane meets some. Owner: one thread.
 */
public final class Door {
    private static final int ATTACKERS = 30;
    private static final int NEWCOMERS = 20;
    private static final int SOURCES = 8;

    private final InetSocketAddress server;
    private final @Nullable SSLContext tls;
    private final int firstSource;
    private int next;

    private Door(int port, @Nullable SSLContext tls, int firstSource) {
        this.server = new InetSocketAddress(loopback(1), port);
        this.tls = tls;
        this.firstSource = firstSource;
    }

    /** {@code tls} null: in plain text. */
    public static Door forAttackers(int port, @Nullable SSLContext tls) {
        return new Door(port, tls, ATTACKERS);
    }

    /** For honest clients that come while an attack goes on: other addresses than the attackers'. */
    public static Door forNewcomers(int port, @Nullable SSLContext tls) {
        return new Door(port, tls, NEWCOMERS);
    }

    /** As in a request's Host. */
    public String host() {
        return server.getAddress().getHostAddress() + ":" + server.getPort();
    }

    /** The origin of a page that this server itself had given out. */
    public String origin() {
        return (tls == null ? "http://" : "https://") + host();
    }

    public boolean isEncrypted() {
        return tls != null;
    }

    /** A connection, ready for the first byte of HTTP. */
    public Wire open() throws IOException {
        return new Wire(connect(0), tls);
    }

    /** A connection that takes in no more than this before somebody reads. */
    public Wire openNarrow(int receiveBytes) throws IOException {
        return new Wire(connect(receiveBytes), tls);
    }

    /** TCP only, whatever is to be spoken over it. */
    public Wire openBare() throws IOException {
        return new Wire(connect(0), null);
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
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
