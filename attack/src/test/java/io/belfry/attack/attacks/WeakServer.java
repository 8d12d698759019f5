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
 * A server that defends nothing, for attacks that must not be content with it. It takes everything, ends no connection by
 * itself, and answers as it is told. Owner: the test.
 */
final class WeakServer implements AutoCloseable {
    /** What it says to what comes. */
    enum Manner {
        /** Nothing at all. */
        SILENT,
        /** 200 to each request and 101 to each upgrade; over WebSocket, what a command asks for. */
        OBLIGING
    }

    private final ServerSocket listening;
    private final Manner manner;

    WeakServer(Manner manner) {
        this.manner = manner;
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
                if (manner == Manner.OBLIGING) {
                    out.write(frames ? events() : answers(text));
                    frames |= text.contains("Upgrade: websocket");
                }
            }
        } catch (IOException e) {
            // The attacker's connection is gone, as attackers' are.
            return;
        }
    }

    /** One answer for each thing that looks like a request. */
    private static byte[] answers(String text) {
        boolean upgrade = text.contains("Upgrade: websocket");
        String answer = upgrade
                ? "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
                : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        int requests = Math.max(1, text.split("HTTP/1\\.1\r?\n", -1).length - 1);
        return answer.repeat(upgrade ? 1 : requests).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Whatever was asked, it is granted, and more than once. */
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
