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
 * A network between a client and a server that can be cut, that has a {@link Weather}, and that remembers what clients said.
 * Any thread.
 */
final class CuttingProxy implements AutoCloseable {
    private static final int REMEMBERED_BYTES = 64 * 1024;

    private final ServerSocket listening;
    private final IntSupplier target;
    private final Weather weather;
    private final List<Line> lines = new CopyOnWriteArrayList<>();

    CuttingProxy(int target) {
        this(() -> target, Weather.FAIR);
    }

    /** {@code target} may be another port for each new line: that of a server that was started again. */
    CuttingProxy(IntSupplier target, Weather weather) {
        this.target = target;
        this.weather = weather;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
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

    /** A server that is not there is a line that breaks at once; the next may find it. */
    private void forward(Socket client) throws IOException {
        try {
            Line line = new Line(client, weather.connect(target.getAsInt()));
            lines.add(line);
            line.start();
        } catch (IOException unreachable) {
            client.close();
        }
    }

    /** Cuts every line on which the client said something like this; answers how many there were. */
    int cut(Predicate<String> said) {
        List<Line> cut = lines.stream().filter(line -> said.test(line.said())).toList();
        cut.forEach(Line::close);
        return cut.size();
    }

    /** Whether a client said this on any line that stands. */
    boolean heard(String part) {
        return lines.stream().anyMatch(line -> line.said().contains(part));
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            cut(said -> true);
        }
    }

    /** One connection through the proxy. */
    private final class Line {
        private final Socket client;
        private final Socket server;
        private final ByteArrayOutputStream said = new ByteArrayOutputStream();

        private Line(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        private void start() {
            Weather.Way there = weather.way();
            Weather.Way back = weather.way();
            Thread.ofVirtual().start(() -> pump(client, server, there, true));
            Thread.ofVirtual().start(() -> pump(server, client, back, false));
        }

        private void pump(Socket from, Socket to, Weather.Way way, boolean remember) {
            byte[] some = new byte[8192];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int count = in.read(some); count >= 0; count = in.read(some)) {
                    if (remember) {
                        remember(some, count);
                    }
                    int passed = way.pass(count);
                    out.write(some, 0, passed);
                    if (passed < count) {
                        break;
                    }
                }
            } catch (IOException cut) {
                // Either side may go at any time: so does the other, below.
            }
            close();
        }

        private synchronized void remember(byte[] bytes, int count) {
            if (said.size() < REMEMBERED_BYTES) {
                said.write(bytes, 0, count);
            }
        }

        private synchronized String said() {
            return said.toString(StandardCharsets.ISO_8859_1);
        }

        private void close() {
            lines.remove(this);
            try (client;
                    server) {
                client.shutdownInput();
            } catch (IOException closedAlready) {
                // Closed is what it is to be.
            }
        }
    }
}
