package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Tests that this version of Netty has the fields that are cleared. */
class CachedAddressesTest {
    @Test
    void anAdmittedConnectionKeepsNoAddresses() throws Exception {
        Assumptions.assumeTrue(Epoll.isAvailable(), "native epoll");
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            EpollServerSocketChannel server = new EpollServerSocketChannel();
            server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object child) {
                    accepted.complete((Channel) child);
                }
            });
            group.register(server).syncUninterruptibly();
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .syncUninterruptibly();
            try (Socket client = new Socket()) {
                client.connect(server.localAddress());
                Channel child = accepted.get(10, TimeUnit.SECONDS);
                assertThat(child.remoteAddress()).isEqualTo(client.getLocalSocketAddress());
                assertThat(child.localAddress()).isEqualTo(client.getRemoteSocketAddress());

                CachedAddresses.forget(child);

                assertThat(child.remoteAddress()).isNull();
                assertThat(child.localAddress()).isNull();
                child.unsafe().closeForcibly();
            }
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
