package io.belfry.attack.attacks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One non-blocking connection of an attacker. A close or reset by the server is a state ({@link #isEnded}) and not an
 * exception, because an attack expects it. Owner: the attacking thread.
 */
public final class AttackConnection implements AutoCloseable {
    /** Bytes received beyond this limit are read and discarded. */
    private static final int KEPT_BYTES_MAX = 4 << 20;

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long POLL_NANOS = 500_000;

    private final SocketChannel channel;
    private final @Nullable TlsLayer tls;
    private final ByteBuffer readBuffer = ByteBuffer.allocate(16 << 10);
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private ByteBuffer unsent = ByteBuffer.allocate(0);
    private long bytesRead;
    private long bytesWritten;
    private boolean ended;

    AttackConnection(SocketChannel channel, boolean encrypted) throws IOException {
        this.channel = channel;
        this.tls = encrypted ? new TlsLayer() : null;
        if (tls != null) {
            await(TIMEOUT, tls::isReady);
            if (!tls.isReady()) {
                close();
                throw new IOException(ended ? "the server ended the TLS handshake" : "the TLS handshake timed out");
            }
            flush();
        }
    }

    /** Queues bytes unless earlier bytes are still unsent; returns whether it queued them. */
    public boolean offer(byte[] bytes) {
        if (!flush()) {
            return false;
        }
        if (tls == null) {
            unsent = ByteBuffer.wrap(bytes);
        } else {
            tls.encrypt(bytes);
        }
        flush();
        return true;
    }

    /** Writes as much of the queued bytes as the kernel takes; returns whether none is left to write. */
    private boolean flush() {
        try {
            int count = 1;
            while (!ended && count > 0 && hasUnsent()) {
                count = channel.write(unsent);
                bytesWritten += count;
            }
        } catch (IOException e) {
            ended = true;
        }
        return ended || !unsent.hasRemaining();
    }

    private boolean hasUnsent() {
        if (tls != null && !unsent.hasRemaining()) {
            unsent = tls.outgoing();
        }
        return unsent.hasRemaining();
    }

    /** Sends all bytes; returns false if the server closes the connection first or stops reading. */
    public boolean send(byte[] bytes) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        boolean queued = offer(bytes);
        while (!ended && (!queued || unsent.hasRemaining()) && System.nanoTime() < end) {
            LockSupport.parkNanos(POLL_NANOS);
            flush();
            queued = queued || offer(bytes);
        }
        return !ended && queued && !unsent.hasRemaining();
    }

    /** Sends text as UTF-8 without framing. */
    public boolean send(String text) {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends a JSON command as a WebSocket text frame. */
    public boolean sendCommand(String json) {
        return send(AttackFrames.text(json));
    }

    /** Reads everything that is available now. */
    public AttackConnection poll() {
        while (read()) {
            // Continues while bytes are available.
        }
        return this;
    }

    /** Reads at most one buffer of what is available and leaves the rest in the kernel. */
    public AttackConnection pollOnce() {
        read();
        return this;
    }

    private boolean read() {
        try {
            int count = ended ? 0 : channel.read(readBuffer.clear());
            ended |= count < 0;
            if (count > 0) {
                receive(readBuffer.flip());
            }
            return count > 0;
        } catch (IOException reset) {
            ended = true;
            return false;
        }
    }

    private void receive(ByteBuffer bytes) {
        bytesRead += bytes.remaining();
        ByteBuffer plain = tls == null ? bytes : tls.decrypt(bytes);
        ended |= tls != null && tls.isEnded();
        if (received.size() < KEPT_BYTES_MAX) {
            received.write(plain.array(), plain.arrayOffset() + plain.position(), plain.remaining());
        }
    }

    /** Returns whether the connection was closed or reset, as far as {@link #poll} has read. */
    public boolean isEnded() {
        return ended;
    }

    /** Returns all bytes received since the last {@link #forget}, decrypted. */
    public byte[] bytes() {
        return received.toByteArray();
    }

    /** Returns {@link #bytes} as UTF-8 text. */
    public String text() {
        return received.toString(StandardCharsets.UTF_8);
    }

    /** Discards the bytes received so far. */
    public void forget() {
        received.reset();
    }

    /** Returns how many bytes the server process itself has read; the rest is still in buffers of the kernel. */
    public long bytesTaken() throws IOException {
        return bytesWritten
                - KernelQueues.heldBetween(
                        (InetSocketAddress) channel.getLocalAddress(), (InetSocketAddress) channel.getRemoteAddress());
    }

    /** Waits until the server closes the connection; returns whether it did. */
    public boolean awaitEnd(Duration atMost) {
        return await(atMost, () -> false);
    }

    /** Waits for the end of an HTTP response head; returns whether it arrived or the connection ended. */
    public boolean awaitHead(Duration atMost) {
        return await(atMost, text -> text.contains("\r\n\r\n"));
    }

    /** Waits until the received text matches or the connection ends; returns whether either happened. */
    public boolean await(Duration atMost, Predicate<String> wanted) {
        return await(atMost, () -> wanted.test(text()));
    }

    /** Evaluates the condition only after new bytes arrived. */
    private boolean await(Duration atMost, BooleanSupplier wanted) {
        long end = System.nanoTime() + atMost.toNanos();
        long evaluated = -1;
        do {
            flush();
            poll();
            if (ended || (bytesRead != evaluated && wanted.getAsBoolean())) {
                return true;
            }
            evaluated = bytesRead;
            LockSupport.parkNanos(POLL_NANOS);
        } while (System.nanoTime() <= end);
        return false;
    }

    /** Closes the connection with a TCP reset. */
    public void reset() {
        try {
            channel.socket().setSoLinger(true, 0);
        } catch (IOException e) {
            ended = true;
        }
        close();
    }

    @Override
    public void close() {
        try {
            if (tls != null) {
                tls.close();
            }
            channel.close();
        } catch (IOException e) {
            ended = true;
        }
    }
}
