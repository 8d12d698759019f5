package io.belfry.server.transport;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * Netty's epoll handler, with sockets that stay in epoll while they wait for no event. Owner: the loop.
 *
 * <p>Netty 4.2.18 removes such a socket from epoll and cannot add it again: the next wait for an event fails with
 * {@code ENOENT}. A socket waits for no event after its client closed its half, until a write is accepted in part. Without this
 * class, that write closes the connection of a client that still reads.
 */
final class PersistentEpollHandler implements IoHandler {
    private final IoHandler epoll;

    private PersistentEpollHandler(IoHandler epoll) {
        this.epoll = epoll;
    }

    static IoHandlerFactory newFactory() {
        IoHandlerFactory epoll = EpollIoHandler.newFactory();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new PersistentEpollHandler(epoll.newHandler(executor));
            }

            @Override
            public boolean isChangingThreadSupported() {
                return epoll.isChangingThreadSupported();
            }
        };
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return new PersistentRegistration(epoll.register(handle));
    }

    @Override
    public void initialize() {
        epoll.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return epoll.run(context);
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
        epoll.wakeup();
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
