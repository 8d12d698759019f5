package io.belfry.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The layer of a {@link Connection} that writes bytes to the socket. It knows no client, no protocol and no session.
 * Owner: the loop; no other thread calls it.
 *
 * <p>Most of the server's work is the fast path of writing: while nothing is queued, one system call writes the bytes
 * directly from the buffer into which they were encoded. Only bytes that the kernel does not accept are queued in the
 * {@link ClientSocket}, and while some are queued the connection is not ready.
 */
abstract class SocketWriter implements SocketEvents {
    private final LoopContext context;
    private final ClientSocket socket;
    private @Nullable ByteBuf staged;

    SocketWriter(LoopContext context, ClientSocket socket) {
        this.context = context;
        this.socket = socket;
    }

    @Override
    public LoopContext context() {
        return context;
    }

    ClientSocket socket() {
        return socket;
    }

    /** Returns whether the socket is closed, so that bytes to write are dropped. */
    abstract boolean isGone();

    /** Writes these bytes as {@link io.belfry.server.session.Outbound#write} describes. */
    public boolean write(ByteBuf bytes, int offset, int length) {
        if (isGone()) {
            return true;
        }
        int written = staged == null ? socket.writeNow(bytes, offset, length) : 0;
        if (written < 0) {
            return true;
        }
        if (written < length) {
            int left = length - written;
            socket.enqueue(newBuffer(left).writeBytes(bytes, offset + written, left));
        }
        return socket.takesMore();
    }

    /** Adds these bytes to those that {@link #flushStaged} writes together. */
    public void stage(ByteBuf bytes, int offset, int length) {
        if (isGone()) {
            return;
        }
        if (staged == null) {
            int initial = context.lane().config().messages().sendBufferInitial();
            staged = newBuffer(Math.max(initial, length));
        }
        staged.writeBytes(bytes, offset, length);
    }

    /** Writes the staged bytes; returns what {@link #write} returns. */
    public boolean flushStaged() {
        ByteBuf bytes = staged;
        if (bytes == null) {
            return socket.takesMore();
        }
        staged = null;
        int length = bytes.readableBytes();
        int written = socket.writeNow(bytes, bytes.readerIndex(), length);
        if (written < 0 || written == length) {
            bytes.release();
            return written < 0 || socket.takesMore();
        }
        socket.enqueue(written == 0 ? bytes : rest(bytes.skipBytes(written)));
        return socket.takesMore();
    }

    /** Copies a mostly empty buffer into a smaller one, because unsent bytes stay in memory while the client stalls. */
    private static ByteBuf rest(ByteBuf bytes) {
        if (bytes.readableBytes() > bytes.capacity() / 2) {
            return bytes;
        }
        ByteBuf rest = newBuffer(bytes.readableBytes()).writeBytes(bytes);
        bytes.release();
        return rest;
    }

    private static ByteBuf newBuffer(int bytes) {
        return PooledByteBufAllocator.DEFAULT.directBuffer(bytes);
    }

    /** Returns a new buffer for an answer; the caller releases it. */
    ByteBuf newBuffer() {
        return PooledByteBufAllocator.DEFAULT.directBuffer();
    }

    /** Sends bytes that do not belong to a session. */
    void send(ByteBuf bytes) {
        stage(bytes, bytes.readerIndex(), bytes.readableBytes());
        flushStaged();
    }

    /** Returns the accepted bytes that the socket has not taken yet. */
    public int queuedBytes() {
        return socket.queuedBytes() + (staged == null ? 0 : staged.readableBytes());
    }

    /** Closes at once without a close message, even that of TLS, which would wait for a client that reads nothing. */
    public void cut() {
        socket.cut();
    }

    /** Releases the bytes that were staged before the socket closed. */
    void releaseStaged() {
        if (staged != null) {
            staged.release();
            staged = null;
        }
    }
}
