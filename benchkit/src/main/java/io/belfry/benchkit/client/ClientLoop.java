package io.belfry.benchkit.client;

import io.belfry.benchkit.measure.NanoClock;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One thread with thousands of connections. Owner of its state: that thread; {@link #run} brings work to it from
 * others.
 */
public final class ClientLoop implements AutoCloseable {
    /** Netty's timer stays with each connection for good, 100 bytes; whoever opens thousands watches their progress. */
    private static final int NO_CONNECT_TIMEOUT = 0;

    /** What one connection may have unsent before its publisher waits. */
    private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(256 << 10, 1 << 20);

    private final EventLoopGroup group;
    private final EventLoop eventLoop;
    private final LoopReadBuffer readBuffer;
    private final NanoClock clock;
    private final Random32 masks = new Random32(System.nanoTime());

    public ClientLoop(String name, int readBufferBytes, NanoClock clock) {
        if (!Epoll.isAvailable()) {
            throw new IllegalStateException(
                    "the load generators need Linux with native epoll: " + Epoll.unavailabilityCause(),
                    Epoll.unavailabilityCause());
        }
        this.group =
                new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(name, true), EpollIoHandler.newFactory());
        this.eventLoop = group.next();
        this.readBuffer = new LoopReadBuffer(readBufferBytes);
        this.clock = clock;
    }

    public NanoClock clock() {
        return clock;
    }

    public boolean inLoop() {
        return eventLoop.inEventLoop();
    }

    public void run(Runnable task) {
        eventLoop.execute(task);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // Nobody cancels it; a task that fails is logged by the loop.
    public void runAfter(long delayNanos, Runnable task) {
        eventLoop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    int nextMask() {
        return masks.next();
    }

    /** Begins a connection; its listener hears how it goes, in this call already if it fails at once. */
    public void connect(
            InetSocketAddress server, SourceAddresses sources, Upgrade upgrade, ConnectionListener listener) {
        assert inLoop();
        EpollSocketChannel channel;
        try {
            channel = new EpollSocketChannel();
        } catch (ChannelException e) {
            listener.onEnd(ConnectFailure.ofSocket(e));
            return;
        }
        configure(channel, sources);
        Connection connection = new Connection(this, upgrade, listener, channel);
        channel.pipeline().addLast(connection);
        eventLoop.register(channel).addListener(registered -> {
            if (registered.isSuccess()) {
                connect(channel, server, sources, connection);
            } else {
                connection.end(ConnectFailure.of(registered.cause(), server, sources));
            }
        });
    }

    private void configure(EpollSocketChannel channel, SourceAddresses sources) {
        channel.config()
                .setRecvByteBufAllocator(readBuffer)
                .setAllocator(PooledByteBufAllocator.DEFAULT)
                .setConnectTimeoutMillis(NO_CONNECT_TIMEOUT)
                .setWriteBufferWaterMark(UNSENT)
                .setTcpNoDelay(true);
        if (sources.explicitPorts()) {
            channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        } else {
            // The port is chosen when the other end is known, so that pairs may share it: ip(7).
            channel.config().setOption(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
        }
    }

    private static void connect(
            EpollSocketChannel channel, InetSocketAddress server, SourceAddresses sources, Connection connection) {
        @Nullable SocketAddress source = sources.next();
        ChannelFuture connected = source == null ? channel.connect(server) : channel.connect(server, source);
        connected.addListener(done -> {
            if (!done.isSuccess()) {
                connection.end(ConnectFailure.of(done.cause(), server, sources));
            }
        });
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        readBuffer.release();
    }
}
