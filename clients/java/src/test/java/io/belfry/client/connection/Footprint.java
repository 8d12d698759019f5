package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;

/**
 * Measures the heap per idle connection. Opens a few and then many connections to a server at 127.0.0.1 on two loops,
 * and divides the difference of the live heap by the difference of the counts. The command and the figure are in
 * docs/clients.md.
 */
final class Footprint {
    private Footprint() {}

    /** Arguments: PORT FEW MANY, then {@code lines} for HTTP streams. */
    public static void main(String[] args) throws Exception {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        int few = Integer.parseInt(args[1]);
        int many = Integer.parseInt(args[2]);
        String host = "127.0.0.1:" + args[0];
        Opening opening = args.length > 3
                ? HttpStream.lines(host, "/subscribe?subject=/idle", null)
                : Upgrade.to(host, "belfry.binary.v1", null);
        Route route = Route.to(server, opening).from(SourceAddresses.towards(List.of(server), many));
        List<ClientLoop> loops = List.of(
                new ClientLoop("one", 1 << 16, System::nanoTime), new ClientLoop("two", 1 << 16, System::nanoTime));
        open(loops, route, few);
        long before = liveBytes();
        open(loops, route, many - few);
        long after = liveBytes();
        System.out.println("live bytes with " + few + ": " + before + ", with " + many + ": " + after
                + ", per connection: " + (after - before) / (many - few));
        Runtime.getRuntime().halt(0);
    }

    private static void open(List<ClientLoop> loops, Route route, int count) throws InterruptedException {
        for (int begun = 0; begun < count; ) {
            int some = Math.min(count - begun, 200);
            CountDownLatch opened = new CountDownLatch(some);
            for (int i = 0; i < some; i++) {
                ClientLoop loop = loops.get(i % loops.size());
                loop.run(() -> loop.connect(route, new Idle(opened)));
            }
            if (!opened.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not open within 30 s");
            }
            begun += some;
        }
    }

    /** Returns the live bytes in the last line of {@code jcmd PID GC.class_histogram}, after a full collection. */
    private static long liveBytes() throws Exception {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        String[] lines = histogram.strip().split("\n", -1);
        return Long.parseLong(lines[lines.length - 1].strip().split("\\s+", -1)[2]);
    }

    /** A listener without state except for the shared latch. */
    private record Idle(CountDownLatch opened) implements ConnectionListener {
        @Override
        public void onOpen(ServerConnection connection) {
            opened.countDown();
        }

        @Override
        public void onMessage(
                ServerConnection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {}

        @Override
        public void onEnd(Ending ending) {
            System.err.println(ending.sentence());
        }
    }
}
