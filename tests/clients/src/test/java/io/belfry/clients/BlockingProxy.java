package io.belfry.clients;

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
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An HTTP proxy of a company: it may refuse or swallow WebSocket upgrades, and may forward the answer to a stream only when
 * the answer is complete. Any thread.
 */
final class BlockingProxy implements AutoCloseable {
    /** The treatment of WebSocket handshakes. */
    enum Upgrades {
        PASSED,
        /** Answered with 502. */
        REFUSED,
        /** Never answered. */
        SWALLOWED
    }

    private final ServerSocket listening;
    private final int target;
    private final Upgrades upgrades;
    private final boolean buffering;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    BlockingProxy(int target, Upgrades upgrades, boolean buffering) {
        this.target = target;
        this.upgrades = upgrades;
        this.buffering = buffering;
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
                Line line = new Line(listening.accept(), new Socket(InetAddress.getLoopbackAddress(), target));
                Thread.ofVirtual().start(line::requests);
                Thread.ofVirtual().start(line::answers);
            } catch (IOException closed) {
                return;
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** One connection through the proxy. A client sends each head of a request in one write. */
    private final class Line {
        private final Socket client;
        private final Socket server;
        private volatile boolean streaming;

        private Line(Socket client, Socket server) {
            this.client = client;
            this.server = server;
            sockets.add(client);
            sockets.add(server);
        }

        private void requests() {
            byte[] some = new byte[16 * 1024];
            try (client;
                    server) {
                InputStream in = client.getInputStream();
                OutputStream out = server.getOutputStream();
                for (int count = in.read(some); count >= 0; count = in.read(some)) {
                    String text = new String(some, 0, count, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
                    if (upgrades != Upgrades.PASSED && text.contains("upgrade: websocket")) {
                        block(in);
                        return;
                    }
                    streaming |= buffering && text.startsWith("get /subscribe");
                    out.write(some, 0, count);
                }
            } catch (IOException ended) {
                // Either side may end the connection.
            }
        }

        private void block(InputStream in) throws IOException {
            if (upgrades == Upgrades.REFUSED) {
                client.getOutputStream()
                        .write("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                return;
            }
            byte[] some = new byte[1024];
            while (in.read(some) >= 0) {
                // The handshake gets no answer.
            }
        }

        private void answers() {
            byte[] some = new byte[16 * 1024];
            ByteArrayOutputStream kept = new ByteArrayOutputStream();
            try (client;
                    server) {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                for (int count = in.read(some); count >= 0; count = in.read(some)) {
                    if (streaming) {
                        kept.write(some, 0, count);
                    } else {
                        out.write(some, 0, count);
                    }
                }
                kept.writeTo(out);
            } catch (IOException ended) {
                // Either side may end the connection.
            }
        }
    }
}
