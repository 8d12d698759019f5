package io.belfry.microbench;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.belfry.server.history.History;
import io.belfry.server.history.NewRecord;
import io.belfry.server.subject.LongColumn;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * Measures the effect of ten million cached messages on the garbage collector. Fills a history with that many messages,
 * continues publishing with as much garbage as a busy server produces, and prints the number of collections, the longest
 * pause and the use of memory. The argument {@code twin} keeps the same messages as objects on the heap instead.
 *
 * <pre>
 * BELFRY_JAVA_OPTIONS="-Xmx1g -XX:MaxDirectMemorySize=4g" tests/microbench/run main CachePauses 10000000
 * BELFRY_JAVA_OPTIONS=-Xmx4g tests/microbench/run main CachePauses 10000000 twin
 * </pre>
 */
public final class CachePauses {
    private static final int SUBJECTS = 100_000;
    private static final int DATA_BYTES = 100;
    private static final int SEGMENT_BYTES = 4 << 20;
    private static final int PER_TURN = 16;
    private static final long AFTERWARDS = 20_000_000;

    /** Fills a young generation every few seconds, like the HTTP requests and the monitor of a busy server. */
    private static final int GARBAGE_BYTES = 64;

    private static final AtomicLong COLLECTIONS = new AtomicLong();
    private static final AtomicLong LONGEST_MILLIS = new AtomicLong();
    private static final AtomicLong TOTAL_MILLIS = new AtomicLong();

    private static volatile Object garbage = "";

    /** A store of messages under test. */
    private interface Cache {
        void append(int subject, long seq, ByteBuf data);

        default void endTurn() {}

        long messages();

        long bytesOffHeap();
    }

    private CachePauses() {}

    public static void main(String[] arguments) {
        long wanted = arguments.length > 0 ? Long.parseLong(arguments[0]) : 10_000_000;
        boolean twin = arguments.length > 1 && arguments[1].equals("twin");
        watchCollections();
        Cache cache = twin ? new OnHeap((int) (wanted / SUBJECTS)) : new OffHeap((int) (wanted / SUBJECTS), wanted);
        Publishing publishing = new Publishing(cache);
        publishing.publish(wanted);
        print("filling", publishing, cache);
        reset();
        publishing.publish(AFTERWARDS);
        print("full", publishing, cache);
        reset();
        System.gc();
        print("a full collection", publishing, cache);
    }

    private static void watchCollections() {
        for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
            // Concurrent phases cause no pause.
            if (!each.getName().contains("Concurrent")) {
                ((NotificationEmitter) each)
                        .addNotificationListener(
                                (told, of) -> {
                                    if (told.getUserData() instanceof CompositeData data) {
                                        onCollection(GarbageCollectionNotificationInfo.from(data)
                                                .getGcInfo()
                                                .getDuration());
                                    }
                                },
                                null,
                                null);
            }
        }
    }

    private static void onCollection(long millis) {
        COLLECTIONS.incrementAndGet();
        TOTAL_MILLIS.addAndGet(millis);
        LONGEST_MILLIS.accumulateAndGet(millis, Math::max);
    }

    private static void reset() {
        COLLECTIONS.set(0);
        TOTAL_MILLIS.set(0);
        LONGEST_MILLIS.set(0);
    }

    private static void print(String what, Publishing publishing, Cache cache) {
        System.out.printf(
                "%-18s %,d messages kept, %,d MB off the heap, heap %,d MB; %d collections, longest %d ms, together %d"
                        + " ms; %,.0f messages/s, longest turn %.1f ms%n",
                what,
                cache.messages(),
                cache.bytesOffHeap() >> 20,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20,
                COLLECTIONS.get(),
                LONGEST_MILLIS.get(),
                TOTAL_MILLIS.get(),
                publishing.perSecond,
                publishing.longestTurnNanos / 1e6);
    }

    private static final class Publishing {
        private final Cache cache;
        private final LongColumn seqs = new LongColumn();
        private final SplittableRandom random = new SplittableRandom(1);
        private final ByteBuf data = Unpooled.directBuffer(DATA_BYTES).writeZero(DATA_BYTES);
        private double perSecond;
        private long longestTurnNanos;

        Publishing(Cache cache) {
            this.cache = cache;
        }

        void publish(long count) {
            longestTurnNanos = 0;
            long from = System.nanoTime();
            for (long published = 0; published < count; published += PER_TURN) {
                long begun = System.nanoTime();
                turn();
                longestTurnNanos = Math.max(longestTurnNanos, System.nanoTime() - begun);
            }
            perSecond = count * 1e9 / (System.nanoTime() - from);
        }

        private void turn() {
            for (int i = 0; i < PER_TURN; i++) {
                int subject = random.nextInt(SUBJECTS);
                long seq = seqs.at(subject) + 1;
                seqs.set(subject, seq);
                cache.append(subject, seq, data);
                garbage = new byte[GARBAGE_BYTES];
            }
            cache.endTurn();
        }
    }

    private static final class OffHeap implements Cache {
        private final History history;
        private final NewRecord record = new NewRecord();

        OffHeap(int perSubject, long wanted) {
            // A record takes 40 bytes plus its data. The byte budget is the limit, not the number, so cleaning
            // continues.
            long budget = wanted * (40 + DATA_BYTES + 4);
            history = new History(1, perSubject * 2, Long.MAX_VALUE / 4, SEGMENT_BYTES, budget);
        }

        @Override
        public void append(int subject, long seq, ByteBuf data) {
            history.append(record.message(subject, seq, 0, false).data(data, 0, DATA_BYTES));
        }

        @Override
        public void endTurn() {
            if (history.isCleaningDue(0)) {
                history.clean(0, subject -> {});
            }
        }

        @Override
        public long messages() {
            return history.messages();
        }

        @Override
        public long bytesOffHeap() {
            return history.bytes();
        }
    }

    /** Keeps a queue of messages per subject. */
    private static final class OnHeap implements Cache {
        private record Message(long seq, long time, byte[] data) {}

        private final int perSubject;
        private final Map<Integer, ArrayDeque<Message>> queues = new HashMap<>();
        private long messages;

        OnHeap(int perSubject) {
            this.perSubject = perSubject;
        }

        @Override
        public void append(int subject, long seq, ByteBuf data) {
            byte[] copy = new byte[DATA_BYTES];
            data.getBytes(0, copy);
            ArrayDeque<Message> queue = queues.computeIfAbsent(subject, each -> new ArrayDeque<>());
            queue.addLast(new Message(seq, 0, copy));
            messages++;
            if (queue.size() > perSubject) {
                queue.removeFirst();
                messages--;
            }
        }

        @Override
        public long messages() {
            return messages;
        }

        @Override
        public long bytesOffHeap() {
            return 0;
        }
    }
}
