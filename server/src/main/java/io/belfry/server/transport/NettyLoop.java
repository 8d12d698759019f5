package io.belfry.server.transport;

import io.belfry.server.turn.Loop;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/** Adapts a Netty event loop to the lane's Loop interface. */
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
        // Executed tasks run before the sockets are polled again, even tasks added by other tasks. A scheduled task
        // that is due immediately runs after the poll.
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
