package io.belfry.clients;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that follows a script for each connection, on a free port. Any thread. */
final class ScriptedPeer implements AutoCloseable {
    /** The opcode of a close frame. */
    private static final int CLOSE = 8;

    /** The op of the command in the binary encoding. */
    private static final int SUBSCRIBE_OP = 2;

    private static final String ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    /** Handles a connection, which is closed when the script returns. */
    @FunctionalInterface
    interface Script {
        void run(Connection connection) throws IOException;
    }

    private final ServerSocket listening;
    private final Script script;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    ScriptedPeer(Script script) {
        this.script = script;
        try {
            listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Returns the number of connections so far. */
    int connections() {
        return connections.get();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> follow(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void follow(Socket socket) {
        try (socket) {
            script.run(new Connection(socket));
        } catch (IOException gone) {
            // The client has ended the connection, or the check is over.
        }
        sockets.remove(socket);
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** One connection. Owner: the thread of its script. */
    static final class Connection {
        private final DataInputStream in;
        private final OutputStream out;
        private String head = "";

        private Connection(Socket socket) throws IOException {
            in = new DataInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        }

        /** Reads the head of a request. */
        String readHead() throws IOException {
            StringBuilder text = new StringBuilder();
            while (text.indexOf("\r\n\r\n") < 0) {
                text.append((char) in.readUnsignedByte());
            }
            head = text.toString();
            return head;
        }

        private Optional<String> header(String name) {
            return head.lines()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst();
        }

        /** Whether the client offered the binary encoding first. */
        boolean isBinary() {
            return header("sec-websocket-protocol").orElse("").startsWith("belfry.binary.v1");
        }

        void write(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }

        /** Answers with an error of this code. */
        void refuse(String statusLine, String code, String... headers) throws IOException {
            String body = "{\"code\":\"" + code + "\",\"reason\":\"scripted\"}";
            StringBuilder more = new StringBuilder();
            for (String each : headers) {
                more.append(each).append("\r\n");
            }
            write("HTTP/1.1 " + statusLine + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                    + "\r\nConnection: close\r\n" + more + "\r\n" + body);
        }

        /** Completes the handshake of a WebSocket with the first offered encoding. */
        void upgrade() throws IOException {
            if (head.isEmpty()) {
                readHead();
            }
            String subprotocol = isBinary() ? "belfry.binary.v1" : "belfry.json.v1";
            write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Protocol: " + subprotocol + "\r\nSec-WebSocket-Accept: "
                    + accept(header("sec-websocket-key").orElse("")) + "\r\n\r\n");
        }

        private static String accept(String key) {
            try {
                byte[] hash =
                        MessageDigest.getInstance("SHA-1").digest((key + ACCEPT).getBytes(StandardCharsets.US_ASCII));
                return Base64.getEncoder().encodeToString(hash);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        void text(String json) throws IOException {
            frame(0x81, json.getBytes(StandardCharsets.UTF_8));
        }

        void binary(byte[] payload) throws IOException {
            frame(0x82, payload);
        }

        void close(int code) throws IOException {
            frame(0x88, new byte[] {(byte) (code >> 8), (byte) code});
        }

        /** Sends a frame; {@code first} is its first byte. */
        void frame(int first, byte[] payload) throws IOException {
            out.write(frameBytes(first, payload));
            out.flush();
        }

        /** Sends bytes a few at a time. */
        void trickle(byte[] bytes) throws IOException {
            for (int i = 0; i < bytes.length; i++) {
                out.write(bytes[i]);
                out.flush();
                if (i % 4 == 0) {
                    Scene.pause(1);
                }
            }
        }

        static byte[] frameBytes(int first, byte[] payload) {
            ByteArrayOutputStream frame = new ByteArrayOutputStream();
            frame.write(first);
            if (payload.length < 126) {
                frame.write(payload.length);
            } else {
                frame.write(126);
                frame.write(payload.length >> 8);
                frame.write(payload.length);
            }
            frame.writeBytes(payload);
            return frame.toByteArray();
        }

        /** Reads the next frame of the client; returns its opcode before its unmasked payload. */
        byte[] readFrame() throws IOException {
            int opcode = in.readUnsignedByte() & 0x0f;
            int length = in.readUnsignedByte() & 0x7f;
            length = length == 126 ? in.readUnsignedShort() : length == 127 ? (int) in.readLong() : length;
            byte[] mask = in.readNBytes(4);
            byte[] all = new byte[length + 1];
            all[0] = (byte) opcode;
            in.readFully(all, 1, length);
            for (int i = 0; i < length; i++) {
                all[i + 1] ^= mask[i % 4];
            }
            return all;
        }

        /** Reads commands until the client subscribes. */
        void awaitSubscribe() throws IOException {
            byte[] frame = readFrame();
            while (!isSubscribe(frame)) {
                frame = readFrame();
            }
        }

        private static boolean isSubscribe(byte[] frame) {
            return switch (frame[0]) {
                case 1 -> new String(frame, StandardCharsets.UTF_8).contains("\"subscribe\"");
                case 2 -> frame.length > 1 && frame[1] == SUBSCRIBE_OP;
                default -> false;
            };
        }

        /** Reads frames until the client closes the WebSocket, and answers that. A client waits seconds for the answer. */
        void answerClose() throws IOException {
            byte[] frame = readFrame();
            while (frame[0] != CLOSE) {
                frame = readFrame();
            }
            frame(0x80 | CLOSE, Arrays.copyOfRange(frame, 1, frame.length));
        }

        /** Reads whatever arrives until the client closes. */
        void drain() throws IOException {
            byte[] some = new byte[8192];
            while (in.read(some) >= 0) {
                // The script ignores these bytes.
            }
        }
    }
}
