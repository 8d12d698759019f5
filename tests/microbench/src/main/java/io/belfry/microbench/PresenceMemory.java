package io.belfry.microbench;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonCommands;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures the heap that a member of a subject needs on a single node: the same sessions subscribe with {@code presence=no} and with
 * {@code presence=yes}, without sockets. Arguments: sessions, each of another user; subjects of each session; rooms over which the
 * sessions are spread.
 *
 * <pre>tests/microbench/run main PresenceMemory 100000 1 1</pre>
 */
public final class PresenceMemory {
    private final JsonCommands decoder = new JsonCommands();
    private final ClientEncoding encoding = new JsonClientEncoding();
    private final ByteBuf frame = Unpooled.buffer(1 << 10);
    private final int count;
    private final int each;
    private final int rooms;

    private PresenceMemory(int count, int each, int rooms) {
        this.count = count;
        this.each = each;
        this.rooms = rooms;
    }

    /** Measures both options, twice. */
    public static void main(String... arguments) {
        PresenceMemory memory = new PresenceMemory(
                Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        for (int round = 0; round < 2; round++) {
            double without = memory.bytesPerSubscription(false);
            double with = memory.bytesPerSubscription(true);
            System.out.printf(
                    "%d sessions of %d subjects in %d rooms: %.1f bytes for a subscription, %.1f more for a member%n",
                    memory.count, memory.each, memory.rooms, without, with - without);
        }
    }

    private double bytesPerSubscription(boolean presence) {
        SocketlessLane lane =
                new SocketlessLane("Limit.CommandRate=0", "Subjects.1=/rooms/* presence=" + (presence ? "yes" : "no"));
        List<Session> sessions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Principal user = new NamedUser("user-%07d".formatted(i));
            sessions.add(lane.lane().open(new RoutingMemory.DiscardingOutbound(), BelfryFormat.WEBSOCKET_JSON, user));
            lane.turn();
        }
        long before = usedHeap();
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < each; j++) {
                byte[] name = ("/rooms/" + (i + j) % rooms).getBytes(StandardCharsets.US_ASCII);
                encoding.subscribe(frame.clear(), j, new SubscribeRequest(List.of(name), null, 0, 0));
                decoder.decode(frame, 0, frame.readableBytes(), lane.lane().commands(sessions.get(i)));
                lane.turn();
            }
        }
        lane.tick();
        lane.turn();
        long members = lane.counters().total(Counter.PRESENCE_MEMBERS);
        if (members != (presence ? (long) count * each : 0)) {
            throw new IllegalStateException("members: " + members);
        }
        double bytes = (usedHeap() - before) / (double) count / each;
        lane.lane().release();
        return sessions.isEmpty() ? 0 : bytes;
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private record NamedUser(String name) implements Principal {
        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return Decision.ALLOWED;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return Decision.ALLOWED;
        }

        @Override
        public @Nullable String user() {
            return name;
        }
    }
}
