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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An event loop: one thread that serves thousands of connections. Its state belongs to that thread; other threads use
 * {@link #run}.
 */
public final class ClientLoop implements AutoCloseable {
    /**
     * Disabled, because Netty's timer takes 100 bytes for the life of a connection. Callers that open thousands limit
     * the time themselves.
     */
    private static final int NO_CONNECT_TIMEOUT = 0;

    /** How many bytes a connection may have unsent before it reports that it is not writable. */
    private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(256 << 10, 1 << 20);

    private final EventLoopGroup group;
    private final EventLoop eventLoop;
    private final boolean epoll;
    private final LoopReadBuffer readBuffer;
    private final LongSupplier clock;
    /** The timers by a clock that can skip; null with another clock, because Netty's own timers are cheaper. */
    private final @Nullable LoopTimers timers;

    private final Random32 masks = new Random32(System.nanoTime());
    private @Nullable Deflation deflation;

    /** The mechanism for waiting on sockets. */
    public enum Io {
        /** Native epoll if it can be loaded, else NIO. */
        AUTO,
        /** Native epoll; the constructor throws if it cannot be loaded. */
        EPOLL,
        /** The JDK's NIO, on any system; a connection takes about 450 bytes more. */
        NIO
    }

    /** Starts a loop with {@link Io#AUTO}. */
    public ClientLoop(String name, int readBufferBytes, LongSupplier clockNanos) {
        this(name, readBufferBytes, clockNanos, Io.AUTO);
    }

    /** Starts a loop. {@code clockNanos} stamps messages; {@code readBufferBytes} is the maximum of one read. */
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
        this.timers = clockNanos instanceof SkippingClock ? new LoopTimers(eventLoop, clockNanos) : null;
    }

    /** Returns the mechanism in use; never {@link Io#AUTO}. */
    public Io io() {
        return epoll ? Io.EPOLL : Io.NIO;
    }

    /** Returns the clock that stamps messages. */
    public LongSupplier clock() {
        return clock;
    }

    /** Whether the calling thread is the loop's thread. */
    public boolean inLoop() {
        return eventLoop.inEventLoop();
    }

    /** Runs the task on the loop's thread, after the tasks given before; any thread may call it before {@link #close}. */
    public void run(Runnable task) {
        eventLoop.execute(task);
    }

    /** Does the same as {@link #run} where the loop may have ended meanwhile: then returns false without running the task. */
    public boolean tryRun(Runnable task) {
        try {
            eventLoop.execute(task);
            return true;
        } catch (RejectedExecutionException ended) {
            return false;
        }
    }

    /** Runs the task on the loop's thread after the delay. Any thread. */
    @SuppressWarnings("FutureReturnValueIgnored") // The future is never cancelled; the loop logs a task that fails.
    public void runAfter(long delayNanos, Runnable task) {
        LoopTimers own = timers;
        if (own == null) {
            eventLoop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        } else if (inLoop()) {
            own.add(delayNanos, task);
        } else {
            run(() -> own.add(delayNanos, task));
        }
    }

    /**
     * Runs the timers that are due after a {@link SkippingClock} has skipped; returns the time to the next timer in
     * nanoseconds, or -1 if there is none or the loop has another clock.
     */
    public long runDueTimers() {
        assert inLoop();
        if (timers == null) {
            return -1;
        }
        timers.runDue();
        return timers.nextNanos();
    }

    /** Created for the first connection that compresses, because it holds memory outside the heap. */
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
     * Begins to connect, and reports the progress to the listener. If the connection fails at once, the listener is
     * called within this method and the result is null. There is no time limit: the caller watches the progress and may
     * call {@link ServerConnection#finish}.
     */
    public @Nullable ServerConnection connect(Route route, ConnectionListener listener) {
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
            // TLS keeps bytes until a record is complete, which the shared read buffer does not allow.
            channel.config().setRecvByteBufAllocator(readBuffer);
        }
        if (route.sources().explicitPorts()) {
            channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        } else if (epoll) {
            // The kernel chooses the port when the destination is known, so that several pairs may share it: ip(7).
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
