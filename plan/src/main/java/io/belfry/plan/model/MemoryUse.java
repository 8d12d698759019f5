package io.belfry.plan.model;

import io.belfry.plan.coefficient.Factor;
import io.belfry.plan.coefficient.Unit;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Retention;
import java.util.List;

/** Heap, history, JVM, TLS and the kernel's sockets of one node. Immutable. */
final class MemoryUse {
    /** A heap that is smaller is no use to anybody. */
    private static final double HEAP_LEAST = 64 << 20;

    private final Ingredients in;
    private final Machine machine;
    private final Retention retention;

    MemoryUse(Ingredients in, Machine machine, Retention retention) {
        this.in = in;
        this.machine = machine;
        this.retention = retention;
    }

    Usage of(Situation at) {
        Value heap = heap(at);
        return new Usage(
                Resource.MEMORY,
                List.of(
                        new Term("heap", heap, Unit.BYTES),
                        new Term("history", history(at), Unit.BYTES),
                        new Term("JVM", in.factor(Factor.NATIVE_JVM), Unit.BYTES),
                        new Term(
                                "TLS engines",
                                at.sessions().times(in.encrypted()).times(in.factor(Factor.NATIVE_TLS)),
                                Unit.BYTES),
                        new Term(
                                "sockets",
                                at.sessions()
                                        .times(in.factor(Factor.KERNEL_SOCKET)
                                                .plus(in.slow().times(in.factor(Factor.KERNEL_UNREAD)))),
                                Unit.BYTES)),
                new Term(
                        "limit",
                        Value.of("memory", machine.memoryBytes(), Unit.BYTES)
                                .times(Value.of("memory-share", machine.memoryShare(), Unit.SHARE)),
                        Unit.BYTES));
    }

    /** {@code Memory}: what lives there and room for the collector. */
    Value heap(Situation at) {
        Value each = in.factor(Factor.HEAP_SESSION)
                .plus(in.streams().times(in.factor(Factor.HEAP_STREAM)))
                .plus(in.encrypted().times(in.factor(Factor.HEAP_TLS)));
        if (in.load().subjects() > 1) {
            each = each.plus(Value.of("more-subjects", in.load().subjects() - 1, Unit.COUNT)
                    .times(in.factor(Factor.HEAP_SUBSCRIPTION)));
        }
        return at.sessions()
                .times(each)
                .over(in.factor(Factor.HEAP_FILL))
                .atLeast(Value.of("least-heap", HEAP_LEAST, Unit.BYTES));
    }

    /** {@code CacheMemory}, by the formula of docs/operations.md. */
    Value history(Situation at) {
        Value lanes = Value.of("loops", Math.ceil(machine.cores()), Unit.COUNT).times(in.factor(Factor.HISTORY_LANE));
        return retention.isNone()
                ? lanes
                : kept(at).times(in.factor(Factor.HISTORY_MESSAGE).plus(in.size()))
                        .times(in.factor(Factor.HISTORY_ROOM))
                        .plus(lanes);
    }

    /** Who reads all of Kafka keeps all of it, whoever is connected. */
    private Value kept(Situation at) {
        Value lately = (at.linked() ? at.read() : at.published())
                .times(Value.of("history", retention.seconds(), Unit.SECONDS));
        double subjects = in.load().clients() * in.load().subjects() / in.load().audience();
        Value bySubject = Value.of("all-subjects", subjects, Unit.COUNT)
                .times(Value.of("cache-size", retention.messages(), Unit.COUNT));
        return lately.amount() <= bySubject.amount() ? lately : lately.atMost(bySubject);
    }
}
