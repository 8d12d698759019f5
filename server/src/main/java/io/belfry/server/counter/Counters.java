package io.belfry.server.counter;

import io.belfry.protocol.Code;
import java.util.Comparator;
import java.util.List;
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
        return loops.stream().mapToLong(loop -> loop.value(counter)).sum();
    }

    public long refusals(Code code) {
        return loops.stream().mapToLong(loop -> loop.refusals(code)).sum();
    }

    public long closes(Code code) {
        return loops.stream().mapToLong(loop -> loop.closes(code)).sum();
    }

    public long drops(Code code) {
        return loops.stream().mapToLong(loop -> loop.drops(code)).sum();
    }

    public long conflations(Code code) {
        return loops.stream().mapToLong(loop -> loop.conflations(code)).sum();
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
