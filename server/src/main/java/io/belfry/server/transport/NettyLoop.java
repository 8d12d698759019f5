package io.belfry.server.transport;

import io.belfry.server.workgroup.Loop;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/** A Netty event loop as the lane sees it. */
public final class NettyLoop implements Loop {
    private final EventLoop eventLoop;

    public NettyLoop(EventLoop eventLoop) {
        this.eventLoop = eventLoop;
    }

    EventLoop eventLoop() {
        return eventLoop;
    }

    @Override
    public boolean inLoop() {
        return eventLoop.inEventLoop();
    }

    @Override
    public void execute(Runnable task) {
        eventLoop.execute(task);
    }

    @Override
    public void nextTurn(Runnable task) {
        // Tasks that are executed run before the sockets are looked at again, however many follow from them; one that
        // is due at once runs after.
        eventLoop.schedule(task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public void after(long nanos, Runnable task) {
        eventLoop.schedule(task, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void every(long millis, Runnable task) {
        eventLoop.scheduleAtFixedRate(task, millis, millis, TimeUnit.MILLISECONDS);
    }
}
