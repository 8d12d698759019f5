package io.belfry.server.transport;

import io.belfry.server.config.ListenConfig;
import io.belfry.server.config.MessageConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which kind of sockets serve: native epoll where it works, NIO elsewhere or where it is asked for, io_uring only where it
 * is asked for. Immutable.
 *
 * @param sharesPorts whether every loop may listen on the same port
 * @param completesLater whether the kernel reads and writes after the call, so that a read in flight holds its buffer and
 *     a write is never done when it returns
 */
public record NativeTransport(
        String name,
        IoHandlerFactory ioHandlers,
        Supplier<ServerChannel> serverChannels,
        boolean sharesPorts,
        boolean completesLater) {
    private static final int BACKLOG = 4096;

    /** What may be in flight before a socket counts as not taking any more; about a socket's own send buffer. */
    private static final int IN_FLIGHT_BYTES = 64 * 1024;

    /** Of {@code IPPROTO_TCP}; of a listening socket, those it accepts have it too. */
    private static final IntegerUnixChannelOption TCP_NOTSENT_LOWAT =
            new IntegerUnixChannelOption("TCP_NOTSENT_LOWAT", 6, 25);

    private static final NativeTransport NIO =
            new NativeTransport("nio", NioIoHandler.newFactory(), NioServerSocketChannel::new, false, false);

    public static NativeTransport of(ListenConfig.NativeIo wanted) {
        return switch (wanted) {
            case NIO -> NIO;
            case EPOLL -> epoll();
            case AUTO -> Epoll.isAvailable() ? epoll() : NIO;
            case IO_URING -> ioUring();
        };
    }

    private static NativeTransport epoll() {
        requireAvailable("true", Epoll.isAvailable(), Epoll.unavailabilityCause());
        return new NativeTransport("epoll", EpollIoHandler.newFactory(), EpollServerSocketChannel::new, true, false);
    }

    private static NativeTransport ioUring() {
        requireAvailable("io_uring", IoUring.isAvailable(), IoUring.unavailabilityCause());
        return new NativeTransport(
                "io_uring", IoUringIoHandler.newFactory(), IoUringServerSocketChannel::new, true, true);
    }

    private static void requireAvailable(String value, boolean available, @Nullable Throwable cause) {
        if (!available) {
            throw new IllegalStateException(
                    "X.Native.Io = " + value + " asks for sockets that this machine cannot give: " + cause, cause);
        }
    }

    /** A socket that listens, before it is bound. */
    ServerChannel listening(MessageConfig messages) {
        ServerChannel channel = serverChannels.get();
        channel.config().setOption(ChannelOption.SO_BACKLOG, BACKLOG);
        channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        if (sharesPorts) {
            channel.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
        }
        if (messages.unsentBytesMax() > 0) {
            // The JDK's sockets do not know it and leave it out.
            channel.config().setOption(TCP_NOTSENT_LOWAT, messages.unsentBytesMax());
        }
        return channel;
    }

    /** Bytes that may be pending while a connection still counts as ready. */
    int readyBytes() {
        return completesLater ? IN_FLIGHT_BYTES : 0;
    }
}
