package io.belfry.server.transport;

import io.belfry.server.config.ListenAddress;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.tls.Tls;
import io.belfry.server.tls.TlsContext;
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
import org.jspecify.annotations.Nullable;

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
    private final @Nullable Tls tls;

    /** {@code tls} is there where there are encrypted addresses to listen on. */
    public Transport(ServerConfig config, @Nullable Tls tls) {
        this.tls = tls;
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
     * The addresses with the ports they got.
     *
     * @param encrypted those of ListenEncrypted
     */
    public record Listening(List<ListenAddress> plain, List<ListenAddress> encrypted) {}

    /** Opens every address on every lane, or fails naming the first address that cannot be had. */
    public Listening listen(ServerConfig config, Workgroups workgroups, ServerHealth health, Clock clock) {
        for (Lane lane : workgroups.lanes()) {
            EventLoop eventLoop = loops.get(lane.index()).eventLoop();
            LoopContext context = new LoopContext(lane, eventLoop, sockets, admission, health, clock);
            context.connectRate(each(config.limits().connectRate()));
            context.handshakeRate(each(config.tls().handshakeRate()));
            contexts.add(context);
            loops.get(lane.index()).every(DEADLINES_MILLIS, context::checkDeadlines);
        }
        LoopCounters counters = workgroups.lanes().getFirst().counters();
        loops.getFirst().every(FORGET_MILLIS, () -> {
            admission.forget(clock.nanos());
            counters.add(Counter.ADDRESSES_FORGOTTEN, admission.takeForgottenEarly());
        });
        if (tls != null) {
            tls.follow(this::encryptWith);
        }
        return new Listening(
                listen(config.listen().plain(), false, workgroups),
                listen(config.listen().encrypted(), true, workgroups));
    }

    private void encryptWith(TlsContext next) {
        for (LoopContext context : contexts) {
            next.retain();
            context.eventLoop().execute(() -> context.tls(next));
        }
    }

    private List<ListenAddress> listen(List<ListenAddress> addresses, boolean encrypted, Workgroups workgroups) {
        return addresses.stream()
                .map(address -> listen(address, encrypted, workgroups))
                .toList();
    }

    private ListenAddress listen(ListenAddress address, boolean encrypted, Workgroups workgroups) {
        List<LoopContext> acceptors = sockets.sharesPorts() ? contexts : contexts.subList(0, 1);
        ListenAddress actual = address;
        for (LoopContext accepting : acceptors) {
            ChannelFuture bind =
                    Listener.open(actual, encrypted, sockets, accepting, from -> assign(from, accepting, workgroups));
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

    /** {@code from} is null for those that are spread evenly. */
    private LoopContext assign(@Nullable InetAddress from, LoopContext accepting, Workgroups workgroups) {
        Lane accepted = sockets.sharesPorts()
                ? accepting.lane()
                : workgroups
                        .lanes()
                        .get(java.util.concurrent.ThreadLocalRandom.current().nextInt(contexts.size()));
        Lane serving = from == null ? accepted : workgroups.laneOf(accepted, from.hashCode());
        return contexts.get(serving.index());
    }

    /** Takes over what can change at run time. */
    public void reconfigure(ServerConfig next) {
        admission.reconfigure(next.limits());
        if (tls != null) {
            tls.reconfigure(next.tls());
        }
        int connectRate = each(next.limits().connectRate());
        int handshakeRate = each(next.tls().handshakeRate());
        contexts.forEach(context -> context.eventLoop().execute(() -> {
            context.reconfigure(next);
            context.connectRate(connectRate);
            context.handshakeRate(handshakeRate);
        }));
    }

    /** What each accepting loop may take of a rate; 0 is no limit. */
    private int each(int rate) {
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
        contexts.forEach(LoopContext::release);
    }
}
