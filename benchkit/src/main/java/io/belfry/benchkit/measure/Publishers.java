package io.belfry.benchkit.measure;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The publishers whose messages one loop has received, in the order of their first message. Owner: that loop. */
public final class Publishers {
    /** A publisher's clock is read from every so many stamps only, because clocks drift slowly. */
    static final int CLOCK_EVERY = 256;

    private final boolean correct;
    private final IntObjectMap<Publisher> byId = new IntObjectHashMap<>();
    private final List<Publisher> inOrder = new ArrayList<>();
    private ClockOffset own = ClockOffset.UNKNOWN;
    private @Nullable Publisher last;

    /** {@code correct}: whether to correct latencies by the offsets of the clocks. */
    public Publishers(boolean correct) {
        this.correct = correct;
    }

    /** Sets a new offset of this process's clock. */
    public void own(ClockOffset offset) {
        own = offset;
        inOrder.forEach(Publisher::compareClock);
    }

    /** Returns the publisher of a message; {@code stamp} is valid. */
    public Publisher of(byte[] stamp) {
        int id = Stamp.publisher(stamp);
        Publisher publisher = last;
        if (publisher == null || publisher.id != id) {
            publisher = byId.get(id);
            if (publisher == null) {
                publisher = new Publisher(id, inOrder.size());
                byId.put(id, publisher);
                inOrder.add(publisher);
            }
            last = publisher;
        }
        publisher.readClock(stamp);
        return publisher;
    }

    /** Returns the publisher with this index. */
    public Publisher at(int index) {
        return inOrder.get(index);
    }

    /** Whether an end mark of any publisher has arrived. */
    public boolean anyEnded() {
        return inOrder.stream().anyMatch(publisher -> publisher.ended);
    }

    /** Compares the clock of each publisher with this process's clock. */
    public List<ClockComparison> comparisons() {
        return inOrder.stream().map(publisher -> publisher.comparison).toList();
    }

    /** One publisher and its clock. Owner: the loop. */
    public final class Publisher {
        private final int id;
        private final int index;
        private ClockOffset clock = ClockOffset.UNKNOWN;
        private ClockComparison comparison = ClockComparison.of(clock, own);
        private long correctionNanos;
        private int stampsUntilClock;
        private boolean ended;

        private Publisher(int id, int index) {
            this.id = id;
            this.index = index;
        }

        private void readClock(byte[] stamp) {
            if (stampsUntilClock-- <= 0) {
                clock = Stamp.clock(stamp);
                stampsUntilClock = clock.isKnown() ? CLOCK_EVERY : 0;
                compareClock();
            }
        }

        private void compareClock() {
            comparison = ClockComparison.of(clock, own);
            boolean comparable = comparison.known() && !comparison.sameMachine();
            correctionNanos = correct && comparable ? comparison.offsetMicros() * 1000 : 0;
        }

        /** The number of the publisher in its stamps. */
        public int id() {
            return id;
        }

        /** The number of the publisher among those of this loop, from 0. */
        public int index() {
            return index;
        }

        /** The correction to add to a latency: 0 on one machine, for unknown offsets, and if none is requested. */
        public long correctionNanos() {
            return correctionNanos;
        }

        /** Whether the publisher's {@code startNanos} is certainly after this process's {@code ownNanos}. */
        public boolean startedAfter(long ownNanos, long startNanos) {
            if (comparison.sameMachine()) {
                return ownNanos < startNanos;
            }
            long aheadMicros = comparison.offsetMicros() + comparison.uncertaintyMicros();
            return comparison.known() && ownNanos < startNanos - 1000 * aheadMicros;
        }

        /** Notes that an end mark of the publisher has arrived. */
        public void end() {
            ended = true;
        }

        /** Whether an end mark of the publisher has arrived. */
        public boolean hasEnded() {
            return ended;
        }
    }
}
