package io.belfry.server.training;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** A connection of the training to a server on this machine, with blocking calls. Owner: one thread. */
final class TrainingConnection implements AutoCloseable {
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    /** Every so many frames, one arrives in two parts. */
    private static final int FRAMES_PER_DIVIDED = 16;

    private static final long BETWEEN_PARTS_NANOS = 200_000;
    private static final int READ_TIMEOUT_MILLIS = 20_000;
    private static final byte[] MASK = {0x5a, 0x17, 0x3c, 0x61};

    private final Socket socket;
    private final DataInputStream in;
    private int framesSent;

    private TrainingConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_TIMEOUT_MILLIS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    static TrainingConnection open(int port) throws IOException {
        return new TrainingConnection(port);
    }

    /** Opens a WebSocket with this encoding. */
    static TrainingConnection webSocket(int port, String subprotocol) throws IOException {
        TrainingConnection opened = new TrainingConnection(port);
        opened.send(
                "GET",
                "/",
                Map.of(
                        "Upgrade", "websocket",
                        "Connection", "Upgrade",
                        "Sec-WebSocket-Version", "13",
                        "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==",
                        "Sec-WebSocket-Protocol", subprotocol),
                "");
        opened.readHead();
        return opened;
    }

    void text(String command) throws IOException {
        frame(TEXT, command.getBytes(StandardCharsets.UTF_8));
    }

    void binary(byte[] command) throws IOException {
        frame(BINARY, command);
    }

    /** Sends the close frame of a client that leaves. */
    void leave() throws IOException {
        frame(CLOSE, new byte[] {0x03, (byte) 0xe8});
    }

    private void frame(int opcode, byte[] payload) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(payload.length + 8);
        out.write(0x80 | opcode);
        if (payload.length < 126) {
            out.write(0x80 | payload.length);
        } else {
            out.write(0x80 | 126);
            out.write(payload.length >> 8);
            out.write(payload.length);
        }
        out.writeBytes(MASK);
        for (int i = 0; i < payload.length; i++) {
            out.write(payload[i] ^ MASK[i % MASK.length]);
        }
        send(out.toByteArray());
    }

    /** Sends a frame, sometimes in two parts that are divided in its head or in its payload. */
    private void send(byte[] frame) throws IOException {
        OutputStream out = socket.getOutputStream();
        int first = 0;
        if (++framesSent % FRAMES_PER_DIVIDED == 0) {
            first = 1 + framesSent / FRAMES_PER_DIVIDED % (frame.length - 1);
            out.write(frame, 0, first);
            LockSupport.parkNanos(BETWEEN_PARTS_NANOS);
        }
        out.write(frame, first, frame.length - first);
    }

    /** Reads frames up to the first whose payload contains this text. */
    void awaitText(String part) throws IOException {
        String event;
        do {
            event = new String(payload(), StandardCharsets.UTF_8);
        } while (!event.contains(part));
    }

    /** Reads frames up to the first whose op is in this range. */
    void awaitOp(int from, int to) throws IOException {
        int op;
        do {
            op = payload()[0] & 0xff;
        } while (op < from || op > to);
    }

    /** Reads the next frame of data, and answers pings before it. */
    private byte[] payload() throws IOException {
        while ((in.readUnsignedByte() & 15) == PING) {
            frame(PONG, payloadOfFrame());
        }
        return payloadOfFrame();
    }

    private byte[] payloadOfFrame() throws IOException {
        int length = in.readUnsignedByte();
        if (length >= 126) {
            length = length == 126 ? in.readUnsignedShort() : Math.toIntExact(in.readLong());
        }
        byte[] payload = new byte[length];
        in.readFully(payload);
        return payload;
    }

    /** Sends a request and returns the body of its answer; the connection remains open. */
    String call(String method, String target, Map<String, String> headers, String body) throws IOException {
        send(method, target, headers, body);
        int length = 0;
        boolean chunked = false;
        for (String line : readHead().split("\r\n", -1)) {
            String field = line.toLowerCase(Locale.ROOT);
            if (field.startsWith("content-length:")) {
                length =
                        Integer.parseInt(field.substring(field.indexOf(':') + 1).strip());
            }
            chunked |= field.startsWith("transfer-encoding:");
        }
        return chunked ? chunks() : new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    private String chunks() throws IOException {
        StringBuilder body = new StringBuilder();
        while (true) {
            int length = Integer.parseInt(line().strip(), 16);
            body.append(new String(in.readNBytes(length), StandardCharsets.UTF_8));
            line();
            if (length == 0) {
                return body.toString();
            }
        }
    }

    /** Opens a stream; {@link #awaitLine} reads it. */
    void stream(String target, String accept) throws IOException {
        send("GET", target, Map.of("Accept", accept), "");
        readHead();
    }

    /** Reads lines of a stream up to the first that contains this text. */
    void awaitLine(String part) throws IOException {
        String line;
        do {
            line = line();
        } while (!line.contains(part));
    }

    private void send(String method, String target, Map<String, String> headers, String body) throws IOException {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        String fields = headers.entrySet().stream()
                .map(field -> field.getKey() + ": " + field.getValue() + "\r\n")
                .collect(Collectors.joining());
        String length = content.length == 0 ? "" : "Content-Length: " + content.length + "\r\n";
        String head = method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields + length + "\r\n";
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        out.writeBytes(content);
        socket.getOutputStream().write(out.toByteArray());
    }

    private String readHead() throws IOException {
        StringBuilder head = new StringBuilder();
        for (String line = line(); !line.isEmpty(); line = line()) {
            head.append(line).append("\r\n");
        }
        if (!head.substring("HTTP/1.1 ".length()).startsWith("101")
                && !head.substring("HTTP/1.1 ".length()).startsWith("200")) {
            throw new IOException("the server refused a request of the training: " + head);
        }
        return head.toString();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("the server closed a connection of the training run");
            }
            if (next == '\n') {
                return line.toString().stripTrailing();
            }
            line.append((char) next);
        }
    }

    /** Closes the connection with a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
