package io.belfry.microbench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.NativeInetAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The least server that answers a byte with a byte, on one event loop of native epoll: with a channel of Netty for each connection, or
 * with a handle that is registered with the loop directly. Measures the heap of an idle connection, and the CPU time of the loop to accept a
 * connection, answer it once and close it after its reset.
 *
 * <pre>tests/microbench/run main SocketsWithoutChannels channels 16000
 * tests/microbench/run main SocketsWithoutChannels handles 16000</pre>
 */
public final class SocketsWithoutChannels {
    private static final int READ_BYTES = 32 * 1024;
    private static final int BACKLOG = 4096;
    private static final int CLIENTS = 8;
    private static final int ROUNDS = 6;
    private static final long ROUND_NANOS = 4_000_000_000L;

    private SocketsWithoutChannels() {}

    public static void main(String[] arguments) throws Exception {
        boolean channels = arguments[0].equals("channels");
        int count = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 16_000;
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        EventLoop loop = group.next();
        AtomicLong accepted = new AtomicLong();
        InetSocketAddress address = channels ? listenWithChannels(loop, accepted) : listenWithHandles(loop, accepted);
        long thread = loop.submit(() -> Thread.currentThread().threadId()).get();
        // The second difference excludes what the first connections load and what tables have in reserve.
        long[] heap = new long[3];
        List<int[]> held = new ArrayList<>();
        for (int part = 0; part < heap.length; part++) {
            held.add(connect(address, part == 0 ? count / 8 : count / 2));
            while (accepted.get() < held.stream().mapToInt(each -> each.length).sum()) {
                Thread.sleep(10);
            }
            heap[part] = usedAfterCollection();
        }
        System.out.printf(
                "%s: %.0f bytes of heap for a connection%n",
                arguments[0], (heap[2] - heap[0]) / (double) (count / 2 * 2));
        held.forEach(SocketsWithoutChannels::closeAll);
        for (int round = 0; round < ROUNDS; round++) {
            churn(arguments[0], address, thread);
        }
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static long usedAfterCollection() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    // ---- clients, which have no objects of their own ----

    private static int[] connect(InetSocketAddress address, int count) throws IOException {
        int[] descriptors = new int[count];
        for (int i = 0; i < count; i++) {
            Socket socket = Socket.newSocketStream();
            socket.connect(address);
            descriptors[i] = socket.intValue();
        }
        return descriptors;
    }

    private static void closeAll(int[] descriptors) {
        try {
            for (int descriptor : descriptors) {
                new FileDescriptor(descriptor).close();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void churn(String kind, InetSocketAddress address, long thread) throws InterruptedException {
        long cpuBefore = ManagementFactory.getThreadMXBean().getThreadCpuTime(thread);
        long end = System.nanoTime() + ROUND_NANOS;
        AtomicLong connections = new AtomicLong();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Thread.ofPlatform().start(() -> {
                while (System.nanoTime() < end) {
                    connectOnce(address);
                    connections.incrementAndGet();
                }
            }));
        }
        for (Thread client : clients) {
            client.join();
        }
        long cpu = ManagementFactory.getThreadMXBean().getThreadCpuTime(thread) - cpuBefore;
        System.out.printf(
                "%s: %d connections, %.2f us of the loop for each%n",
                kind, connections.get(), cpu / 1e3 / connections.get());
    }

    private static void connectOnce(InetSocketAddress address) {
        try (java.net.Socket socket = new java.net.Socket()) {
            socket.setSoLinger(true, 0);
            socket.connect(address);
            socket.getOutputStream().write('x');
            if (socket.getInputStream().read() != 'x') {
                throw new IllegalStateException("no answer");
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    // ---- with channels ----

    private static InetSocketAddress listenWithChannels(EventLoop loop, AtomicLong accepted) {
        FixedRecvByteBufAllocator buffers = new FixedRecvByteBufAllocator(READ_BYTES);
        EpollServerSocketChannel server = new EpollServerSocketChannel();
        server.config().setBacklog(BACKLOG);
        server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                Channel child = (Channel) message;
                child.config().setOption(ChannelOption.TCP_NODELAY, true);
                child.config().setAllocator(PooledByteBufAllocator.DEFAULT);
                child.config().setRecvByteBufAllocator(buffers);
                child.pipeline().addLast(new ChannelConnection((EpollSocketChannel) child));
                loop.register(child);
                accepted.incrementAndGet();
            }
        });
        loop.register(server).syncUninterruptibly();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly();
        return server.localAddress();
    }

    private static final class ChannelConnection extends ChannelInboundHandlerAdapter {
        private final EpollSocketChannel channel;

        private ChannelConnection(EpollSocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) throws IOException {
            ByteBuf bytes = (ByteBuf) message;
            channel.fd().writeAddress(bytes.memoryAddress(), bytes.readerIndex(), bytes.writerIndex());
            bytes.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    // ---- with handles ----

    private static InetSocketAddress listenWithHandles(EventLoop loop, AtomicLong accepted) throws Exception {
        Socket socket = Socket.newSocketStream();
        socket.setTcpNoDelay(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        socket.listen(BACKLOG);
        ((IoEventLoop) loop)
                .register(new ListeningHandle((IoEventLoop) loop, socket, accepted))
                .sync()
                .getNow()
                .submit(EpollIoOps.EPOLLIN);
        return socket.localAddress();
    }

    private static final class ListeningHandle implements EpollIoHandle {
        private static final int ACCEPTS_MAX = 16;

        private final IoEventLoop loop;
        private final Socket socket;
        private final AtomicLong accepted;
        private final byte[] address = new byte[25];
        private final ByteBuf received = PooledByteBufAllocator.DEFAULT.directBuffer(READ_BYTES);

        private ListeningHandle(IoEventLoop loop, Socket socket, AtomicLong accepted) {
            this.loop = loop;
            this.socket = socket;
            this.accepted = accepted;
        }

        @Override
        public FileDescriptor fd() {
            return socket;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            try {
                for (int i = 0; i < ACCEPTS_MAX; i++) {
                    int descriptor = socket.accept(address);
                    if (descriptor < 0) {
                        return;
                    }
                    if (NativeInetAddress.address(address, 1, address[0]).getPort() == 0) {
                        throw new IOException("no port");
                    }
                    Handle handle = new Handle(descriptor, received);
                    handle.registration = loop.register(handle).getNow();
                    handle.registration.submit(Handle.INPUT);
                    accepted.incrementAndGet();
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
            received.release();
        }
    }

    private static final class Handle extends FileDescriptor implements EpollIoHandle {
        private static final EpollIoOps INPUT = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLRDHUP);

        private final ByteBuf received;
        private IoRegistration registration;

        private Handle(int descriptor, ByteBuf received) {
            super(descriptor);
            this.received = received;
        }

        @Override
        public FileDescriptor fd() {
            return this;
        }

        @Override
        public void handle(IoRegistration self, IoEvent event) {
            if (!isOpen() || ((EpollIoEvent) event).ops().value() == 0) {
                return;
            }
            try {
                int count = readAddress(received.memoryAddress(), 0, READ_BYTES);
                if (count > 0) {
                    writeAddress(received.memoryAddress(), 0, count);
                } else if (count < 0) {
                    close();
                }
            } catch (IOException reset) {
                close();
            }
        }

        @Override
        public void close() {
            try {
                super.close();
            } catch (IOException ignored) {
                // Linux closes the descriptor in any case.
            }
            registration.cancel();
        }
    }
}
