package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.config.ListenAddress;
import io.belfry.server.counter.Counter;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One listening socket on one loop: accepts and counts connections, and passes each to the lane that serves it. With
 * native sockets every lane listens on the same port and the kernel distributes the connections. Owner: its loop.
 */
final class Listener extends ChannelInboundHandlerAdapter {
    private static final long RETRY_MILLIS = 100;

    private final LoopContext accepting;
    private final Function<@Nullable InetAddress, LoopContext> assignment;
    private final boolean encrypted;
    private final ClientProtocols protocols;

    private Listener(
            LoopContext accepting,
            Function<@Nullable InetAddress, LoopContext> assignment,
            boolean encrypted,
            ClientProtocols protocols) {
        this.accepting = accepting;
        this.assignment = assignment;
        this.encrypted = encrypted;
        this.protocols = protocols;
    }

    static ChannelFuture open(
            ListenAddress address,
            boolean encrypted,
            ClientProtocols protocols,
            LoopContext accepting,
            Function<@Nullable InetAddress, LoopContext> assignment) {
        ServerChannel channel = accepting
                .sockets()
                .listening(
                        accepting.lane().config().messages(),
                        accepting.lane().config().limits().pingMillis());
        channel.pipeline().addLast(new Listener(accepting, assignment, encrypted, protocols));
        ChannelFuture registered = accepting.eventLoop().register(channel);
        registered.syncUninterruptibly();
        return channel.bind(socketAddress(address));
    }

    private static InetSocketAddress socketAddress(ListenAddress address) {
        return address.host().equals("*")
                ? new InetSocketAddress(address.port())
                : new InetSocketAddress(address.host(), address.port());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Channel child = (Channel) message;
        InetAddress address = child.remoteAddress() instanceof InetSocketAddress inet ? inet.getAddress() : null;
        // Proxied connections are spread over all lanes; assigned by the proxy's address, all would be on one lane.
        boolean proxied = accepting.proxies().trusts(address);
        LoopContext serving = assignment.apply(proxied ? null : address);
        accepting.lane().counters().increment(Counter.CONNECTIONS_ACCEPTED);
        CachedAddresses.forget(child);
        child.config().setOption(ChannelOption.TCP_NODELAY, true);
        // Not the adaptive allocator, Netty's default: it clears the buffer of each read, which costs a tenth of a
        // handshake.
        child.config().setAllocator(PooledByteBufAllocator.DEFAULT);
        if (!serving.sockets().completesLater()) {
            child.config().setRecvByteBufAllocator(serving.receiveBuffers());
        }
        ChannelHandler handler = admit(child, address, proxied, serving);
        if (handler instanceof RefusedConnection refused && encrypted) {
            // No answer is sent, because an answer over TLS costs the handshake that this limit avoids.
            refused.closeUnanswered(accepting, child);
            return;
        }
        // A client that closed its half may still read; the phase decides.
        child.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, handler instanceof Connection);
        child.pipeline().addLast(handler);
        serving.eventLoop().register(child);
    }

    private ChannelHandler admit(Channel child, @Nullable InetAddress address, boolean proxied, LoopContext serving) {
        if (!accepting.takeConnect()) {
            return new RefusedConnection(serving, Code.CONNECT_RATE);
        }
        if (encrypted && !accepting.takeHandshake()) {
            return new RefusedConnection(serving, Code.TLS_RATE);
        }
        Admission.Origin origin = accepting.admission().enter(proxied ? null : address);
        Code refusal = accepting.admission().refusal(origin, accepting.nowNanos());
        if (refusal != null) {
            accepting.admission().leave(origin, false, accepting.nowNanos());
            return new RefusedConnection(serving, refusal);
        }
        int traits = (encrypted ? AdmittedSocket.SECURE : 0)
                | (proxied ? AdmittedSocket.PROXIED : 0)
                | (address != null && address.isLoopbackAddress() ? AdmittedSocket.LOOPBACK : 0);
        Connection connection = new Connection(serving, child, origin, traits);
        connection.phase(firstPhase(connection));
        return connection;
    }

    private Phase firstPhase(Connection connection) {
        return protocols.isOnlyHttp()
                ? new HttpConnection(connection, protocols)
                : new FirstBytesConnection(connection, protocols);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Probably no file descriptors are left; accepting again at once would loop without progress.
        accepting.lane().onFailure(cause);
        ctx.channel().config().setAutoRead(false);
        accepting
                .eventLoop()
                .schedule(
                        () -> ctx.channel().config().setAutoRead(true),
                        RETRY_MILLIS,
                        java.util.concurrent.TimeUnit.MILLISECONDS);
    }
}
