package io.belfry.benchkit.stand;

import io.belfry.protocol.WireFormat;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Speaks the protocol over real sockets and makes the {@link Faults} it is told to. One loop, so no locks. Counts each
 * fault, for tests to compare with what the figures say.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write that fails fails the test that waits for it.
public final class StandInServer implements AutoCloseable {
    static final long EPOCH = 7;

    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("stand-in", true), EpollIoHandler.newFactory());
    private final Channel channel;
    final Faults faults;
    final @Nullable String token;
    final Map<String, Topic> topics = new HashMap<>();
    public final AtomicInteger deliveries = new AtomicInteger();
    public final AtomicInteger dropped = new AtomicInteger();
    public final AtomicInteger repeated = new AtomicInteger();
    public final AtomicInteger swapped = new AtomicInteger();
    public final AtomicInteger published = new AtomicInteger();
    public final AtomicInteger connections = new AtomicInteger();

    /** A subject: its last seq and who subscribed. */
    static final class Topic {
        long seq;
        final List<StandInSession> sessions = new ArrayList<>();
    }

    public StandInServer(Faults faults) {
        this(faults, null);
    }

    /** {@code token} must be presented at the handshake; null = none needed. */
    public StandInServer(Faults faults, @Nullable String token) {
        this.faults = faults;
        this.token = token;
        this.channel = new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        connections.incrementAndGet();
                        child.pipeline().addLast(new StandInSession(StandInServer.this));
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    Topic topic(String subject) {
        return topics.computeIfAbsent(subject, s -> new Topic());
    }

    /** Runs after the delay that every delivery gets. */
    void later(Channel to, ByteBuf frame) {
        if (faults.delayMillis() == 0) {
            write(to, frame);
        } else {
            to.eventLoop().schedule(() -> write(to, frame), faults.delayMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Told with each pong. */
    long clockMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    static void write(Channel to, ByteBuf frame) {
        to.writeAndFlush(frame, to.voidPromise());
    }

    static WireFormat format(boolean binary) {
        return binary ? WireFormat.WEBSOCKET_BINARY : WireFormat.WEBSOCKET_JSON;
    }

    static ByteBuf frame() {
        return Unpooled.buffer(256);
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
