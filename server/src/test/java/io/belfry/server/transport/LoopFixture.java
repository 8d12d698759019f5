package io.belfry.server.transport;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ListenConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.delivery.NodeIdentity;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.server.subject.SubjectHomes;
import io.belfry.server.turn.Clock;
import io.belfry.server.workgroup.Lane;
import io.belfry.server.workgroup.LaneSetup;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** An event loop of native epoll with a lane, without a listener. Owner: the thread of the test. */
final class LoopFixture implements AutoCloseable {
    private final LaneEventLoop.Group group;
    private final EventLoop loop;
    private final LoopContext context;

    LoopFixture() {
        this(Clock.SYSTEM);
    }

    /** Creates a loop whose lane and sockets read this clock. */
    LoopFixture(Clock clock) {
        NativeTransport sockets = NativeTransport.of(ListenConfig.NativeIo.EPOLL);
        group = new LaneEventLoop.Group(1, new DefaultThreadFactory("lane"), sockets.ioHandlers());
        loop = group.next();
        ServerConfig config = ConfigLoader.load(Optional.empty(), Map.of(), List.of());
        NodeIdentity identity = new NodeIdentity(0);
        identity.name("node");
        NodeFacts facts = new NodeFacts(identity, 1, 1024);
        LaneSetup setup = new LaneSetup(config, new OpenEntitlement(), facts, new Counters(1), clock, 1);
        Lane lane = new Lane(0, SubjectHomes.byHash(1), new NettyLoop(loop), setup);
        Admission admission = new Admission(config.limits());
        context = new LoopContext(lane, loop, sockets, admission, List.of(), Optional::empty, clock);
    }

    EventLoop loop() {
        return loop;
    }

    LoopContext context() {
        return context;
    }

    /** Runs the task on the loop, and returns its result. */
    <T> T call(Callable<T> task) throws Exception {
        return loop.submit(task).get(10, TimeUnit.SECONDS);
    }

    long counted(Counter counter) throws Exception {
        return call(() -> context.lane().counters().value(counter));
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        context.release();
        context.lane().release();
    }
}
