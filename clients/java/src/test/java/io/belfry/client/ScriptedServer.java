package io.belfry.client;

import io.belfry.client.connection.Upgrade;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** A server that sends each connection the events of a script and ignores what it receives. Any thread. */
final class ScriptedServer implements AutoCloseable {
    /** In a script: the server closes the connection. */
    static final String CLOSE = "close";

    private final ServerSocket listening;
    private final IntFunction<List<String>> script;
    private final List<Socket> open = new ArrayList<>();
    final AtomicInteger connections = new AtomicInteger();

    /**
     * {@code script} returns the events for the connection with this number, or a single response that rejects its
     * handshake.
     */
    ScriptedServer(IntFunction<List<String>> script) {
        this.script = script;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().start(this::accept);
    }

    String url() {
        return "ws://127.0.0.1:" + listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                synchronized (open) {
                    open.add(socket);
                }
                speak(socket, connections.getAndIncrement());
            } catch (IOException gone) {
                // The client disconnected, or the test is over.
            }
        }
    }

    private void speak(Socket socket, int number) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        String key = "";
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            key = line.startsWith("Sec-WebSocket-Key: ") ? line.substring(19) : key;
        }
        OutputStream out = socket.getOutputStream();
        List<String> said = script.apply(number);
        if (!said.isEmpty() && said.get(0).startsWith("HTTP/")) {
            out.write(said.get(0).getBytes(StandardCharsets.US_ASCII));
            socket.close();
            return;
        }
        out.write(("HTTP/1.1 101 OK\r\nSec-WebSocket-Protocol: belfry.json.v1\r\nSec-WebSocket-Accept: "
                        + Upgrade.accept(key) + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        for (String event : said) {
            if (event.equals(CLOSE)) {
                socket.close();
                return;
            }
            byte[] text = event.getBytes(StandardCharsets.UTF_8);
            out.write(0x81);
            out.write(126);
            out.write(text.length >> 8);
            out.write(text.length);
            out.write(text);
        }
        out.flush();
    }

    @Override
    public void close() {
        try {
            listening.close();
            synchronized (open) {
                for (Socket socket : open) {
                    socket.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
