package io.belfry.server.transport;

import io.belfry.server.counter.Counter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A socket that is a channel of Netty, and the last handler of that channel: for TLS, NIO and io_uring. Owner: the loop.
 *
 * <p>With native epoll, one system call writes directly from the buffer while nothing is queued. Only bytes that the
 * kernel does not accept go through Netty's outbound buffer.
 */
final class ChannelSocket extends ChannelInboundHandlerAdapter implements ClientSocket {
    private final LoopContext context;
    private final Channel channel;
    private final @Nullable FileDescriptor descriptor;
    private @Nullable SocketEvents events;
    private @Nullable TlsHandler tls;
    private int queuedBytes;

    ChannelSocket(LoopContext context, Channel channel) {
        this.context = context;
        this.channel = channel;
        this.descriptor = channel instanceof EpollSocketChannel epoll ? epoll.fd() : null;
    }

    /** Begins to report events on the loop of the context. */
    void serve(SocketEvents receiver) {
        events = receiver;
        channel.pipeline().addLast(this);
        context.eventLoop().register(channel);
    }

    private SocketEvents events() {
        return Objects.requireNonNull(events);
    }

    // ---- events of the channel ----

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        events().onOpen();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        events().onRead((ByteBuf) message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && tls != null) {
            tls.onHandshake(handshake);
        } else if (event instanceof SslCloseCompletionEvent) {
            events().onEncryptionEnded();
        } else if (event == ChannelInputShutdownEvent.INSTANCE) {
            events().onInputEnded();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        events().onClosed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        events().onFailure(cause);
    }

    // ---- writing ----

    @Override
    public int writeNow(ByteBuf bytes, int offset, int length) {
        if (queuedBytes > 0 || descriptor == null) {
            return 0;
        }
        if (tls != null) {
            return tls.writeNow(bytes, offset, length);
        }
        int written = handOver(bytes, offset, length);
        context.lane().counters().add(Counter.BYTES_OUT, Math.max(0, written));
        return written;
    }

    /** Writes to the socket; returns the number of bytes accepted, or -1 after an error that closes the connection. */
    int handOver(ByteBuf bytes, int offset, int length) {
        FileDescriptor socket = Objects.requireNonNull(descriptor);
        if (!socket.isOpen()) {
            // channelInactive has not run yet, and another connection may already have the same descriptor number.
            return -1;
        }
        try {
            int written = socket.writeAddress(bytes.memoryAddress(), offset, offset + length);
            context.lane().counters().increment(Counter.WRITES_OUT);
            return Math.max(0, written);
        } catch (IOException broken) {
            channel.close();
            return -1;
        }
    }

    @Override
    public void enqueue(ByteBuf bytes) {
        int length = bytes.readableBytes();
        queuedBytes += length;
        context.lane().counters().add(Counter.QUEUED_BYTES, length);
        channel.writeAndFlush(bytes).addListener((ChannelFutureListener) future -> onWritten(future, length, length));
    }

    /** Queues encrypted bytes that the socket did not accept; they are sent before any others. */
    void enqueueEncrypted(ChannelHandlerContext below, ByteBuf bytes) {
        int length = bytes.readableBytes();
        queuedBytes += length;
        context.lane().counters().add(Counter.QUEUED_BYTES, length);
        below.writeAndFlush(bytes).addListener((ChannelFutureListener) future -> onWritten(future, length, 0));
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
            events().onSocketReady();
        }
    }

    @Override
    public int queuedBytes() {
        return queuedBytes - takenOfNext();
    }

    /**
     * Returns how much of the first buffer in Netty's queue the socket has accepted. With TLS this may exceed the
     * unencrypted size, hence the minimum.
     */
    private int takenOfNext() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return queuedBytes == 0 || pending == null ? 0 : (int) Math.min(queuedBytes, pending.currentProgress());
    }

    @Override
    public boolean isQueued() {
        return queuedBytes > 0;
    }

    @Override
    public boolean takesMore() {
        return queuedBytes <= context.sockets().readyBytes();
    }

    // ---- reading ----

    @Override
    public void pauseReading() {
        channel.config().setAutoRead(false);
    }

    @Override
    public void resumeReading() {
        channel.config().setAutoRead(true);
    }

    // ---- the end ----

    @Override
    public void shutdownOutput() {
        if (isQueued()) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener((ChannelFutureListener) sent -> shutdownNow());
        } else {
            shutdownNow();
        }
    }

    private void shutdownNow() {
        if (tls != null && channel.isActive()) {
            tls.closeOutbound().addListener((ChannelFutureListener) said -> shutdownSocket());
        } else {
            shutdownSocket();
        }
    }

    private void shutdownSocket() {
        if (channel instanceof DuplexChannel duplex && channel.isActive() && !duplex.isInputShutdown()) {
            duplex.shutdownOutput();
        } else {
            channel.close();
        }
    }

    @Override
    public void closeAfterQueued() {
        if (isQueued()) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        } else {
            channel.close();
        }
    }

    @Override
    public void close() {
        channel.close();
    }

    @Override
    public void cut() {
        channel.unsafe().close(channel.voidPromise());
    }

    // ---- liveness ----

    @Override
    public boolean showsAcknowledgements() {
        return TcpLiveness.isKnown(channel);
    }

    @Override
    public int acknowledgedMillis(int silentMillis, int limitMillis) {
        return context.liveness().acknowledgedMillis(channel, silentMillis, limitMillis);
    }

    @Override
    public void probeWhileSilent() {
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
    }

    // ---- TLS ----

    @Override
    public void encrypt() {
        tls = new TlsHandler(this, context, channel);
        channel.pipeline().addFirst(tls);
    }

    @Override
    public void receiveEncrypted(ByteBuf bytes) {
        channel.pipeline().fireChannelRead(bytes);
    }

    @Override
    public boolean isEncrypted() {
        return tls != null;
    }

    @Override
    public boolean isHandshaking() {
        return tls != null && !tls.isReady();
    }

    @Override
    public @Nullable String certificateSubject() {
        return tls == null ? null : tls.clientSubject();
    }
}
