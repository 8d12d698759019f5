package io.belfry.attack.wire;

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
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * One connection that never blocks. An end of the server's, orderly or by reset, is no exception but a fact. Owner: the
 * attacking thread.
 */
public final class Wire implements AutoCloseable {
    /** What came beyond it is read and dropped. */
    private static final int KEPT_BYTES_MAX = 4 << 20;

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel channel;
    private final @Nullable TlsLayer tls;
    private final ByteBuffer readBuffer = ByteBuffer.allocate(16 << 10);
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private ByteBuffer unsent = NOTHING;
    private long bytesRead;
    private long bytesWritten;
    private boolean ended;

    Wire(SocketChannel channel, @Nullable SSLContext context) throws IOException {
        this.channel = channel;
        this.tls = context == null ? null : new TlsLayer(context);
        if (tls != null) {
            try {
                tls.handshake(channel, System.nanoTime() + PATIENCE.toNanos());
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        }
    }

    /** Hands bytes over unless earlier ones still wait for the server; answers whether it did. */
    public boolean offer(byte[] bytes) {
        if (!flush()) {
            return false;
        }
        try {
            unsent = tls == null ? ByteBuffer.wrap(bytes) : tls.wrap(bytes);
        } catch (IOException e) {
            ended = true;
        }
        flush();
        return true;
    }

    /** Sends what waits; answers whether nothing waits any more. */
    private boolean flush() {
        try {
            int count = 1;
            while (!ended && unsent.hasRemaining() && count > 0) {
                count = channel.write(unsent);
                bytesWritten += count;
            }
        } catch (IOException e) {
            ended = true;
        }
        return ended || !unsent.hasRemaining();
    }

    /** Sends all of it; false where the server ended the connection first or takes nothing any more. */
    public boolean send(byte[] bytes) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        boolean taken = offer(bytes);
        while (!ended && (!taken || unsent.hasRemaining()) && System.nanoTime() < end) {
            breathe();
            if (taken) {
                flush();
            } else {
                taken = offer(bytes);
            }
        }
        return !ended && taken && !unsent.hasRemaining();
    }

    public boolean send(String text) {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads what is there. */
    public Wire poll() {
        try {
            while (!ended) {
                int count = channel.read(readBuffer.clear());
                if (count == 0) {
                    return this;
                }
                ended = count < 0;
                take(readBuffer.flip());
            }
        } catch (IOException reset) {
            ended = true;
        }
        return this;
    }

    /** Reads a little of what is there and leaves the rest where it is. */
    public Wire pollOnce() {
        try {
            int count = ended ? 0 : channel.read(readBuffer.clear());
            ended |= count < 0;
            if (count > 0) {
                take(readBuffer.flip());
            }
        } catch (IOException reset) {
            ended = true;
        }
        return this;
    }

    private void take(ByteBuffer bytes) throws IOException {
        bytesRead += bytes.remaining();
        ByteBuffer plain = bytes;
        if (tls != null) {
            plain = tls.unwrap(bytes);
            ended |= tls.isEnded();
        }
        if (received.size() < KEPT_BYTES_MAX) {
            received.write(plain.array(), plain.arrayOffset() + plain.position(), plain.remaining());
        }
    }

    /** Whether the server has ended it; {@link #poll} finds out. */
    public boolean isEnded() {
        return ended;
    }

    /** Everything that came and was not taken yet. */
    public byte[] bytes() {
        return received.toByteArray();
    }

    public String text() {
        return received.toString(StandardCharsets.UTF_8);
    }

    /** What came counts as seen. */
    public void forget() {
        received.reset();
    }

    /** Off the socket, before decryption. */
    public long bytesRead() {
        return bytesRead;
    }

    /** What the server's program itself has read, encrypted or not: the kernel's buffers are nobody's memory. */
    public long bytesTaken() throws IOException {
        return bytesWritten
                - KernelQueues.heldBetween(
                        (InetSocketAddress) channel.getLocalAddress(), (InetSocketAddress) channel.getRemoteAddress());
    }

    /** Waits until the server ends it; answers whether it did. */
    public boolean awaitEnd(Duration atMost) {
        return awaitOr(atMost, () -> false);
    }

    /** Waits until what came fulfils this or the server ended; answers whether either. */
    public boolean await(Duration atMost, Predicate<String> wanted) {
        return awaitOr(atMost, () -> wanted.test(text()));
    }

    /** Looks whenever something came. */
    private boolean awaitOr(Duration atMost, BooleanSupplier wanted) {
        long end = System.nanoTime() + atMost.toNanos();
        long looked = -1;
        while (true) {
            flush();
            poll();
            if (ended || (bytesRead != looked && wanted.getAsBoolean())) {
                return true;
            }
            looked = bytesRead;
            if (System.nanoTime() > end) {
                return false;
            }
            breathe();
        }
    }

    private static void breathe() {
        LockSupport.parkNanos(500_000);
    }

    /** Ends it as a client that vanished. */
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
            channel.close();
        } catch (IOException e) {
            ended = true;
        }
    }
}
