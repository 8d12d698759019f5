package io.belfry.server.console;

import com.sun.net.httpserver.HttpExchange;
import io.belfry.protocol.Code;
import io.belfry.server.json.JsonBytes;
import io.belfry.server.monitor.IntervalFigures;
import io.belfry.server.monitor.Monitored;
import io.belfry.server.monitor.WorkgroupLoops;
import java.io.IOException;
import java.io.OutputStream;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Sends the seconds to a page: first the seconds that the page missed, then each new second. Safe for any thread. */
final class SecondStream {
    /** Maximum number of open streams; a further stream is refused. */
    private static final int STREAMS = 64;

    /** Duration of a response. The JDK's server aborts responses after 30 s, so each stream ends earlier. */
    private static final long LENGTH_MILLIS = 20_000;

    private static final long KEEP_ALIVE_MILLIS = 5000;

    private final Semaphore permits = new Semaphore(STREAMS);
    private final Seconds seconds;
    private final byte[] hello;

    SecondStream(ConsoleSetup setup, Seconds seconds) {
        this.seconds = seconds;
        hello = hello(setup.monitored());
    }

    private static byte[] hello(Monitored monitored) {
        Map<Integer, String> workgroups = new TreeMap<>();
        for (WorkgroupLoops group : monitored.workgroups()) {
            group.loops().forEach(loop -> workgroups.put(loop, group.name()));
        }
        long run = new SecureRandom().nextLong();
        return JsonBytes.object(json -> {
            json.writeStringField("type", "hello");
            json.writeStringField("node", monitored.node());
            json.writeStringField("version", monitored.version());
            json.writeNumberField("startedMillis", monitored.clock().getAsLong());
            json.writeArrayFieldStart("latencyBounds");
            for (long bound : IntervalFigures.BOUNDS_MICROS) {
                json.writeNumber(bound);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("lanes");
            for (Map.Entry<Integer, String> lane : workgroups.entrySet()) {
                json.writeStartObject();
                json.writeNumberField("lane", lane.getKey());
                json.writeStringField("workgroup", lane.getValue());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeNumberField("kept", Seconds.KEPT);
            json.writeStringField("run", Long.toHexString(run));
        });
    }

    /** Returns whether a stream is open. */
    boolean isOpen() {
        return permits.availablePermits() < STREAMS;
    }

    void send(HttpExchange exchange, long after) throws IOException {
        if (!permits.tryAcquire()) {
            ConsoleReply.refusal(Code.OVERLOADED, "too many open consoles")
                    .with("Retry-After", "5")
                    .send(exchange);
            return;
        }
        try (OutputStream out = ConsoleReply.stream(exchange, "application/x-ndjson")) {
            write(out, after);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } finally {
            permits.release();
        }
    }

    private void write(OutputStream out, long after) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LENGTH_MILLIS);
        line(out, hello);
        // A number above the latest one is from an earlier run of the server.
        long known = after < seconds.next() ? after : 0;
        for (long left = LENGTH_MILLIS; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
            Seconds.Lines lines = seconds.after(known);
            List<byte[]> found = lines.lines();
            for (byte[] each : found) {
                line(out, each);
            }
            if (!found.isEmpty()) {
                line(out, seconds.state());
            }
            out.flush();
            known = lines.lastSeq();
            if (!seconds.await(known, Math.min(left, KEEP_ALIVE_MILLIS)) && seconds.isClosed()) {
                return;
            }
        }
    }

    private static void line(OutputStream out, byte[] line) throws IOException {
        out.write(line);
        out.write('\n');
    }
}
