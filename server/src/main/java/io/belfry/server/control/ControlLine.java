package io.belfry.server.control;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One end of a control connection, with a deadline over all its operations. A blocking Unix-domain channel has no read
 * timeout, so the channel is non-blocking and a selector waits. Owner: the thread that opened it.
 */
final class ControlLine implements Closeable {
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final long deadlineNanos;

    ControlLine(SocketChannel channel, Duration patience) throws IOException {
        this.channel = channel;
        this.deadlineNanos = System.nanoTime() + patience.toNanos();
        channel.configureBlocking(false);
        this.selector = Selector.open();
        this.key = channel.register(selector, 0);
    }

    /** Reads the first line; text without a line end counts as one, and everything after the line is ignored. */
    String readLine(int bytesMax) throws IOException {
        return read(bytesMax, true).lines().findFirst().orElse("").strip();
    }

    String readAll(int bytesMax) throws IOException {
        return read(bytesMax, false);
    }

    private String read(int bytesMax, boolean lineOnly) throws IOException {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(1024);
        boolean complete = false;
        while (!complete) {
            int count = channel.read(buffer.clear());
            if (count == 0) {
                await(SelectionKey.OP_READ);
            } else if (count > 0) {
                received.write(buffer.array(), 0, count);
            }
            if (received.size() > bytesMax) {
                throw new IOException("more than " + bytesMax + " bytes on the control connection");
            }
            complete = count < 0 || (lineOnly && holdsLineEnd(buffer.flip()));
        }
        return received.toString(StandardCharsets.UTF_8);
    }

    private static boolean holdsLineEnd(ByteBuffer bytes) {
        boolean found = false;
        while (bytes.hasRemaining() && !found) {
            found = bytes.get() == '\n';
        }
        return found;
    }

    void write(String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
    }

    private void await(int operation) throws IOException {
        long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        if (leftMillis <= 0) {
            throw new SocketTimeoutException("the other side of the control connection does not answer");
        }
        key.interestOps(operation);
        selector.select(leftMillis);
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            selector.close();
        }
    }
}
