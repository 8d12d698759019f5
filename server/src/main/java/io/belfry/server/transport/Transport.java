package io.belfry.server.transport;

import io.belfry.server.config.ListenAddress;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.workgroup.Clock;
import io.belfry.server.workgroup.Lane;
import io.belfry.server.workgroup.Loop;
import io.belfry.server.workgroup.Workgroups;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The event loops and what listens on them. Its methods are for the thread that starts and stops the server. */
public final class Transport {
    private static final long DEADLINES_MILLIS = 100;
    private static final long FORGET_MILLIS = 1000;
    private static final long STOP_SECONDS = 10;

    private final NativeTransport sockets;
    private final MultiThreadIoEventLoopGroup group;
    private final List<NettyLoop> loops = new ArrayList<>();
    private final List<Channel> listening = new ArrayList<>();
    private final List<LoopContext> contexts = new ArrayList<>();
    private final Admission admission;

    public Transport(ServerConfig config) {
        sockets = NativeTransport.of(config.listen().nativeIo());
        int count = config.workgroups().ioThreads();
        group = new MultiThreadIoEventLoopGroup(
                count, new DefaultThreadFactory("belfry-lane", false), sockets.ioHandlers());
        for (int i = 0; i < count; i++) {
            loops.add(new NettyLoop((EventLoop) group.next()));
        }
        admission = new Admission(config.limits());
    }

    public String socketKind() {
        return sockets.name();
    }

    public Loop loop(int index) {
        return loops.get(index);
    }

    /**
     * Opens every address on every lane, or fails naming the first address that cannot be had.
     *
     * @return the addresses with the ports they got
     */
    public List<ListenAddress> listen(ServerConfig config, Workgroups workgroups, ServerHealth health, Clock clock) {
        for (Lane lane : workgroups.lanes()) {
            EventLoop eventLoop = loops.get(lane.index()).eventLoop();
            LoopContext context = new LoopContext(lane, eventLoop, sockets, admission, health, clock);
            context.connectRate(connectRateEach(config));
            contexts.add(context);
            loops.get(lane.index()).every(DEADLINES_MILLIS, context::checkDeadlines);
        }
        loops.getFirst().every(FORGET_MILLIS, () -> admission.forget(clock.nanos()));
        List<ListenAddress> bound = new ArrayList<>();
        for (ListenAddress address : config.listen().plain()) {
            bound.add(listen(address, workgroups));
        }
        return bound;
    }

    private ListenAddress listen(ListenAddress address, Workgroups workgroups) {
        List<LoopContext> acceptors = sockets.sharesPorts() ? contexts : contexts.subList(0, 1);
        ListenAddress actual = address;
        for (LoopContext accepting : acceptors) {
            ChannelFuture bind = Listener.open(actual, sockets, accepting, from -> assign(from, accepting, workgroups));
            bind.awaitUninterruptibly();
            if (!bind.isSuccess()) {
                throw new IllegalStateException(
                        "cannot listen on " + address + ": " + bind.cause().getMessage(), bind.cause());
            }
            listening.add(bind.channel());
            actual = new ListenAddress(
                    address.host(), ((InetSocketAddress) bind.channel().localAddress()).getPort());
        }
        return actual;
    }

    private LoopContext assign(InetAddress from, LoopContext accepting, Workgroups workgroups) {
        Lane accepted = sockets.sharesPorts()
                ? accepting.lane()
                : workgroups
                        .lanes()
                        .get(java.util.concurrent.ThreadLocalRandom.current().nextInt(contexts.size()));
        return contexts.get(workgroups.laneOf(accepted, from.hashCode()).index());
    }

    /** Takes over what can change at run time. */
    public void reconfigure(ServerConfig next) {
        admission.reconfigure(next.limits());
        int connectRate = connectRateEach(next);
        contexts.forEach(context -> context.eventLoop().execute(() -> {
            context.reconfigure(next);
            context.connectRate(connectRate);
        }));
    }

    /** What each accepting loop may take of Limit.ConnectRate; 0 is no limit. */
    private int connectRateEach(ServerConfig config) {
        int rate = config.limits().connectRate();
        int acceptors = sockets.sharesPorts() ? loops.size() : 1;
        return rate == 0 ? 0 : Math.max(1, rate / acceptors);
    }

    /** No new session begins from here on; who asks for one is told 503, and probes get their answer. */
    public void drain() {
        admission.drain();
    }

    public void stopListening() {
        listening.forEach(channel -> channel.close().awaitUninterruptibly());
        listening.clear();
    }

    /** Ends the loops; whatever connection is left is cut. */
    public void stop() {
        stopListening();
        group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
    }
}
