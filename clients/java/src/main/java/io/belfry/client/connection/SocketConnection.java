package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;

/**
 * The common part of all connections: the only handler of its channel (besides TLS). Bytes are processed in the loop's
 * read buffer; only data that a read splits is copied. Owner: its loop.
 */
@SuppressWarnings(
        "FutureReturnValueIgnored") // Failed writes are reported to exceptionCaught, through the void promise.
abstract sealed class SocketConnection extends ChannelInboundHandlerAdapter implements ServerConnection
        permits WebSocketClientConnection, HttpStreamClientConnection, HttpCallConnection {
    enum State {
        CONNECTING,
        ASKING,
        OPEN,
        ENDED
    }

    final ClientLoop loop;
    final ConnectionListener listener;
    final Channel channel;
    State state = State.CONNECTING;

    /** The incomplete data at the end of the last read: a part of a frame, a line or a response head. */
    @Nullable
    ByteBuf carried;

    SocketConnection(ClientLoop loop, ConnectionListener listener, Channel channel) {
        this.loop = loop;
        this.listener = listener;
        this.channel = channel;
    }

    /** TCP, and TLS if used, is connected: the connection sends its first request. */
    abstract void connected();

    /** Reads all of {@code in} and carries incomplete data; the caller releases {@code in}. */
    abstract void read(ByteBuf in, long readNanos);

    /** Sends the protocol's close, if it has one. */
    void sendClose() {}

    @Override
    public ByteBuf buffer() {
        return channel.alloc().directBuffer();
    }

    @Override
    public void flush(ByteBuf frames) {
        channel.writeAndFlush(frames, channel.voidPromise());
    }

    @Override
    public boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public ClientLoop loop() {
        return loop;
    }

    @Override
    public void pauseReading() {
        channel.config().setAutoRead(false);
    }

    @Override
    public void resumeReading() {
        channel.config().setAutoRead(true);
    }

    @Override
    public void finish() {
        assert loop.inLoop();
        if (state == State.OPEN) {
            sendClose();
        }
        drop();
    }

    @Override
    public void drop() {
        end(new Ending(Ending.Cause.FINISHED, "finished"));
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (ctx.pipeline().get(SslHandler.class) == null) {
            connected();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (handshake.isSuccess()) {
                connected();
            } else {
                end(new Ending(Ending.Cause.TLS_FAILED, "the TLS handshake failed: " + reason(handshake.cause())));
            }
        }
    }

    /** Returns the innermost message; outer messages only say that something failed. */
    private static String reason(Throwable cause) {
        Throwable innermost = cause;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        return innermost.getMessage() == null ? innermost.toString() : innermost.getMessage();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            int bytes = in.readableBytes();
            if (state != State.ENDED) {
                read(in, loop.clock().getAsLong());
            }
            if (state == State.OPEN) {
                listener.onReadEnd(this, bytes);
            }
        } finally {
            in.release();
        }
    }

    /** Returns the response with its complete head, or null while the head is incomplete. */
    final @Nullable ByteBuf wholeHead(ByteBuf in) {
        ByteBuf answer = in;
        if (carried != null) {
            carried.writeBytes(in);
            answer = carried;
        }
        if (AnswerHead.end(answer) >= 0) {
            return answer;
        }
        if (answer.readableBytes() > AnswerHead.BYTES_MAX) {
            end(new Ending(Ending.Cause.REFUSED, "the server's response is not HTTP"));
        } else {
            carry(in, in.readableBytes());
        }
        return null;
    }

    /** Keeps the rest of {@code in} for the next read. */
    final void carry(ByteBuf in, int room) {
        if (!in.isReadable()) {
            return;
        }
        if (carried == null) {
            carried = channel.alloc().directBuffer(Math.max(room, in.readableBytes()));
        }
        carried.writeBytes(in);
    }

    final void dropCarriedIfRead() {
        if (carried != null && !carried.isReadable()) {
            dropCarried();
        }
    }

    final void dropCarried() {
        if (carried != null) {
            carried.release();
            carried = null;
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (state == State.OPEN) {
            listener.onWritable(this, channel.isWritable());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        String when = state == State.ASKING
                ? "the server closed the connection without a response"
                : "the connection was lost";
        end(new Ending(Ending.Cause.LOST, when));
    }

    /** An exception while a message is handled ends this connection with its reason, and not the loop. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(new Ending(Ending.Cause.LOST, "the connection broke: " + cause));
    }

    final void end(Ending ending) {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        dropCarried();
        channel.close();
        listener.onEnd(ending);
    }
}
