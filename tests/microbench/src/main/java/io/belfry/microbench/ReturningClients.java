package io.belfry.microbench;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonCommands;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubjectPosition;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.counter.Counter;
import io.belfry.server.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Clients that return together after a lost connection, without sockets: the commands, bytes and processor time until all have
 * their subscriptions again, by one subscribe for each subject and by continuing the kept session. Arguments: sessions, subjects of
 * each session.
 */
public final class ReturningClients {
    private static final int SUBJECTS = 10_000;

    private final JsonCommands decoder = new JsonCommands();
    private final ClientEncoding encoding = new JsonClientEncoding();
    private final ByteBuf frame = Unpooled.buffer(1 << 16);
    private final CountingOutbound outbound = new CountingOutbound();
    private final SocketlessLane lane;
    private final int each;
    private final List<byte[]> names = new ArrayList<>();
    private long commands;
    private long bytesIn;

    private ReturningClients(int each) {
        this.each = each;
        for (int i = 0; i < SUBJECTS; i++) {
            names.add("/subject/%05d".formatted(i).getBytes(StandardCharsets.US_ASCII));
        }
        lane = new SocketlessLane(
                "Limit.CommandRate=0", "Limit.DetachedSessions=1000000", "Limit.DetachedBytes=100 GB");
    }

    /** Measures both ways with the same number of sessions. */
    public static void main(String... arguments) {
        int sessions = Integer.parseInt(arguments[0]);
        int each = Integer.parseInt(arguments[1]);
        for (int round = 0; round < 3; round++) {
            new ReturningClients(each).run(sessions, false);
            new ReturningClients(each).run(sessions, true);
        }
    }

    private void run(int count, boolean kept) {
        List<Session> sessions = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Session session = open();
            sessions.add(session);
            if (kept) {
                send(session, new ConnectRequest(null, 0, KeptSession.NEW, null));
                lane.turn();
                ids.add(outbound.takeSession());
            }
            subscribe(session, i, null);
            lane.turn();
        }
        long heapBefore = usedHeap();
        sessions.forEach(session -> lane.lane().onGone(session, Code.CONNECTION_LOST));
        sessions.clear();
        lane.turn();
        long heapDetached = usedHeap();
        commands = 0;
        bytesIn = 0;
        outbound.bytes = 0;
        long began = cpuNanos();
        for (int i = 0; i < count; i++) {
            Session session = open();
            if (kept) {
                send(session, new ConnectRequest(null, 0, new KeptSession(ids.get(i), positions(i)), null));
            } else {
                send(session, new ConnectRequest(null, 0));
                subscribe(session, i, new Position(SocketlessLane.epoch(), 0));
            }
            lane.turn();
        }
        double micros = (cpuNanos() - began) / 1000.0 / count;
        if (lane.counters().total(Counter.SUBSCRIPTIONS) != (long) count * each) {
            throw new IllegalStateException("subscriptions: " + lane.counters().total(Counter.SUBSCRIPTIONS));
        }
        System.out.printf(
                "%s: %d sessions of %d subjects: %.1f commands, %d bytes in, %d bytes out, %.1f us of CPU each; heap %+d bytes"
                        + " per lost session%n",
                kept ? "continued" : "subscribed again",
                count,
                each,
                (double) commands / count,
                bytesIn / count,
                outbound.bytes / count,
                micros,
                (heapDetached - heapBefore) / count);
        lane.lane().release();
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private Session open() {
        return lane.open(outbound, BelfryFormat.WEBSOCKET_JSON);
    }

    private byte[] name(int session, int index) {
        return names.get((session * 31 + index * 97) % SUBJECTS);
    }

    private void subscribe(Session session, int number, Position from) {
        for (int i = 0; i < each; i++) {
            encoding.subscribe(frame.clear(), i, new SubscribeRequest(List.of(name(number, i)), from, 0, 0));
            decode(session);
        }
    }

    private List<SubjectPosition> positions(int number) {
        SubjectPosition[] positions = new SubjectPosition[each];
        Arrays.setAll(positions, i -> new SubjectPosition(name(number, i), new Position(SocketlessLane.epoch(), 0)));
        return List.of(positions);
    }

    private void send(Session session, ConnectRequest request) {
        encoding.connect(frame.clear(), 1, request);
        decode(session);
    }

    private void decode(Session session) {
        commands++;
        bytesIn += frame.readableBytes();
        decoder.decode(frame, 0, frame.readableBytes(), lane.lane().commands(session));
    }

    /** Counts the bytes, and keeps the last ones to find the id of a session in them. */
    private static final class CountingOutbound extends RoutingMemory.DiscardingOutbound {
        private long bytes;
        private String last = "";

        @Override
        public boolean write(ByteBuf from, int offset, int length) {
            stage(from, offset, length);
            return true;
        }

        @Override
        public void stage(ByteBuf from, int offset, int length) {
            bytes += length;
            last = from.toString(offset, Math.min(length, 256), StandardCharsets.UTF_8);
        }

        private String takeSession() {
            int start = last.indexOf("\"session\":\"") + 11;
            return last.substring(start, last.indexOf('"', start));
        }
    }
}
