package io.belfry.microbench;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.Code;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonCommands;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.counter.Counter;
import io.belfry.server.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The cost of resuming patterns, without sockets: the processor time per record that is read, and the longest time
 * between two polls of the sockets. Arguments: records, sessions that resume together.
 */
public final class ResumedPatterns {
    private static final int SUBJECTS = 10_000;
    private static final int DATA_BYTES = 100;

    private final JsonCommands decoder = new JsonCommands();
    private final ClientEncoding encoding = new JsonClientEncoding();
    private final ByteBuf frame = Unpooled.buffer(1 << 10);
    private final ByteBuf data = Unpooled.wrappedBuffer(new byte[DATA_BYTES]);
    private final LastText outbound = new LastText();
    private final SocketlessLane lane;
    private final Session session;
    private long longestNanos;
    private long turns;

    private ResumedPatterns() {
        lane = new SocketlessLane(
                "Limit.CommandRate=0",
                "Limit.PublishRate=0",
                "CacheMemory=1 GB",
                "CacheSize=1000000",
                "Limit.PatternsPerSession=0");
        session = open();
    }

    /** Measures a pattern that matches nothing, one record in a hundred, and all. */
    public static void main(String... arguments) {
        int records = Integer.parseInt(arguments[0]);
        int sessions = Integer.parseInt(arguments[1]);
        ResumedPatterns patterns = new ResumedPatterns();
        String position = patterns.position();
        patterns.publish(records);
        for (int round = 0; round < 3; round++) {
            for (String pattern : List.of("/none/**", "/subject/7/**", "/subject/**")) {
                patterns.resume(pattern, position, sessions);
            }
        }
    }

    private Session open() {
        return lane.open(outbound, BelfryFormat.WEBSOCKET_JSON);
    }

    private String position() {
        subscribe(session, "/first/**", null);
        turns();
        int start = outbound.last.indexOf("\"at\":\"") + 6;
        return outbound.last.substring(start, outbound.last.indexOf('"', start));
    }

    private void publish(int records) {
        for (int i = 0; i < records; i++) {
            String subject = "/subject/" + i % 100 + "/" + i % SUBJECTS;
            encoding.publish(
                    frame.clear(),
                    i,
                    subject.getBytes(StandardCharsets.US_ASCII),
                    data.resetReaderIndex(),
                    false,
                    null);
            decoder.decode(frame, 0, frame.readableBytes(), lane.lane().commands(session));
            if (i % 100 == 0) {
                turns();
            }
        }
        turns();
    }

    private void resume(String pattern, String position, int sessions) {
        long read = lane.counters().total(Counter.PATTERN_RECORDS_READ);
        longestNanos = 0;
        turns = 0;
        PatternPosition from = PatternPosition.parse(position);
        Session[] resumed = new Session[sessions];
        long began = cpuNanos();
        for (int i = 0; i < sessions; i++) {
            resumed[i] = open();
            subscribe(resumed[i], pattern, from);
        }
        turns();
        long nanos = cpuNanos() - began;
        read = lane.counters().total(Counter.PATTERN_RECORDS_READ) - read;
        System.out.printf(
                "%s: %d sessions read %d records in %.0f ms, %.0f ns each; %d turns, the longest %.2f ms%n",
                pattern, sessions, read, nanos / 1e6, (double) nanos / read, turns, longestNanos / 1e6);
        for (Session each : resumed) {
            lane.lane().onGone(each, Code.CONNECTION_LOST);
        }
        turns();
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private void subscribe(Session of, String pattern, PatternPosition from) {
        byte[] name = pattern.getBytes(StandardCharsets.US_ASCII);
        encoding.subscribe(frame.clear(), 1, new SubscribeRequest(List.of(name), null, from, 0, 0));
        decoder.decode(frame, 0, frame.readableBytes(), lane.lane().commands(of));
    }

    private void turns() {
        for (Runnable task = lane.nextTask(); task != null; task = lane.nextTask()) {
            long began = System.nanoTime();
            task.run();
            turns++;
            longestNanos = Math.max(longestNanos, System.nanoTime() - began);
        }
    }

    /** Keeps the last bytes as text, to find a position in them. */
    private static final class LastText extends RoutingMemory.DiscardingOutbound {
        private String last = "";

        @Override
        public boolean write(ByteBuf from, int offset, int length) {
            stage(from, offset, length);
            return true;
        }

        @Override
        public void stage(ByteBuf from, int offset, int length) {
            if (length < 512) {
                last = from.toString(offset, length, StandardCharsets.UTF_8);
            }
        }
    }
}
