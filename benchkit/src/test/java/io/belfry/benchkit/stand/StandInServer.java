package io.belfry.benchkit.stand;

import io.belfry.protocol.BelfryFormat;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A server over real sockets that makes the configured {@link StandInFaults} and counts them, so that tests can compare the
 * counts with the figures of a load generator. One loop, so no locks.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write that fails fails the test that waits for it.
public final class StandInServer implements AutoCloseable {
    static final long EPOCH = 7;

    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("stand-in", true), EpollIoHandler.newFactory());
    private final Channel channel;
    final StandInFaults faults;
    final @Nullable String token;
    final Map<String, Topic> topics = new HashMap<>();
    public final AtomicInteger deliveries = new AtomicInteger();
    public final AtomicInteger dropped = new AtomicInteger();
    public final AtomicInteger repeated = new AtomicInteger();
    public final AtomicInteger swapped = new AtomicInteger();
    public final AtomicInteger published = new AtomicInteger();
    public final AtomicInteger connections = new AtomicInteger();

    /** A subject: its last seq and its subscribers. */
    static final class Topic {
        long seq;
        final List<StandInSession> sessions = new ArrayList<>();
    }

    public StandInServer(StandInFaults faults) {
        this(faults, null);
    }

    /** {@code token} is required at the handshake; null = no token. */
    public StandInServer(StandInFaults faults, @Nullable String token) {
        this.faults = faults;
        this.token = token;
        this.channel = new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        child.pipeline().addLast(new StandInSession(StandInServer.this, connections.incrementAndGet()));
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** Waits until the server has this number of subscriptions; the clients may not have read its answers yet. */
    public void awaitSubscriptions(int count) throws Exception {
        await(
                () -> topics.values().stream()
                                .mapToInt(topic -> topic.sessions.size())
                                .sum()
                        >= count,
                "there are fewer than " + count + " subscriptions");
    }

    /**
     * Waits until every subscriber has read what was written to it so far: a ping follows the messages, and the client answers
     * it when it has handled them.
     */
    public void awaitSubscribersHaveRead() throws Exception {
        Collection<StandInSession> sessions = onLoop(() -> {
            Set<StandInSession> all = new HashSet<>();
            topics.values().forEach(topic -> all.addAll(topic.sessions));
            all.forEach(StandInSession::ping);
            return all;
        });
        await(
                () -> sessions.stream().allMatch(StandInSession::hasAnsweredPings),
                "a subscriber has not answered a ping");
    }

    private void await(Callable<Boolean> reached, String failure) throws Exception {
        long end = System.nanoTime() + 30_000_000_000L;
        while (!onLoop(reached)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(failure + " after 30 s");
            }
            Thread.sleep(10);
        }
    }

    private <T> T onLoop(Callable<T> task) throws Exception {
        return channel.eventLoop().submit(task).get();
    }

    Topic topic(String subject) {
        return topics.computeIfAbsent(subject, s -> new Topic());
    }

    /** Sends a delivery after the configured delay. */
    void later(Channel to, ByteBuf frame) {
        if (faults.delayMillis() == 0) {
            write(to, frame);
        } else {
            to.eventLoop().schedule(() -> write(to, frame), faults.delayMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** The time of each pong. */
    long clockMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    static void write(Channel to, ByteBuf frame) {
        to.writeAndFlush(frame, to.voidPromise());
    }

    static WireFormat format(boolean binary) {
        return binary ? BelfryFormat.WEBSOCKET_BINARY : BelfryFormat.WEBSOCKET_JSON;
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
