package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ListenConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counters;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.delivery.NodeIdentity;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.server.turn.Clock;
import io.belfry.server.workgroup.Lane;
import io.belfry.server.workgroup.LaneSetup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests writes that bypass Netty and use the connection's descriptor directly. It uses real sockets because only they
 * have descriptors.
 */
class ConnectionTest {
    private static final int OPENED_MAX = 32;

    private MultiThreadIoEventLoopGroup group;
    private EventLoop loop;
    private LoopContext context;

    @BeforeEach
    void startLoop() {
        assumeTrue(Epoll.isAvailable(), "only epoll has descriptors to write to");
        NativeTransport sockets = NativeTransport.of(ListenConfig.NativeIo.EPOLL);
        group = new MultiThreadIoEventLoopGroup(1, sockets.ioHandlers());
        loop = group.next();
        ServerConfig config = ConfigLoader.load(Optional.empty(), Map.of(), List.of());
        NodeIdentity identity = new NodeIdentity(0);
        identity.name("node");
        NodeFacts facts = new NodeFacts(identity, 1, 1024);
        LaneSetup setup = new LaneSetup(config, new OpenEntitlement(), facts, new Counters(1), Clock.SYSTEM, 1);
        Lane lane = new Lane(0, 1, new NettyLoop(loop), setup);
        Admission admission = new Admission(config.limits());
        context = new LoopContext(lane, loop, sockets, admission, List.of(), Optional::empty, Clock.SYSTEM);
    }

    @AfterEach
    void stopLoop() {
        if (group != null) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
            context.release();
            context.lane().release();
        }
    }

    @Test
    void commandsWaitUntilTheLastHoldIsReleased() {
        Admission.Origin origin = context.admission().enter(null);
        Connection connection = new Connection(context, new EmbeddedChannel(), origin, Connection.LOOPBACK);
        connection.holdCommands();
        connection.holdCommands();
        connection.releaseCommands();
        assertThat(connection.isHolding()).isTrue();
        connection.releaseCommands();
        assertThat(connection.isHolding()).isFalse();
    }

    @Test
    void aClosedConnectionDoesNotWriteToAReusedDescriptor() throws Exception {
        try (ServerSocket clients = new ServerSocket(0, OPENED_MAX + 1, InetAddress.getLoopbackAddress())) {
            EpollSocketChannel broken = new EpollSocketChannel();
            Admission.Origin origin = context.admission().enter(null);
            Connection connection = new Connection(context, broken, origin, Connection.LOOPBACK);
            broken.pipeline().addLast(connection);
            loop.register(broken).sync();
            broken.connect(clients.getLocalSocketAddress()).sync();
            clients.accept().close();

            Socket next = loop.submit(() -> {
                        int descriptor = broken.fd().intValue();
                        broken.close();
                        // channelInactive runs after this task; another thread may accept a connection before that.
                        Socket successor = connectedWith(descriptor, clients.getLocalSocketAddress());
                        ByteBuf answer = Unpooled.directBuffer();
                        answer.writeCharSequence("not for this client", StandardCharsets.US_ASCII);
                        connection.write(answer, 0, answer.readableBytes());
                        connection.send(answer);
                        answer.release();
                        return successor;
                    })
                    .get();

            try (java.net.Socket client = clients.accept()) {
                next.close();
                assertThat(client.getInputStream().readAllBytes()).isEmpty();
            }
        }
    }

    /**
     * Connects a socket with this descriptor. The system assigns the lowest free number, which soon is the one just
     * closed.
     */
    private static Socket connectedWith(int descriptor, SocketAddress to) throws IOException {
        List<Socket> others = new ArrayList<>();
        Socket socket = Socket.newSocketStream();
        while (socket.intValue() != descriptor && others.size() < OPENED_MAX) {
            others.add(socket);
            socket = Socket.newSocketStream();
        }
        for (Socket other : others) {
            other.close();
        }
        assumeTrue(socket.intValue() == descriptor, "another thread received the descriptor");
        if (!socket.connect(to)) {
            socket.finishConnect();
        }
        return socket;
    }
}
