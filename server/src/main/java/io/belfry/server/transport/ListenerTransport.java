package io.belfry.server.transport;

import io.belfry.server.config.ListenAddress;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.tls.Tls;
import io.belfry.server.tls.TlsContext;
import io.belfry.server.turn.Clock;
import io.belfry.server.turn.Loop;
import io.belfry.server.workgroup.Lane;
import io.belfry.server.workgroup.Workgroups;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The event loops and the listening sockets on them. Owner: the thread that starts and stops the server. */
public final class ListenerTransport {
    private static final long DEADLINES_MILLIS = 100;
    private static final long FORGET_MILLIS = 1000;
    private static final long STOP_SECONDS = 10;

    private final NativeTransport sockets;
    private final LaneEventLoop.Group group;
    private final List<NettyLoop> loops = new ArrayList<>();
    private final List<Listener> listening = new ArrayList<>();
    private final List<LoopContext> contexts = new ArrayList<>();
    private final Admission admission;
    private final @Nullable Tls tls;

    /** Creates the event loops; {@code tls} is null if no encrypted addresses are configured. */
    public ListenerTransport(ServerConfig config, @Nullable Tls tls) {
        ChannelIds.prepare();
        this.tls = tls;
        sockets = NativeTransport.of(config.network().listen().nativeIo());
        int count = config.workgroups().ioThreads();
        group = new LaneEventLoop.Group(count, new DefaultThreadFactory("belfry-lane", false), sockets.ioHandlers());
        for (int i = 0; i < count; i++) {
            loops.add(new NettyLoop((EventLoop) group.next()));
        }
        admission = new Admission(config.limits());
    }

    /** Returns the kind of the sockets in use, for the log. */
    public String socketKind() {
        return sockets.name();
    }

    /** Returns the event loop of the lane with this index. */
    public Loop loop(int index) {
        return loops.get(index);
    }

    /**
     * The addresses with their actual ports.
     *
     * @param plain addresses of Listen
     * @param encrypted addresses of ListenEncrypted
     */
    public record Listening(List<ListenAddress> plain, List<ListenAddress> encrypted) {}

    /** Opens every address on every lane, or throws with the first address that cannot be opened. */
    public Listening listen(ServerConfig config, Workgroups workgroups, ServerHealth health, Clock clock) {
        return listen(
                config,
                workgroups,
                health,
                clock,
                BelfryProtocols.all(config.process().trial().echo()));
    }

    /** Opens every address with other protocols than those of the server. */
    Listening listen(
            ServerConfig config, Workgroups workgroups, ServerHealth health, Clock clock, ClientProtocols protocols) {
        for (Lane lane : workgroups.lanes()) {
            EventLoop eventLoop = loops.get(lane.index()).eventLoop();
            LoopContext context =
                    new LoopContext(lane, eventLoop, sockets, admission, protocols.subprotocols(), health, clock);
            context.connectRate(each(config.limits().ofConnections().connectRate()));
            context.handshakeRate(each(config.network().tls().handshakeRate()));
            contexts.add(context);
            loops.get(lane.index()).every(DEADLINES_MILLIS, context.deadlines()::check);
        }
        LoopCounters counters = workgroups.lanes().getFirst().counters();
        loops.getFirst().every(FORGET_MILLIS, () -> {
            admission.forget(clock.nanos());
            counters.add(Counter.ADDRESSES_FORGOTTEN, admission.takeForgottenEarly());
        });
        List<LaneEventLoop> lendable = group.lendable();
        if (lendable.size() > 1 && config.workgroups().joinsQuietLoops()) {
            new QuietLoops(lendable, counters).start();
        }
        if (tls != null) {
            tls.follow(this::encryptWith);
        }
        return new Listening(
                listen(config.network().listen().plain(), false, workgroups, protocols),
                listen(config.network().listen().encrypted(), true, workgroups, protocols));
    }

    private void encryptWith(TlsContext next) {
        for (LoopContext context : contexts) {
            next.retain();
            context.eventLoop().execute(() -> context.tls(next));
        }
    }

    private List<ListenAddress> listen(
            List<ListenAddress> addresses, boolean encrypted, Workgroups workgroups, ClientProtocols protocols) {
        return addresses.stream()
                .map(address -> listen(address, encrypted, workgroups, protocols))
                .toList();
    }

    private ListenAddress listen(
            ListenAddress address, boolean encrypted, Workgroups workgroups, ClientProtocols protocols) {
        List<LoopContext> acceptors = sockets.sharesPorts() ? contexts : contexts.subList(0, 1);
        ListenAddress actual = address;
        for (LoopContext accepting : acceptors) {
            Acceptor acceptor =
                    new Acceptor(accepting, from -> assign(from, accepting, workgroups), encrypted, protocols);
            Listener listener = sockets.hasOwnSockets() && !encrypted
                    ? EpollListener.open(actual, acceptor)
                    : ChannelListener.open(actual, acceptor);
            listening.add(listener);
            actual = new ListenAddress(address.host(), listener.port());
        }
        return actual;
    }

    /**
     * Returns the context of the lane that serves a connection; a connection without {@code from} gets an arbitrary
     * lane.
     */
    private LoopContext assign(@Nullable InetAddress from, LoopContext accepting, Workgroups workgroups) {
        Lane accepted = sockets.sharesPorts()
                ? accepting.lane()
                : workgroups
                        .lanes()
                        .get(java.util.concurrent.ThreadLocalRandom.current().nextInt(contexts.size()));
        Lane serving = from == null ? accepted : workgroups.laneOf(accepted, from.hashCode());
        return contexts.get(serving.index());
    }

    /** Applies the keys that can change at run time. */
    public void reconfigure(ServerConfig next) {
        admission.reconfigure(next.limits());
        if (tls != null) {
            tls.reconfigure(next.network().tls());
        }
        int connectRate = each(next.limits().ofConnections().connectRate());
        int handshakeRate = each(next.network().tls().handshakeRate());
        contexts.forEach(context -> context.eventLoop().execute(() -> {
            context.reconfigure(next);
            context.connectRate(connectRate);
            context.handshakeRate(handshakeRate);
        }));
    }

    /** Returns the share of a rate for each accepting loop; 0 is no limit. */
    private int each(int rate) {
        int acceptors = sockets.sharesPorts() ? loops.size() : 1;
        return rate == 0 ? 0 : Math.max(1, rate / acceptors);
    }

    /** Refuses new sessions with 503 from now on; health probes are still answered. */
    public void drain() {
        admission.drain();
    }

    /** Closes the listening sockets; existing connections stay open. */
    public void stopListening() {
        listening.forEach(Listener::close);
        listening.clear();
    }

    /** Stops the loops; all remaining connections are cut. */
    public void stop() {
        stopListening();
        group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
        contexts.forEach(LoopContext::release);
    }
}
