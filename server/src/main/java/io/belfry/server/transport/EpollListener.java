package io.belfry.server.transport;

import io.belfry.server.config.ListenAddress;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.NativeInetAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listener on native epoll whose connections are {@link EpollSocket}s. Owner: its loop; methods of {@link Listener} any thread. */
final class EpollListener implements Listener, EpollIoHandle {
    private static final Logger LOG = LoggerFactory.getLogger(EpollListener.class);
    private static final long RETRY_MILLIS = 100;

    /** Connections accepted for one event; those that are left are reported by the next poll. */
    private static final int ACCEPTS_MAX = 16;

    /** Length byte, and the largest address that Netty writes. */
    private static final int ADDRESS_BYTES = 25;

    private final Acceptor acceptor;
    private final Socket socket;
    private final int port;
    private final byte[] address = new byte[ADDRESS_BYTES];
    private @Nullable IoRegistration registration;

    private EpollListener(Acceptor acceptor, Socket socket, int port) {
        this.acceptor = acceptor;
        this.socket = socket;
        this.port = port;
    }

    /** Opens a listener, or throws with the reason. */
    static EpollListener open(ListenAddress address, Acceptor acceptor) {
        LoopContext accepting = acceptor.accepting();
        Socket socket = Socket.newSocketStream();
        try {
            accepting
                    .sockets()
                    .prepareListening(
                            socket,
                            accepting.lane().config().messages(),
                            accepting.lane().config().limits().pingMillis());
            socket.bind(Listener.resolved(address));
            socket.listen(NativeTransport.BACKLOG);
            EpollListener listener =
                    new EpollListener(acceptor, socket, socket.localAddress().getPort());
            accepting.eventLoop().submit(listener::begin).syncUninterruptibly();
            return listener;
        } catch (IOException | RuntimeException failure) {
            closeQuietly(socket);
            throw new IllegalStateException("cannot listen on " + address + ": " + failure.getMessage(), failure);
        }
    }

    private Void begin() throws Exception {
        IoRegistration added = acceptor.accepting().epoll().add(this);
        registration = added;
        added.submit(EpollIoOps.EPOLLIN);
        return null;
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public void handle(IoRegistration self, IoEvent event) {
        try {
            for (int accepts = 0; accepts < ACCEPTS_MAX && socket.isOpen(); accepts++) {
                int descriptor = socket.accept(address);
                if (descriptor < 0) {
                    return;
                }
                serve(descriptor);
            }
        } catch (IOException | RuntimeException failure) {
            // Probably no file descriptors are left; accepting again at once would loop without progress.
            acceptor.accepting().lane().onFailure(failure);
            pause();
        }
    }

    private void serve(int descriptor) {
        EpollSocket accepted = new EpollSocket(descriptor);
        try {
            InetAddress client =
                    NativeInetAddress.address(address, 1, address[0]).getAddress();
            LoopContext serving = acceptor.onAccepted(client);
            accepted.serve(acceptor.admit(accepted, client, serving));
        } catch (RuntimeException failure) {
            accepted.discard();
            throw failure;
        }
    }

    private void pause() {
        Objects.requireNonNull(registration).submit(EpollIoOps.EPOLLET);
        acceptor.accepting().schedule(this::resume, TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
    }

    private void resume() {
        if (socket.isOpen()) {
            Objects.requireNonNull(registration).submit(EpollIoOps.EPOLLIN);
        }
    }

    @Override
    public void close() {
        if (acceptor.accepting().eventLoop().inEventLoop()) {
            closeNow();
            return;
        }
        try {
            acceptor.accepting().eventLoop().submit(this::closeNow).awaitUninterruptibly();
        } catch (RejectedExecutionException ended) {
            LOG.debug("the event loop ended first and closed the listener", ended);
        }
    }

    private void closeNow() {
        if (socket.isOpen()) {
            closeQuietly(socket);
            if (registration != null) {
                registration.cancel();
            }
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException failure) {
            LOG.debug("a listening socket reported an error when it was closed", failure);
        }
    }
}
