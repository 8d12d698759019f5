package io.belfry.server.transport;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Netty's epoll handler, with sockets that stay in epoll while they wait for no event. Owner: the loop.
 *
 * <p>Netty 4.2.18 removes such a socket from epoll and cannot add it again: the next wait for an event fails with
 * {@code ENOENT}. A socket waits for no event after its client closed its half, until a write is accepted in part. Without this
 * class, that write closes the connection of a client that still reads.
 */
final class PersistentEpollHandler implements IoHandler {
    /**
     * Maximum number of ready sockets that one poll returns. Without a maximum Netty doubles its array while the polls fill it, and a
     * loop whose sockets are all reset at once does nothing else for a long time.
     */
    private static final int EVENTS_MAX = 128;

    private static final VarHandle DESCRIPTOR = descriptorField();

    private final IoHandler epoll;
    private volatile Runnable beforePoll = () -> {};

    /** The handler that waits for the events of this one: another one while the loop is lent. */
    private volatile PersistentEpollHandler waiting = this;

    private PersistentEpollHandler(IoHandler epoll) {
        this.epoll = epoll;
    }

    /** Creates the handlers of some loops. Any thread. */
    static final class Factory implements IoHandlerFactory {
        private final IoHandlerFactory epoll =
                EpollIoHandler.newFactory(EVENTS_MAX, DefaultSelectStrategyFactory.INSTANCE);

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            return new PersistentEpollHandler(epoll.newHandler(executor));
        }

        @Override
        public boolean isChangingThreadSupported() {
            return epoll.isChangingThreadSupported();
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return new PersistentRegistration(epoll.register(handle));
    }

    /**
     * Registers a handle that is no channel. It never waits for no event, and so needs no object of this class. The loop does not
     * count it, which matters only to loops that are suspended when they have no registrations; those of the server are not.
     */
    IoRegistration add(EpollIoHandle handle) throws Exception {
        return epoll.register(handle);
    }

    @Override
    public void initialize() {
        epoll.initialize();
    }

    /** Sets what runs before each poll. Any thread. */
    void beforeEachPoll(Runnable task) {
        beforePoll = task;
    }

    @Override
    public int run(IoHandlerContext context) {
        beginTurn();
        return epoll.run(context);
    }

    /** Begins a turn without a poll. */
    void beginTurn() {
        beforePoll.run();
    }

    /** Lends the loop to that of the other handler, which {@link #wakeup} then wakes. */
    void lendTo(PersistentEpollHandler other) {
        waiting = other;
    }

    void endLoan() {
        waiting = this;
    }

    /** Returns whether the loop is lent to another one. Any thread. */
    boolean isLent() {
        return waiting != this;
    }

    /** Returns the epoll instance. Netty has no method for it; a test fails if a later version has no such field. */
    FileDescriptor descriptor() {
        return (FileDescriptor) DESCRIPTOR.get(epoll);
    }

    private static VarHandle descriptorField() {
        try {
            return MethodHandles.privateLookupIn(EpollIoHandler.class, MethodHandles.lookup())
                    .findVarHandle(EpollIoHandler.class, "epollFd", FileDescriptor.class);
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException("this version of Netty is not supported", missing);
        }
    }

    @Override
    public void prepareToDestroy() {
        epoll.prepareToDestroy();
    }

    @Override
    public void destroy() {
        epoll.destroy();
    }

    @Override
    public void wakeup() {
        waiting.epoll.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return epoll.isCompatible(handleType);
    }

    /** The registration of one socket. Any thread, like Netty's. */
    private static final class PersistentRegistration implements IoRegistration {
        private final IoRegistration registration;

        private PersistentRegistration(IoRegistration registration) {
            this.registration = registration;
        }

        /** Replaces "no event" by the edge-triggered flag alone, which reports an error or a reset only once. */
        @Override
        public long submit(IoOps ops) {
            return registration.submit(EpollIoOps.NONE.equals(ops) ? EpollIoOps.EPOLLET : ops);
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // As Netty's interface declares it.
        public <T> T attachment() {
            return registration.attachment();
        }

        @Override
        public boolean isValid() {
            return registration.isValid();
        }

        @Override
        public boolean cancel() {
            return registration.cancel();
        }
    }
}
