package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests writes that bypass Netty and use the connection's descriptor directly. It uses real sockets because only they
 * have descriptors.
 */
class ConnectionTest {
    private static final int OPENED_MAX = 32;
    private static final int PARTS = 500;
    private static final String PART = "0123456789";

    private LoopFixture fixture;
    private EventLoop loop;
    private LoopContext context;

    @BeforeEach
    void startLoop() {
        assumeTrue(Epoll.isAvailable(), "only epoll has descriptors to write to");
        fixture = new LoopFixture();
        loop = fixture.loop();
        context = fixture.context();
    }

    @AfterEach
    void stopLoop() {
        if (fixture != null) {
            fixture.close();
        }
    }

    @Test
    void commandsWaitUntilTheLastHoldIsReleased() {
        Admission.Origin origin = context.admission().enter(null);
        Connection connection =
                new Connection(context, new ChannelSocket(context, new EmbeddedChannel()), origin, Connection.LOOPBACK);
        connection.holdCommands();
        connection.holdCommands();
        connection.releaseCommands();
        assertThat(connection.isHolding()).isTrue();
        connection.releaseCommands();
        assertThat(connection.isHolding()).isFalse();
    }

    @Test
    void smallPartsOfUnreadBytesAreNotCopiedForEachPart() {
        Admission.Origin origin = context.admission().enter(null);
        Connection connection =
                new Connection(context, new ChannelSocket(context, new EmbeddedChannel()), origin, Connection.LOOPBACK);
        LatePhase phase = new LatePhase();
        connection.become(phase);
        StringBuilder sent = new StringBuilder();
        for (int i = 0; i < PARTS; i++) {
            sent.append(PART);
            connection.onRead(Unpooled.copiedBuffer(PART, StandardCharsets.US_ASCII));
        }
        phase.reads = PART.length();
        for (int i = 0; i < PARTS; i++) {
            connection.resume();
        }
        assertThat(phase.text.toString()).isEqualTo(sent.toString());
        assertThat(phase.moves).isLessThan(PARTS / 10);
    }

    /** Reads few bytes at a time or none, and counts how often the unread ones were in another buffer than before. */
    private static final class LatePhase implements Phase {
        final StringBuilder text = new StringBuilder();
        int reads;
        int moves;
        private int place = -1;

        @Override
        public void onBytes(ByteBuf in) {
            moves += in.arrayOffset() == place ? 0 : 1;
            place = in.arrayOffset();
            int bytes = Math.min(in.readableBytes(), reads);
            text.append(in.readCharSequence(bytes, StandardCharsets.US_ASCII));
        }

        @Override
        public void writeEnd(ByteBuf out, Code code, String reason) {}

        @Override
        public boolean ping() {
            return true;
        }

        @Override
        public void onInputEnd() {}

        @Override
        public void onGone() {}
    }

    @Test
    void aClosedChannelDoesNotWriteToAReusedDescriptor() throws Exception {
        try (ServerSocket clients = listening()) {
            EpollSocketChannel broken = new EpollSocketChannel();
            ChannelSocket socket = new ChannelSocket(context, broken);
            Connection connection = connection(socket);
            socket.serve(connection);
            loop.submit(() -> {}).sync();
            broken.connect(clients.getLocalSocketAddress()).sync();
            clients.accept().close();
            assertDiscardsAfterItsEnd(clients, connection, broken.fd().intValue());
        }
    }

    @Test
    void aClosedSocketDoesNotWriteToAReusedDescriptor() throws Exception {
        try (ServerSocket clients = listening()) {
            Socket connected = Socket.newSocketStream();
            connected.connect(clients.getLocalSocketAddress());
            EpollSocket socket = new EpollSocket(connected.intValue());
            Connection connection = connection(socket);
            fixture.call(() -> {
                socket.serve(connection);
                return null;
            });
            clients.accept().close();
            assertDiscardsAfterItsEnd(clients, connection, connected.intValue());
        }
    }

    private static ServerSocket listening() throws IOException {
        return new ServerSocket(0, OPENED_MAX + 1, InetAddress.getLoopbackAddress());
    }

    private Connection connection(ClientSocket socket) {
        return new Connection(context, socket, context.admission().enter(null), Connection.LOOPBACK);
    }

    private void assertDiscardsAfterItsEnd(ServerSocket clients, Connection connection, int descriptor)
            throws Exception {
        Socket next = fixture.call(() -> {
            connection.socket().close();
            // onClosed runs after this task; another thread may accept a connection before that.
            Socket successor = connectedWith(descriptor, clients.getLocalSocketAddress());
            ByteBuf answer = Unpooled.directBuffer();
            answer.writeCharSequence("not for this client", StandardCharsets.US_ASCII);
            connection.write(answer, 0, answer.readableBytes());
            connection.send(answer);
            answer.release();
            return successor;
        });
        try (java.net.Socket client = clients.accept()) {
            next.close();
            assertThat(client.getInputStream().readAllBytes()).isEmpty();
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
