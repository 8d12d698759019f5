package io.belfry.client.connection;

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
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
    private final boolean epoll;
    private final LoopReadBuffer readBuffer;
    private final LongSupplier clock;
    private final Random32 masks = new Random32(System.nanoTime());
    private @Nullable Deflation deflation;

    /** Which of the JDK's and Linux's own ways to wait for many sockets. */
    public enum Io {
        /** Native epoll where it can be loaded, NIO elsewhere. */
        AUTO,
        /** Native epoll, or an exception that says why not. */
        EPOLL,
        /** The JDK's own, on any system; a connection costs some 450 bytes more. */
        NIO
    }

    public ClientLoop(String name, int readBufferBytes, LongSupplier clockNanos) {
        this(name, readBufferBytes, clockNanos, Io.AUTO);
    }

    /** {@code clockNanos} is what messages are stamped with; {@code readBufferBytes} the most that one read takes. */
    public ClientLoop(String name, int readBufferBytes, LongSupplier clockNanos, Io io) {
        if (io == Io.EPOLL && !Epoll.isAvailable()) {
            throw new IllegalStateException(
                    "native epoll cannot be loaded: " + Epoll.unavailabilityCause(), Epoll.unavailabilityCause());
        }
        this.epoll = io != Io.NIO && Epoll.isAvailable();
        this.group = new MultiThreadIoEventLoopGroup(
                1,
                new DefaultThreadFactory(name, true),
                epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        this.eventLoop = group.next();
        this.readBuffer = new LoopReadBuffer(readBufferBytes);
        this.clock = clockNanos;
    }

    /** What {@link Io#AUTO} came to. */
    public Io io() {
        return epoll ? Io.EPOLL : Io.NIO;
    }

    public LongSupplier clock() {
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

    /** Made when the first connection compresses: it holds memory outside the heap. */
    Deflation deflation() {
        Deflation present = deflation;
        if (present == null) {
            deflation = present = new Deflation();
        }
        return present;
    }

    int nextMask() {
        return masks.next();
    }

    /**
     * Begins a connection; its listener hears how it goes, in this call already if it fails at once: then the answer is
     * null. There is no time limit: whoever begins it watches its progress and may {@link Connection#finish} it.
     */
    public @Nullable Connection connect(Route route, ConnectionListener listener) {
        assert inLoop();
        SocketChannel channel;
        try {
            channel = epoll ? new EpollSocketChannel() : new NioSocketChannel();
        } catch (ChannelException e) {
            listener.onEnd(ConnectFailure.ofSocket(e));
            return null;
        }
        configure(channel, route);
        SocketConnection connection = route.opening().connection(this, listener, channel);
        if (route.tls() != null) {
            channel.pipeline().addLast(route.tls().handler(channel));
        }
        channel.pipeline().addLast(connection);
        eventLoop.register(channel).addListener(registered -> {
            if (registered.isSuccess()) {
                connect(channel, route, connection);
            } else {
                connection.end(ConnectFailure.of(registered.cause(), route));
            }
        });
        return connection;
    }

    private void configure(SocketChannel channel, Route route) {
        channel.config()
                .setAllocator(PooledByteBufAllocator.DEFAULT)
                .setConnectTimeoutMillis(NO_CONNECT_TIMEOUT)
                .setWriteBufferWaterMark(UNSENT)
                .setTcpNoDelay(true);
        if (route.tls() == null) {
            // TLS keeps bytes until a record is whole, which the shared buffer does not allow.
            channel.config().setRecvByteBufAllocator(readBuffer);
        }
        if (route.sources().explicitPorts()) {
            channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        } else if (epoll) {
            // The port is chosen when the other end is known, so that pairs may share it: ip(7).
            channel.config().setOption(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
        }
    }

    private static void connect(SocketChannel channel, Route route, SocketConnection connection) {
        @Nullable SocketAddress source = route.sources().next();
        ChannelFuture connected =
                source == null ? channel.connect(route.server()) : channel.connect(route.server(), source);
        connected.addListener(done -> {
            if (!done.isSuccess()) {
                connection.end(ConnectFailure.of(done.cause(), route));
            }
        });
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        readBuffer.release();
        if (deflation != null) {
            deflation.release();
        }
    }
}
