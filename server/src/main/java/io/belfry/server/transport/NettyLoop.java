package io.belfry.server.transport;

import io.belfry.server.turn.Loop;
import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adapts a Netty event loop to the lane's Loop interface. */
public final class NettyLoop implements Loop {
    private static final Logger LOG = LoggerFactory.getLogger(NettyLoop.class);

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
        try {
            eventLoop.execute(task);
        } catch (RejectedExecutionException ended) {
            if (!inLoop()) {
                throw ended;
            }
            // A loop that ends runs the tasks that it has accepted. Its sockets are closed, so the work they add has no
            // effect.
            LOG.debug("loop ended before a task that was added on it", ended);
        }
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
