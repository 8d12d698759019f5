package io.belfry.attack.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** TLS over a channel that does not block, as a client that trusts whatever it meets. Owner: its {@link Wire}. */
final class TlsLayer {
    private final SSLEngine engine;
    private ByteBuffer incoming;
    private ByteBuffer plain;
    private boolean ended;

    TlsLayer(SSLContext context) {
        engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        incoming = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
    }

    void handshake(SocketChannel channel, long endNanos) throws IOException {
        engine.beginHandshake();
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_WRAP -> writeAll(channel, wrap(new byte[0]), endNanos);
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> readSome(channel, endNanos);
                case NOT_HANDSHAKING, FINISHED -> {
                    return;
                }
            }
        }
    }

    /** What a handshake begins with. */
    ByteBuffer hello() throws SSLException {
        engine.beginHandshake();
        return wrap(new byte[0]);
    }

    private void readSome(SocketChannel channel, long endNanos) throws IOException {
        if (decrypt() > 0) {
            return;
        }
        int count = channel.read(incoming);
        if (count < 0 || ended) {
            throw new SSLException("the server ended the handshake");
        }
        if (count == 0) {
            pause(endNanos);
        }
    }

    private static void writeAll(SocketChannel channel, ByteBuffer bytes, long endNanos) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                pause(endNanos);
            }
        }
    }

    private static void pause(long endNanos) throws SSLException {
        if (System.nanoTime() > endNanos) {
            throw new SSLException("the server does not go on with the handshake");
        }
        LockSupport.parkNanos(200_000);
    }

    /** All of it as records; of nothing, what the handshake has to say. */
    ByteBuffer wrap(byte[] bytes) throws SSLException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        do {
            SSLEngineResult result = engine.wrap(in, record.clear());
            out.write(record.array(), 0, record.position());
            if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                ended = true;
                break;
            }
        } while (in.hasRemaining());
        return ByteBuffer.wrap(out.toByteArray());
    }

    /** What these bytes complete. */
    ByteBuffer unwrap(ByteBuffer bytes) throws SSLException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (bytes.hasRemaining() && !ended) {
            while (incoming.hasRemaining() && bytes.hasRemaining()) {
                incoming.put(bytes.get());
            }
            while (decrypt() > 0) {
                out.write(plain.array(), 0, plain.position());
            }
        }
        return ByteBuffer.wrap(out.toByteArray());
    }

    /** Takes one record out of what came, into {@code plain}; how many encrypted bytes that were. */
    private int decrypt() throws SSLException {
        incoming.flip();
        SSLEngineResult result = engine.unwrap(incoming, plain.clear());
        incoming.compact();
        switch (result.getStatus()) {
            case CLOSED -> ended = true;
            case BUFFER_OVERFLOW ->
                plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
            case BUFFER_UNDERFLOW -> roomForRecord();
            case OK -> {}
        }
        if (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
            engine.getDelegatedTask().run();
        }
        return result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW ? 1 : result.bytesConsumed();
    }

    private void roomForRecord() {
        int needed = engine.getSession().getPacketBufferSize();
        if (incoming.capacity() < needed) {
            incoming = ByteBuffer.allocate(needed).put(incoming.flip());
        }
    }

    boolean isEnded() {
        return ended;
    }
}
