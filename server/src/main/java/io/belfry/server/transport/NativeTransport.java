package io.belfry.server.transport;

import io.belfry.server.config.ListenConfig;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.function.Supplier;

/** Which kind of sockets serve: native epoll where it works, NIO elsewhere or where it is asked for. Immutable. */
public record NativeTransport(
        String name, IoHandlerFactory ioHandlers, Supplier<ServerChannel> serverChannels, boolean sharesPorts) {
    private static final NativeTransport NIO =
            new NativeTransport("nio", NioIoHandler.newFactory(), NioServerSocketChannel::new, false);

    public static NativeTransport of(ListenConfig.NativeIo wanted) {
        return switch (wanted) {
            case NIO -> NIO;
            case EPOLL -> epoll();
            case AUTO -> Epoll.isAvailable() ? epoll() : NIO;
            case IO_URING -> throw new IllegalStateException("X.Native.Io = io_uring is not built yet; use auto");
        };
    }

    private static NativeTransport epoll() {
        if (!Epoll.isAvailable()) {
            throw new IllegalStateException(
                    "X.Native.Io asks for native sockets, which this machine cannot give: "
                            + Epoll.unavailabilityCause(),
                    Epoll.unavailabilityCause());
        }
        return new NativeTransport("epoll", EpollIoHandler.newFactory(), EpollServerSocketChannel::new, true);
    }
}
