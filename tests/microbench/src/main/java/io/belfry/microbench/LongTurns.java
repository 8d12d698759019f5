package io.belfry.microbench;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.Code;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonCommands;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.session.Session;
import io.belfry.server.turn.Turn;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The longest time between two polls of the sockets when a lane does work for all its sessions, without sockets: a message to all, a
 * tick, a drain, commands with a thousand subjects, and all connections lost. Times are those of the processor, without the waits of a
 * busy machine. Arguments: {@code names} or {@code patterns}, by which the sessions subscribe to the common subject; the time of the drain
 * in milliseconds; and numbers of sessions.
 */
public final class LongTurns {
    private static final int DATA_BYTES = 512;

    /** Connections whose events one poll reports. */
    private static final int EVENTS = 128;

    private static final int TICKS = 50;

    /** Subjects of a command, the most that the protocol permits. */
    private static final int SUBJECTS = 1000;

    private static final int COMMANDS = 16;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final SocketlessLane lane = new SocketlessLane(
            "Limit.CommandRate=0", "Limit.PublishRate=0", "Limit.Patterns=10000000", "Limit.Subjects=20000000");
    private final JsonCommands decoder = new JsonCommands();
    private final ClientEncoding encoding = new JsonClientEncoding();
    private final ByteBuf frame = Unpooled.buffer(1 << 16);
    private final ByteBuf data = Unpooled.wrappedBuffer(new byte[DATA_BYTES]);
    private final List<Session> sessions = new ArrayList<>();
    private final String common;
    private final long drainMillis;
    private long longestNanos;

    private LongTurns(String common, long drainMillis) {
        this.common = common;
        this.drainMillis = drainMillis;
    }

    /** Measures each number of sessions, twice. */
    public static void main(String... arguments) {
        String common = arguments[0].equals("patterns") ? "/*" : "/all";
        long drainMillis = Long.parseLong(arguments[1]);
        for (int round = 0; round < 2; round++) {
            for (int i = 2; i < arguments.length; i++) {
                new LongTurns(common, drainMillis).run(Integer.parseInt(arguments[i]));
            }
        }
    }

    private void run(int count) {
        for (int i = 0; i < count; i++) {
            Session session = lane.open(new RoutingMemory.DiscardingOutbound(), BelfryFormat.WEBSOCKET_JSON);
            sessions.add(session);
            subscribe(session, common);
            subscribe(session, "/own/" + i);
            if (i % EVENTS == 0) {
                lane.turn();
            }
        }
        turns();
        longestNanos = 0;
        for (int i = 0; i < 5; i++) {
            timed(() -> publish(sessions.getFirst()));
            turns();
        }
        double message = longest();
        for (int i = 0; i < TICKS; i++) {
            timed(lane::tick);
            turns();
        }
        double tick = longest();
        for (int command = 0; command < COMMANDS; command++) {
            Session session = sessions.get(command % sessions.size());
            String prefix = "/many/" + command + "/";
            timed(() -> subscribeToMany(session, prefix));
            turns();
        }
        double subscribe = longest();
        if (drainMillis > 0) {
            lane.lane().drain(drainMillis);
            for (int i = 0; i < TICKS; i++) {
                timed(lane::tick);
                turns();
            }
        }
        double drain = longest();
        long began = THREADS.getCurrentThreadCpuTime();
        for (Deque<Session> left = new ArrayDeque<>(sessions); !left.isEmpty(); turns()) {
            timed(() -> loseConnections(left));
        }
        double micros = (THREADS.getCurrentThreadCpuTime() - began) / 1e3 / count;
        System.out.printf(
                "%d sessions: longest turn with a message to all %.1f ms, with a tick %.1f ms, with subscriptions %.1f ms, with a drain"
                        + " %.1f ms, with lost connections %.1f ms; %.2f us per lost connection%n",
                count, message, tick, subscribe, drain, longest(), micros);
        lane.lane().release();
    }

    /** Handles the events of one poll for as long as a turn does. */
    private void loseConnections(Deque<Session> left) {
        long endNanos = System.nanoTime() + Turn.SLICE_NANOS;
        for (int i = 0; i < EVENTS && !left.isEmpty() && System.nanoTime() < endNanos; i++) {
            Session session = left.remove();
            if (!session.isClosed()) {
                lane.lane().onGone(session, Code.CONNECTION_LOST);
            }
        }
    }

    private double longest() {
        double millis = longestNanos / 1e6;
        longestNanos = 0;
        return millis;
    }

    private void subscribe(Session session, String subject) {
        byte[] name = subject.getBytes(StandardCharsets.US_ASCII);
        encoding.subscribe(frame.clear(), 1, new SubscribeRequest(List.of(name), null, 0, 0));
        decoder.decode(frame, 0, frame.readableBytes(), lane.lane().commands(session));
    }

    /** Sends a command with many subjects. */
    private void subscribeToMany(Session session, String prefix) {
        List<byte[]> names = new ArrayList<>();
        for (int i = 0; i < SUBJECTS - 2; i++) {
            names.add((prefix + i).getBytes(StandardCharsets.US_ASCII));
        }
        encoding.subscribe(frame.clear(), 1, new SubscribeRequest(names, null, 0, 0));
        decoder.decode(frame, 0, frame.readableBytes(), lane.lane().commands(session));
    }

    private void publish(Session session) {
        byte[] name = "/all".getBytes(StandardCharsets.US_ASCII);
        encoding.publish(frame.clear(), 1, name, data.resetReaderIndex(), false, null);
        decoder.decode(frame, 0, frame.readableBytes(), lane.lane().commands(session));
    }

    private void turns() {
        for (Runnable task = lane.nextTask(); task != null; task = lane.nextTask()) {
            timed(task);
        }
    }

    private void timed(Runnable task) {
        long began = THREADS.getCurrentThreadCpuTime();
        task.run();
        longestNanos = Math.max(longestNanos, THREADS.getCurrentThreadCpuTime() - began);
    }
}
