package io.belfry.server.transport;

import io.belfry.server.config.ListenAddress;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A listener that is a channel of Netty, and whose connections are. Owner: its loop. */
final class ChannelListener extends ChannelInboundHandlerAdapter implements Listener {
    private static final long RETRY_MILLIS = 100;

    private final Acceptor acceptor;
    private final ServerChannel channel;

    private ChannelListener(Acceptor acceptor, ServerChannel channel) {
        this.acceptor = acceptor;
        this.channel = channel;
    }

    /** Opens a listener, or throws with the reason. */
    static ChannelListener open(ListenAddress address, Acceptor acceptor) {
        LoopContext accepting = acceptor.accepting();
        ServerChannel channel = accepting
                .sockets()
                .listening(
                        accepting.lane().config().messages(),
                        accepting.lane().config().limits().pingMillis());
        ChannelListener listener = new ChannelListener(acceptor, channel);
        channel.pipeline().addLast(listener);
        accepting.eventLoop().register(channel).syncUninterruptibly();
        ChannelFuture bind = channel.bind(Listener.resolved(address)).awaitUninterruptibly();
        if (!bind.isSuccess()) {
            throw new IllegalStateException(
                    "cannot listen on " + address + ": " + bind.cause().getMessage(), bind.cause());
        }
        return listener;
    }

    @Override
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Channel child = (Channel) message;
        InetAddress address = child.remoteAddress() instanceof InetSocketAddress inet ? inet.getAddress() : null;
        LoopContext serving = acceptor.onAccepted(address);
        CachedAddresses.forget(child);
        child.config().setOption(ChannelOption.TCP_NODELAY, true);
        // Not the adaptive allocator, Netty's default: it clears the buffer of each read, which costs a tenth of a
        // handshake.
        child.config().setAllocator(PooledByteBufAllocator.DEFAULT);
        if (!serving.sockets().completesLater()) {
            child.config().setRecvByteBufAllocator(serving.receiveBuffers());
        }
        ChannelSocket socket = new ChannelSocket(serving, child);
        SocketEvents connection = acceptor.admit(socket, address, serving);
        if (connection instanceof RefusedConnection refused && acceptor.isEncrypted()) {
            // No answer is sent, because an answer over TLS costs the handshake that this limit avoids.
            acceptor.onClosedUnanswered(refused);
            child.unsafe().closeForcibly();
            return;
        }
        // A client that closed its half may still read; the connection decides.
        child.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        socket.serve(connection);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Probably no file descriptors are left; accepting again at once would loop without progress.
        acceptor.accepting().lane().onFailure(cause);
        ctx.channel().config().setAutoRead(false);
        acceptor.accepting()
                .eventLoop()
                .schedule(() -> ctx.channel().config().setAutoRead(true), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
}
