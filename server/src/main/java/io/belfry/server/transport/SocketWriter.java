package io.belfry.server.transport;

import io.belfry.server.counter.Counter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The layer of a {@link Connection} that writes bytes to the socket. It knows no client, no protocol and no session.
 * Owner: the loop; no other thread calls it.
 *
 * <p>Most of the server's work is the fast path of writing: while nothing is queued, one system call writes the bytes
 * directly from the buffer into which they were encoded. Only bytes that the kernel does not accept go through Netty's
 * outbound buffer, and while that buffer is not empty the connection is not ready.
 */
abstract class SocketWriter extends ChannelInboundHandlerAdapter {
    private final LoopContext context;
    private final Channel channel;
    private final @Nullable FileDescriptor socket;
    private @Nullable TlsHandler tls;
    private @Nullable ByteBuf staged;
    private int queuedBytes;

    SocketWriter(LoopContext context, Channel channel) {
        this.context = context;
        this.channel = channel;
        this.socket = channel instanceof EpollSocketChannel epoll ? epoll.fd() : null;
    }

    LoopContext context() {
        return context;
    }

    Channel channel() {
        return channel;
    }

    /** Returns the TLS handler below this one; null for an unencrypted connection. */
    @Nullable
    TlsHandler tls() {
        return tls;
    }

    /** Encrypts all further bytes with this handler, which becomes the first of the channel. */
    void encryptWith(TlsHandler handler) {
        tls = handler;
        channel.pipeline().addFirst(handler);
    }

    /** Returns whether the channel is closed, so that bytes to write are dropped. */
    abstract boolean isGone();

    /** Called when the socket has accepted bytes that it left before, and accepts more. */
    abstract void onSocketReady();

    /** Writes these bytes as {@link io.belfry.server.session.Outbound#write} describes. */
    public boolean write(ByteBuf bytes, int offset, int length) {
        if (isGone()) {
            return true;
        }
        if (queuedBytes == 0 && socket != null && staged == null) {
            int written = writeNow(bytes, offset, length);
            if (written < 0 || (written == length && queuedBytes == 0)) {
                return true;
            }
            enqueue(bytes, offset + written, length - written);
        } else {
            enqueue(bytes, offset, length);
        }
        return takesMore();
    }

    /** Returns whether the socket accepts more; with delayed writes, a few bytes may be in flight. */
    private boolean takesMore() {
        return queuedBytes <= context.sockets().readyBytes();
    }

    private int writeNow(ByteBuf bytes, int offset, int length) {
        if (tls != null) {
            return tls.writeNow(bytes, offset, length);
        }
        int written = handOver(bytes, offset, length);
        context.lane().counters().add(Counter.BYTES_OUT, Math.max(0, written));
        return written;
    }

    /** Writes to the socket; returns the number of bytes accepted, or -1 after an error that closes the connection. */
    int handOver(ByteBuf bytes, int offset, int length) {
        FileDescriptor descriptor = java.util.Objects.requireNonNull(socket);
        if (!descriptor.isOpen()) {
            // channelInactive has not run yet, and another connection may already have the same descriptor number.
            return -1;
        }
        try {
            int written = descriptor.writeAddress(bytes.memoryAddress(), offset, offset + length);
            context.lane().counters().increment(Counter.WRITES_OUT);
            return Math.max(0, written);
        } catch (IOException broken) {
            channel.close();
            return -1;
        }
    }

    private void enqueue(ByteBuf bytes, int offset, int length) {
        if (length == 0) {
            return;
        }
        enqueue(channel.alloc().directBuffer(length).writeBytes(bytes, offset, length));
    }

    private void enqueue(ByteBuf bytes) {
        int length = bytes.readableBytes();
        queuedBytes += length;
        context.lane().counters().add(Counter.QUEUED_BYTES, length);
        channel.writeAndFlush(bytes).addListener((ChannelFutureListener) future -> onWritten(future, length, length));
    }

    /** Updates the counters; {@code counted} is the part of {@code length} not yet counted as sent. */
    private void onWritten(ChannelFuture future, int length, int counted) {
        queuedBytes -= length;
        context.lane().counters().add(Counter.QUEUED_BYTES, -length);
        context.lane().counters().increment(Counter.WRITES_OUT);
        if (!future.isSuccess()) {
            channel.close();
            return;
        }
        context.lane().counters().add(Counter.BYTES_OUT, counted);
        if (takesMore()) {
            onSocketReady();
        }
    }

    /** Queues encrypted bytes that the socket did not accept; they are sent before any others. */
    void enqueueEncrypted(ChannelHandlerContext below, ByteBuf bytes) {
        int length = bytes.readableBytes();
        queuedBytes += length;
        context.lane().counters().add(Counter.QUEUED_BYTES, length);
        below.writeAndFlush(bytes).addListener((ChannelFutureListener) future -> onWritten(future, length, 0));
    }

    /** Adds these bytes to those that {@link #flushStaged} writes together. */
    public void stage(ByteBuf bytes, int offset, int length) {
        if (isGone()) {
            return;
        }
        if (staged == null) {
            int initial = context.lane().config().messages().sendBufferInitial();
            staged = channel.alloc().directBuffer(Math.max(initial, length));
        }
        staged.writeBytes(bytes, offset, length);
    }

    /** Writes the staged bytes; returns what {@link #write} returns. */
    public boolean flushStaged() {
        ByteBuf bytes = staged;
        if (bytes == null) {
            return takesMore();
        }
        staged = null;
        if (queuedBytes == 0 && socket != null) {
            int length = bytes.readableBytes();
            int written = writeNow(bytes, 0, length);
            if (written < 0 || written == length) {
                bytes.release();
                return written < 0 || takesMore();
            }
            bytes = rest(bytes.skipBytes(written));
        }
        enqueue(bytes);
        return takesMore();
    }

    /** Copies a mostly empty buffer into a smaller one, because unsent bytes stay in memory while the client stalls. */
    private ByteBuf rest(ByteBuf bytes) {
        if (bytes.readableBytes() > bytes.capacity() / 2) {
            return bytes;
        }
        ByteBuf rest = channel.alloc().directBuffer(bytes.readableBytes()).writeBytes(bytes);
        bytes.release();
        return rest;
    }

    /** Returns a new buffer for an answer; the caller releases it. */
    ByteBuf newBuffer() {
        return channel.alloc().directBuffer();
    }

    /** Sends bytes that do not belong to a session. */
    void send(ByteBuf bytes) {
        stage(bytes, bytes.readerIndex(), bytes.readableBytes());
        flushStaged();
    }

    /** Returns the accepted bytes that the socket has not taken yet. */
    public int queuedBytes() {
        return queuedBytes - takenOfNext() + (staged == null ? 0 : staged.readableBytes());
    }

    /** Returns whether bytes are in Netty's queue. */
    boolean isQueued() {
        return queuedBytes > 0;
    }

    /**
     * Returns how much of the first buffer in Netty's queue the socket has accepted. With TLS this may exceed the
     * unencrypted size, hence the minimum.
     */
    private int takenOfNext() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return queuedBytes == 0 || pending == null ? 0 : (int) Math.min(queuedBytes, pending.currentProgress());
    }

    /** Closes at once without a close message, even that of TLS, which would wait for a client that reads nothing. */
    public void cut() {
        channel.unsafe().close(channel.voidPromise());
    }

    /** Releases the bytes that were staged before the channel closed. */
    void releaseStaged() {
        if (staged != null) {
            staged.release();
            staged = null;
        }
    }
}
