package io.belfry.server.counter;

import io.belfry.protocol.Code;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** The counters of all loops, for the monitor. Immutable; the loops write the counters inside. */
public final class Counters {
    private final List<LoopCounters> loops;

    public Counters(int loops) {
        this.loops = IntStream.range(0, loops).mapToObj(i -> new LoopCounters()).toList();
    }

    public LoopCounters loop(int index) {
        return loops.get(index);
    }

    public int loops() {
        return loops.size();
    }

    public long total(Counter counter) {
        return sum(loop -> loop.value(counter));
    }

    public long refusals(Code code) {
        return sum(loop -> loop.refusals(code));
    }

    public long closes(Code code) {
        return sum(loop -> loop.closes(code));
    }

    public long drops(Code code) {
        return sum(loop -> loop.drops(code));
    }

    public long conflations(Code code) {
        return sum(loop -> loop.conflations(code));
    }

    private long sum(ToLongFunction<LoopCounters> value) {
        // Not a stream: the monitor reads hundreds of sums per second, mostly before the JVM has compiled them.
        long sum = 0;
        for (LoopCounters loop : loops) {
            sum += value.applyAsLong(loop);
        }
        return sum;
    }

    /** Returns the sessions that lag most, in descending order. */
    public List<SlowSession> slowest(int most) {
        return loops.stream()
                .flatMap(loop -> loop.slowest().stream())
                .sorted(Comparator.comparingLong(SlowSession::bytes).reversed())
                .limit(most)
                .toList();
    }

    public long connectedSessions() {
        return total(Counter.SESSIONS_OPENED) - total(Counter.SESSIONS_CLOSED);
    }
}
