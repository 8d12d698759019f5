package io.belfry.microbench;

import io.belfry.protocol.Code;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Outbound;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.session.Subscriptions;
import io.belfry.server.subject.LaneSets;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.belfry.server.subject.SubscriberList;
import io.netty.buffer.ByteBuf;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.IntConsumer;

/**
 * Measures the heap that routing needs for ten million sessions with one subject each, and then with a second one, without
 * sockets: subject, table entry, subscriber, interest, subscription and session, in the server's own classes. Prints the heap
 * of each structure after a full collection, the longest insertion, and the time of a lookup.
 *
 * <pre>tests/microbench/run main RoutingMemory 10000000</pre>
 */
public final class RoutingMemory {
    private static final int DEFAULT_COUNT = 10_000_000;
    private static final int LOOKUPS = 5_000_000;
    private static final int LANES = 2;

    private final int count;
    private final SubjectTable table = new SubjectTable(42);
    private final SubscriberList lists = new SubscriberList();
    private final SessionTable sessions = new SessionTable();
    private final Subscriptions subscriptions = new Subscriptions(lists, sessions);
    private final LaneSets interest = new LaneSets(LANES);
    private final SubjectKey key = new SubjectKey(42);
    private final Outbound nowhere = new DiscardingOutbound();
    private long used;

    private RoutingMemory(int count) {
        this.count = count;
    }

    public static void main(String[] arguments) {
        new RoutingMemory(arguments.length > 0 ? Integer.parseInt(arguments[0]) : DEFAULT_COUNT).run();
    }

    private void run() {
        used = usedAfterCollection();
        long before = used;
        measure("subjects: names, places of the names, index", i -> add(i, "/p/s"));
        measure("interest of the other lanes", i -> interest.set(i, 1, true));
        measure("sessions and their table", i -> {
            Session session = new Session(nowhere, ANYONE, sessions.takeSlot(), sessions.nextGeneration(), 1, 0);
            sessions.put(session);
        });
        measure("subscribers and subscriptions", i -> subscriptions.add(session(i), i));
        System.out.printf(
                "%,d subjects, subscriptions and sessions: %.1f bytes each%n", count, (used - before) / (double) count);
        System.out.printf("lookup of a random subject's session: %.0f ns%n", lookup());
        before = used;
        measure("second subject", i -> interest.set(add(i, "/q/s"), 1, true));
        measure("second subscription", i -> subscriptions.add(session(i), count + i));
        System.out.printf("second subject with its subscription: %.1f bytes each%n", (used - before) / (double) count);
    }

    private Session session(int slot) {
        return Objects.requireNonNull(sessions.at(slot));
    }

    private int add(int i, String prefix) {
        return table.findOrAdd(set(key, prefix, i).bytes(), key.length(), key.hash());
    }

    private void measure(String what, IntConsumer step) {
        long slowest = 0;
        for (int i = 0; i < count; i++) {
            long from = System.nanoTime();
            step.accept(i);
            slowest = Math.max(slowest, System.nanoTime() - from);
        }
        long now = usedAfterCollection();
        System.out.printf(
                "%s: %.1f bytes each, longest step %.1f ms%n", what, (now - used) / (double) count, slowest / 1e6);
        used = now;
    }

    private double lookup() {
        java.util.SplittableRandom random = new java.util.SplittableRandom(1);
        int found = 0;
        for (int warm = 0; warm < 2; warm++) {
            long from = System.nanoTime();
            for (int i = 0; i < LOOKUPS; i++) {
                set(key, "/p/s", random.nextInt(count));
                int subject = table.find(key.bytes(), key.length(), key.hash());
                found += session(lists.single(subject)).format();
            }
            if (warm == 1) {
                return (System.nanoTime() - from) / (double) LOOKUPS;
            }
        }
        return found;
    }

    private static final byte[] SUBJECT = new byte[32];

    private static SubjectKey set(SubjectKey key, String name, int i) {
        byte[] prefix = name.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(prefix, 0, SUBJECT, 0, prefix.length);
        int at = prefix.length;
        int digits = Integer.toString(i + 1).length();
        int rest = i + 1;
        for (int d = digits - 1; d >= 0; d--) {
            SUBJECT[at + d] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        at += digits;
        SUBJECT[at++] = '/';
        SUBJECT[at++] = '-';
        return key.set(io.netty.buffer.Unpooled.wrappedBuffer(SUBJECT), 0, at);
    }

    private static long usedAfterCollection() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static final Principal ANYONE = new Principal() {
        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return Decision.ALLOWED;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return Decision.ALLOWED;
        }
    };

    /** Accepts all bytes and discards them. */
    static class DiscardingOutbound implements Outbound {
        @Override
        public boolean write(ByteBuf bytes, int offset, int length) {
            return true;
        }

        @Override
        public void stage(ByteBuf bytes, int offset, int length) {}

        @Override
        public boolean flushStaged() {
            return true;
        }

        @Override
        public int queuedBytes() {
            return 0;
        }

        @Override
        public void pauseReading() {}

        @Override
        public void resumeReading() {}

        @Override
        public boolean ping() {
            return false;
        }

        @Override
        public boolean isLoopback() {
            return true;
        }

        @Override
        public void close(Code code, String reason) {}
    }
}
