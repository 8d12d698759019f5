package io.belfry.server.trace;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TracerTest {
    private static final TraceParent SAMPLED = new TraceParent(1, 2, 3, true);

    private long millis = 1000;
    private long nanos = 50;

    private Tracer tracer(double ratio, int waiting) {
        return new Tracer(ratio, waiting, () -> millis, () -> nanos);
    }

    private static List<TraceSpan> drain(Tracer tracer) {
        List<TraceSpan> spans = new ArrayList<>();
        tracer.drainTo(spans, 100);
        return spans;
    }

    @Test
    void theSpansOfACallHaveItsTraceAndParents() {
        Tracer tracer = tracer(0, 10);
        TraceSpan call = requireNonNull(tracer.call("POST /publish", SAMPLED));
        nanos += 10;
        TraceSpan write = call.context().start("history write", TraceSpan.Kind.INTERNAL);
        nanos += 5;
        write.end();
        call.end();
        call.end();
        List<TraceSpan> spans = drain(tracer);
        assertThat(spans).containsExactly(write, call);
        assertThat(spans).allMatch(span -> span.traceHigh() == 1 && span.traceLow() == 2);
        assertThat(call.parentId()).isEqualTo(3);
        assertThat(write.parentId()).isEqualTo(call.spanId()).isNotZero();
        assertThat(call.startNanos()).isEqualTo(1_000_000_000);
        assertThat(write.startNanos()).isEqualTo(1_000_000_010);
        assertThat(write.endNanos()).isEqualTo(1_000_000_015);
    }

    @Test
    void aCallThatItsCallerDoesNotRecordIsNotTraced() {
        assertThat(tracer(1, 10).call("GET /poll", new TraceParent(1, 2, 3, false)))
                .isNull();
    }

    @Test
    void aCallWithoutATraceBeginsOneOnlyIfItIsInTheSample() {
        assertThat(tracer(0, 10).call("GET /poll", null)).isNull();
        TraceSpan all = requireNonNull(tracer(1, 10).call("GET /poll", null));
        assertThat(all.parentId()).isZero();
        assertThat(all.traceHigh()).isNotZero();
        Tracer half = tracer(0.5, 10);
        int traced = 0;
        for (int call = 0; call < 1000; call++) {
            traced += half.call("GET /poll", null) == null ? 0 : 1;
        }
        assertThat(traced).isBetween(350, 650);
    }

    @Test
    void aFullQueueDropsAndCounts() {
        Tracer tracer = tracer(0, 2);
        for (int span = 0; span < 5; span++) {
            requireNonNull(tracer.call("POST /publish", SAMPLED)).end();
        }
        assertThat(tracer.waiting()).isEqualTo(2);
        assertThat(tracer.ended()).isEqualTo(5);
        assertThat(tracer.dropped()).isEqualTo(3);
        assertThat(drain(tracer)).hasSize(2);
        requireNonNull(tracer.call("POST /publish", SAMPLED)).end();
        assertThat(drain(tracer)).hasSize(1);
    }

    @Test
    void theClockFollowsTheWallClockAtEachExport() {
        Tracer tracer = tracer(0, 2);
        millis = 5000;
        drain(tracer);
        assertThat(requireNonNull(tracer.call("POST /publish", SAMPLED)).startNanos())
                .isEqualTo(5_000_000_000L);
    }
}
