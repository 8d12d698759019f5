package io.belfry.bench.sample;

import io.belfry.bench.report.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks in their order, and what can be reckoned from them. Immutable. */
public final class Timeline {
    private static final double MILLIS_PER_SECOND = 1000;

    private final List<Look> looks;

    public Timeline(List<Look> looks) {
        this.looks = List.copyOf(looks);
    }

    /** How much a growing figure grew in a span, taken as growing evenly between two looks; empty where none spans it. */
    public OptionalDouble growth(Function<Look, OptionalDouble> figure, long fromMillis, long toMillis) {
        OptionalDouble from = at(figure, fromMillis);
        OptionalDouble to = at(figure, toMillis);
        return from.isPresent() && to.isPresent()
                ? OptionalDouble.of(to.getAsDouble() - from.getAsDouble())
                : OptionalDouble.empty();
    }

    private OptionalDouble at(Function<Look, OptionalDouble> figure, long millis) {
        @Nullable Look before = null;
        for (Look look : looks) {
            if (figure.apply(look).isEmpty()) {
                continue;
            }
            double value = figure.apply(look).getAsDouble();
            if (look.atMillis() >= millis) {
                return before == null
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(between(before, figure.apply(before).orElse(0), look, value, millis));
            }
            before = look;
        }
        // The span ends where the last look was, but for some milliseconds: the looks stop with the run.
        return before != null && millis - before.atMillis() < MILLIS_PER_SECOND * 2
                ? figure.apply(before)
                : OptionalDouble.empty();
    }

    private static double between(Look before, double earlier, Look after, double later, long millis) {
        double share = (millis - before.atMillis()) / (double) Math.max(1, after.atMillis() - before.atMillis());
        return earlier + (later - earlier) * share;
    }

    /**
     * How fast a counter of the server grew within a span. The server's figures are up to a second old when they are
     * read, so its own clock says how much time lies between two of them.
     */
    public OptionalDouble serverRate(String counter, long fromMillis, long toMillis) {
        List<Look> inside = looks.stream()
                .filter(look -> look.atMillis() >= fromMillis && look.atMillis() <= toMillis)
                .filter(look -> look.counter(counter).isPresent())
                .toList();
        return inside.size() < 2
                ? OptionalDouble.empty()
                : perSecond(inside.getFirst(), inside.getLast(), look -> look.counter(counter));
    }

    /** What a counter of the server grew by from the first look to the last: it may have run long before. */
    public OptionalLong serverGrowth(String counter) {
        List<Long> values = looks.stream()
                .flatMapToLong(look -> look.counter(counter).stream())
                .boxed()
                .toList();
        return values.isEmpty() ? OptionalLong.empty() : OptionalLong.of(values.getLast() - values.getFirst());
    }

    private static OptionalDouble perSecond(Look before, Look after, Function<Look, OptionalLong> counter) {
        OptionalLong from = counter.apply(before);
        OptionalLong to = counter.apply(after);
        long millis = after.uptimeMillis().orElse(0) - before.uptimeMillis().orElse(0);
        return from.isEmpty() || to.isEmpty() || millis <= 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((to.getAsLong() - from.getAsLong()) * MILLIS_PER_SECOND / millis);
    }

    /** The last look with the server's figures. */
    public Optional<Look> lastWithStats() {
        return looks.reversed().stream()
                .filter(look -> look.stats().isPresent())
                .findFirst();
    }

    /** Each look against the one before it, told from the beginning of the measurement. */
    public List<Run.Sample> samples(long originMillis) {
        List<Run.Sample> samples = new ArrayList<>();
        for (int i = 1; i < looks.size(); i++) {
            samples.add(sample(looks.get(i - 1), looks.get(i), originMillis));
        }
        return samples;
    }

    private static Run.Sample sample(Look before, Look now, long originMillis) {
        double seconds = Math.max(1, now.atMillis() - before.atMillis()) / MILLIS_PER_SECOND;
        return new Run.Sample(
                (now.atMillis() - originMillis) / MILLIS_PER_SECOND,
                orNull(now.connections()),
                orNull(perSecond(before, now, look -> look.counter("publishesIn"))),
                orNull(perSecond(before, now, look -> look.counter("messagesOut"))),
                orNull(perSecond(before, now, look -> look.counter("sessionsOpened"))),
                orNull(perSecond(before, now, look -> look.counter("sessionsClosed"))),
                cores(before, now, seconds, Timeline::serverCpu),
                cores(before, now, seconds, Look::generatorsTogether),
                cores(before, now, seconds, Look::machineBusySeconds),
                now.server().map(Kernel.ProcessUse::residentBytes).orElse(null),
                orNull(now.heapBytes()),
                orNull(now.directBytes()),
                orNull(now.kernelBytes()),
                orNull(now.loopLagMillis("p99")),
                orNull(now.loopLagMillis("max")),
                orNull(now.counter("queuedBytes")),
                orNull(now.counter("slowSessions")));
    }

    public static OptionalDouble serverCpu(Look look) {
        return look.server().map(use -> OptionalDouble.of(use.cpuSeconds())).orElse(OptionalDouble.empty());
    }

    private static @Nullable Double cores(
            Look before, Look now, double seconds, Function<Look, OptionalDouble> cpuSeconds) {
        OptionalDouble from = cpuSeconds.apply(before);
        OptionalDouble to = cpuSeconds.apply(now);
        return from.isPresent() && to.isPresent()
                ? Double.valueOf(Math.max(0, to.getAsDouble() - from.getAsDouble()) / seconds)
                : null;
    }

    private static @Nullable Long orNull(OptionalLong value) {
        return value.isPresent() ? Long.valueOf(value.getAsLong()) : null;
    }

    private static @Nullable Double orNull(OptionalDouble value) {
        return value.isPresent() ? Double.valueOf(value.getAsDouble()) : null;
    }
}
