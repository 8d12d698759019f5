package io.belfry.integration;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * A network between a client and a server. It can be cut, has {@link NetworkFaults}, and records the bytes that clients
 * send. Any thread.
 */
public final class CuttingProxy implements AutoCloseable {
    private static final int REMEMBERED_BYTES = 64 * 1024;

    private final ServerSocket listening;
    private final IntSupplier target;
    private final NetworkFaults networkFaults;
    private final List<Line> lines = new CopyOnWriteArrayList<>();

    /** Creates a proxy without faults, to a server on this port. */
    public CuttingProxy(int target) {
        this(() -> target, NetworkFaults.FAIR);
    }

    /** {@code target} may return another port for each new connection: that of a restarted server. */
    public CuttingProxy(IntSupplier target, NetworkFaults networkFaults) {
        this.target = target;
        this.networkFaults = networkFaults;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    /** Returns the port for clients. */
    public int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                forward(listening.accept());
            } catch (IOException closing) {
                return;
            }
        }
    }

    /** A missing server ends the connection at once; the next connection may reach it. */
    private void forward(Socket client) throws IOException {
        try {
            Line line = new Line(client, networkFaults.connect(target.getAsInt()));
            lines.add(line);
            line.start();
        } catch (IOException unreachable) {
            client.close();
        }
    }

    /** Cuts every connection on which the client sent matching input; returns the number of cut connections. */
    public int cut(Predicate<String> sent) {
        List<Line> cut = lines.stream().filter(line -> sent.test(line.sent())).toList();
        cut.forEach(Line::close);
        return cut.size();
    }

    /** Returns the number of open connections. */
    public int openLines() {
        return lines.size();
    }

    /** Returns whether a client sent this on a connection that is still open. */
    public boolean heard(String part) {
        return lines.stream().anyMatch(line -> line.sent().contains(part));
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            cut(sent -> true);
        }
    }

    /** One connection through the proxy. */
    private final class Line {
        private final Socket client;
        private final Socket server;
        private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

        private Line(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        private void start() {
            NetworkFaults.Direction there = networkFaults.direction();
            NetworkFaults.Direction back = networkFaults.direction();
            Thread.ofVirtual().start(() -> pump(client, server, there, true));
            Thread.ofVirtual().start(() -> pump(server, client, back, false));
        }

        private void pump(Socket from, Socket to, NetworkFaults.Direction direction, boolean remember) {
            byte[] some = new byte[8192];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int count = in.read(some); count >= 0; count = in.read(some)) {
                    if (remember) {
                        remember(some, count);
                    }
                    int passed = direction.pass(count);
                    out.write(some, 0, passed);
                    if (passed < count) {
                        break;
                    }
                }
            } catch (IOException cut) {
                // Either side may close at any time; the other side is then closed below.
            }
            close();
        }

        private synchronized void remember(byte[] bytes, int count) {
            if (sent.size() < REMEMBERED_BYTES) {
                sent.write(bytes, 0, count);
            }
        }

        private synchronized String sent() {
            return sent.toString(StandardCharsets.ISO_8859_1);
        }

        private void close() {
            lines.remove(this);
            try (client;
                    server) {
                client.shutdownInput();
            } catch (IOException closedAlready) {
                // The socket is closed already, as intended.
            }
        }
    }
}
