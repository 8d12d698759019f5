package io.belfry.integration;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A TCP connection to a server on loopback, at the level of bytes. A read fails after 60 s. Owner: the test's thread.
 */
final class RawConnection implements AutoCloseable {
    private static final int READ_MILLIS = 60_000;

    /** Thrown when the server ended the connection before the expected input. */
    static final class Ended extends AssertionError {
        private static final long serialVersionUID = 1;

        Ended(String where) {
            super("the connection ended " + where);
        }
    }

    private final Socket socket;
    private final InputStream in;

    private RawConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(READ_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    static RawConnection to(int port) {
        return to("127.0.0.1", port);
    }

    static RawConnection to(String host, int port) {
        return to(host, port, 0);
    }

    /** {@code receiveBuffer} is the size of the kernel's buffer for unread bytes; 0 means the system's default. */
    static RawConnection to(String host, int port, int receiveBuffer) {
        try {
            Socket socket = new Socket();
            if (receiveBuffer > 0) {
                socket.setReceiveBufferSize(receiveBuffer);
            }
            socket.connect(new InetSocketAddress(host, port), READ_MILLIS);
            return new RawConnection(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Uses TLS; the caller configures {@code socket}. */
    static RawConnection over(SSLSocket socket) {
        try {
            return new RawConnection(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RawConnection encrypted(SSLContext context, int port) {
        try {
            return over((SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RawConnection send(String text) {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    RawConnection send(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RawConnection send(byte[] bytes, int length) {
        return send(java.util.Arrays.copyOf(bytes, length));
    }

    int localPort() {
        return socket.getLocalPort();
    }

    /** Closes the sending half of the connection, as {@code nc -N} does after its input. */
    RawConnection endOutput() {
        try {
            socket.shutdownOutput();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int read() {
        try {
            return in.read();
        } catch (SocketException reset) {
            return -1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads exactly this number of bytes. */
    byte[] read(int length) {
        try {
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw new Ended((length - bytes.length) + " bytes early");
            }
            return bytes;
        } catch (SocketException reset) {
            throw new Ended("with a reset");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a line without its end; fails if the connection ends first. */
    String line() {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = read(); next != '\n'; next = read()) {
            if (next < 0) {
                throw new Ended("in the line: " + line.toString(StandardCharsets.UTF_8));
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    /** Stops waiting for bytes of the server. A close of TLS would otherwise wait for the server's, as long as a read. */
    void expectNothing() {
        try {
            socket.setSoTimeout(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether the server closed the connection without sending bytes; waits for either. */
    boolean isEnded() {
        return read() < 0;
    }

    /** Reads all bytes up to the server's end of the connection. */
    String rest() {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        for (int next = read(); next >= 0; next = read()) {
            rest.write(next);
        }
        return rest.toString(StandardCharsets.UTF_8);
    }

    /** Closes the connection with a reset, as a crashed client does. */
    void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
