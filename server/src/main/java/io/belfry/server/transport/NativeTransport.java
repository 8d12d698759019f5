package io.belfry.server.transport;

import io.belfry.server.config.ListenConfig;
import io.belfry.server.config.MessageConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.io.IOException;
import java.net.SocketOption;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Selects the kind of sockets: native epoll if available, otherwise NIO; NIO or io_uring if configured. Immutable.
 *
 * @param sharesPorts whether every loop may listen on the same port
 * @param completesLater whether the kernel reads and writes after the call returns, so that a pending read holds its
 *     buffer and a write is never complete on return
 * @param hasOwnSockets whether plain connections are sockets without a channel of Netty
 */
public record NativeTransport(
        String name,
        IoHandlerFactory ioHandlers,
        Supplier<ServerChannel> serverChannels,
        boolean sharesPorts,
        boolean completesLater,
        boolean hasOwnSockets) {
    static final int BACKLOG = 4096;

    /** Bytes that may be in flight before a socket counts as not writable; about the size of a socket's send buffer. */
    private static final int IN_FLIGHT_BYTES = 64 * 1024;

    /** Option of {@code IPPROTO_TCP}; accepted sockets inherit it from the listening socket. */
    private static final IntegerUnixChannelOption TCP_NOTSENT_LOWAT =
            new IntegerUnixChannelOption("TCP_NOTSENT_LOWAT", 6, 25);

    private static final IntegerUnixChannelOption TCP_KEEPIDLE = new IntegerUnixChannelOption("TCP_KEEPIDLE", 6, 4);
    private static final IntegerUnixChannelOption TCP_KEEPINTVL = new IntegerUnixChannelOption("TCP_KEEPINTVL", 6, 5);
    private static final IntegerUnixChannelOption TCP_KEEPCNT = new IntegerUnixChannelOption("TCP_KEEPCNT", 6, 6);

    /** Keep-alive probes per ping interval; the kernel times out shortly after the lane, which reports the reason. */
    private static final int PROBES_PER_PING = 4;

    private static final NativeTransport NIO =
            new NativeTransport("nio", NioIoHandler.newFactory(), NioServerSocketChannel::new, false, false, false);

    /** Returns the configured kind of sockets; throws if it is required but not available. */
    public static NativeTransport of(ListenConfig.NativeIo wanted) {
        return switch (wanted) {
            case NIO -> NIO;
            case EPOLL -> epoll("epoll", true);
            case AUTO -> Epoll.isAvailable() ? epoll("epoll", true) : NIO;
            case CHANNELS -> epoll("epoll-channel", false);
            case IO_URING -> ioUring();
        };
    }

    private static NativeTransport epoll(String name, boolean ownSockets) {
        requireAvailable(ownSockets ? "true" : "channels", Epoll.isAvailable(), Epoll.unavailabilityCause());
        return new NativeTransport(
                name, new PersistentEpollHandler.Factory(), EpollServerSocketChannel::new, true, false, ownSockets);
    }

    private static NativeTransport ioUring() {
        requireAvailable("io_uring", IoUring.isAvailable(), IoUring.unavailabilityCause());
        return new NativeTransport(
                "io_uring", IoUringIoHandler.newFactory(), IoUringServerSocketChannel::new, true, true, false);
    }

    private static void requireAvailable(String value, boolean available, @Nullable Throwable cause) {
        if (!available) {
            throw new IllegalStateException(
                    "X.Native.Io = " + value + " is not available on this machine: " + cause, cause);
        }
    }

    /** Creates a listening socket, not yet bound. */
    ServerChannel listening(MessageConfig messages, int pingMillis) {
        ServerChannel channel = serverChannels.get();
        channel.config().setOption(ChannelOption.SO_BACKLOG, BACKLOG);
        channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        if (sharesPorts) {
            channel.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
        }
        if (messages.unsentBytesMax() > 0) {
            // Sockets of the JDK do not support this option and ignore it.
            channel.config().setOption(TCP_NOTSENT_LOWAT, messages.unsentBytesMax());
        }
        Probes probes = Probes.of(pingMillis);
        set(channel, TCP_KEEPIDLE, ExtendedSocketOptions.TCP_KEEPIDLE, probes.idleSeconds);
        set(channel, TCP_KEEPINTVL, ExtendedSocketOptions.TCP_KEEPINTERVAL, probes.intervalSeconds);
        set(channel, TCP_KEEPCNT, ExtendedSocketOptions.TCP_KEEPCOUNT, probes.count);
        return channel;
    }

    /** Sets an option that accepted connections inherit; it takes effect when probes are enabled. */
    private void set(ServerChannel channel, IntegerUnixChannelOption option, SocketOption<Integer> jdk, int value) {
        channel.config()
                .setOption(channel instanceof NioServerSocketChannel ? NioChannelOption.of(jdk) : option, value);
    }

    /** Sets the same options on a listening socket that is no channel. */
    void prepareListening(Socket socket, MessageConfig messages, int pingMillis) throws IOException {
        socket.setReuseAddress(true);
        if (sharesPorts) {
            socket.setReusePort(true);
        }
        // Accepted sockets inherit this option too.
        socket.setTcpNoDelay(true);
        if (messages.unsentBytesMax() > 0) {
            set(socket, TCP_NOTSENT_LOWAT, messages.unsentBytesMax());
        }
        Probes probes = Probes.of(pingMillis);
        set(socket, TCP_KEEPIDLE, probes.idleSeconds);
        set(socket, TCP_KEEPINTVL, probes.intervalSeconds);
        set(socket, TCP_KEEPCNT, probes.count);
    }

    private static void set(Socket socket, IntegerUnixChannelOption option, int value) throws IOException {
        socket.setIntOpt(option.level(), option.optname(), value);
    }

    /** The keep-alive probes of the kernel, which are sent once they are enabled on a connection. */
    private record Probes(int idleSeconds, int intervalSeconds, int count) {
        static Probes of(int pingMillis) {
            int idle = Math.max(1, pingMillis / 1000);
            int interval = Math.max(1, idle / PROBES_PER_PING);
            return new Probes(idle, interval, 1 + idle / interval);
        }
    }

    /** Returns the number of bytes that may be pending while a connection counts as ready. */
    int readyBytes() {
        return completesLater ? IN_FLIGHT_BYTES : 0;
    }
}
