package io.belfry.attack.attacks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A server without defences, in which attacks must find faults. It accepts everything, closes no connection, and responds
 * as the test selects. Owner: the test.
 */
final class WeakServer implements AutoCloseable {
    /** How the server responds. */
    enum Behaviour {
        /** No response at all. */
        SILENT,
        /** 200 to each request, 101 to each upgrade, and success events over WebSocket. */
        PERMISSIVE
    }

    private final ServerSocket listening;
    private final Behaviour behaviour;

    WeakServer(Behaviour behaviour) {
        this.behaviour = behaviour;
        try {
            listening = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // Closed: the test is over.
            return;
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            byte[] bytes = new byte[64 << 10];
            boolean frames = false;
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                String text = new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
                if (behaviour == Behaviour.PERMISSIVE) {
                    out.write(frames ? events() : responses(text));
                    frames |= text.contains("Upgrade: websocket");
                }
            }
        } catch (IOException e) {
            // The attacker has reset its connection.
            return;
        }
    }

    /** Returns one response for each request line. */
    private static byte[] responses(String text) {
        boolean upgrade = text.contains("Upgrade: websocket");
        String response = upgrade
                ? "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
                : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        int requests = Math.max(1, text.split("HTTP/1\\.1\r?\n", -1).length - 1);
        return response.repeat(upgrade ? 1 : requests).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns success events for any command, some of them repeated. */
    private static byte[] events() {
        String all = "{\"op\":\"pong\",\"id\":4711}{\"op\":\"published\",\"id\":2}"
                + "{\"op\":\"subscribed\",\"id\":1}".repeat(100);
        byte[] text = all.getBytes(StandardCharsets.ISO_8859_1);
        byte[] frame = new byte[text.length + 4];
        frame[0] = (byte) 0x81;
        frame[1] = 126;
        frame[2] = (byte) (text.length >> 8);
        frame[3] = (byte) text.length;
        System.arraycopy(text, 0, frame, 4, text.length);
        return frame;
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
