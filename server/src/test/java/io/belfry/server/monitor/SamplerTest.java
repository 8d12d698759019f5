package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SamplerTest {
    private static final List<WorkgroupLoops> TWO_GROUPS =
            List.of(new WorkgroupLoops("0", List.of(0, 1)), new WorkgroupLoops("1", List.of(2)));

    private final Counters counters = new Counters(3);
    private long nowNanos = 1_000;
    private final Sampler sampler = new Sampler(counters, TWO_GROUPS, () -> nowNanos);

    @Test
    void ratesAreIncreasesDividedByTheElapsedTime() {
        counters.loop(0).add(Counter.PUBLISHES_IN, 300);
        counters.loop(2).add(Counter.PUBLISHES_IN, 100);
        counters.loop(1).add(Counter.BYTES_OUT, 5_000);

        Rates rates = sampleAfterMillis(2_000).rates();

        assertThat(rates.publishesIn()).isEqualTo(200.0);
        assertThat(rates.bytesOut()).isEqualTo(2_500.0);
        assertThat(sampleAfterMillis(1_000).rates().publishesIn()).isZero();
    }

    @Test
    void aWorkgroupIsTheSumOfItsLoops() {
        counters.loop(0).add(Counter.SESSIONS_OPENED, 5);
        counters.loop(1).add(Counter.SESSIONS_OPENED, 3);
        counters.loop(1).add(Counter.SESSIONS_CLOSED, 1);
        counters.loop(2).add(Counter.SESSIONS_OPENED, 11);

        Snapshot snapshot = sampleAfterMillis(1_000);

        assertThat(snapshot.tally().connectedSessions()).isEqualTo(18);
        assertThat(snapshot.workgroups())
                .extracting(WorkgroupFigures::name, group -> group.tally().connectedSessions())
                .containsExactly(tuple("0", 7L), tuple("1", 11L));
        assertThat(snapshot.workgroups().getFirst().rates().sessionsOpened()).isEqualTo(8.0);
    }

    @Test
    void countsBeforeTheStartDoNotAffectRates() {
        counters.loop(0).add(Counter.MESSAGES_OUT, 1_000_000);
        Sampler late = new Sampler(counters, TWO_GROUPS, () -> nowNanos);
        nowNanos += TimeUnit.SECONDS.toNanos(1);

        assertThat(late.sample().rates().messagesOut()).isZero();
        assertThat(late.latest().tally().value(Counter.MESSAGES_OUT)).isEqualTo(1_000_000);
    }

    @Test
    void anUnmovedClockYieldsNoNewSnapshot() {
        Snapshot before = sampler.latest();

        assertThat(sampler.sample()).isSameAs(before);
    }

    @Test
    void latenciesOfAllLoopsAreMerged() {
        counters.loop(0).deliveryLatency().record(100, 98);
        counters.loop(2).deliveryLatency().record(9_000, 2);

        Snapshot snapshot = sampleAfterMillis(1_000);

        assertThat(snapshot.latency().count()).isEqualTo(100);
        assertThat(snapshot.latency().p50Micros()).isEqualTo(100);
        assertThat(snapshot.latency().p99Micros()).isBetween(9_000L, 9_010L);
        assertThat(snapshot.latency().maxMicros()).isBetween(9_000L, 9_010L);
        assertThat(snapshot.latencyBuckets().count()).isEqualTo(100);
        assertThat(snapshot.latencyBuckets().sumMicros()).isBetween(27_700.0, 27_900.0);
        assertThat(atMost(snapshot, 100)).isEqualTo(98);
        assertThat(atMost(snapshot, 5_000)).isEqualTo(98);
        assertThat(atMost(snapshot, 10_000)).isEqualTo(100);
    }

    @Test
    void aSpikeIsRecentForAMinuteAndKeptInTheTotal() {
        counters.loop(0).deliveryLatency().record(7_000, 1);
        sampleAfterMillis(1_000);
        for (int second = 0; second < 48; second++) {
            assertThat(sampleAfterMillis(1_000).latency().count()).isEqualTo(1);
        }
        for (int second = 0; second < 12; second++) {
            sampleAfterMillis(1_000);
        }

        assertThat(sampler.latest().latency().count()).isZero();
        assertThat(sampler.latest().latency().maxMicros()).isZero();
        assertThat(sampler.latest().latencySinceStart().maxMicros()).isBetween(7_000L, 7_010L);
    }

    @Test
    void aLongSuspensionClearsRecentLatencies() {
        counters.loop(0).deliveryLatency().record(7_000, 1);
        sampleAfterMillis(1_000);

        assertThat(sampleAfterMillis(3_600_000).latency().count()).isZero();
        counters.loop(0).deliveryLatency().record(5, 1);
        assertThat(sampleAfterMillis(1_000).latency().count()).isEqualTo(1);
    }

    @Test
    void loopLagIsPerWorkgroupAndTheServerShowsTheMaximum() {
        counters.loop(1).loopLag().record(500, 10);
        counters.loop(2).loopLag().record(40_000, 1);

        Snapshot snapshot = sampleAfterMillis(1_000);

        assertThat(snapshot.workgroups().getFirst().lag().maxMicros()).isBetween(500L, 505L);
        assertThat(snapshot.workgroups().getLast().lag().p50Micros()).isBetween(40_000L, 40_400L);
        assertThat(snapshot.loopLagMaxMicros()).isBetween(40_000L, 40_400L);
    }

    @Test
    void refusalsAndClosesAreCountedByCode() {
        counters.loop(0).refused(Code.PUBLISH_DENIED);
        counters.loop(2).refused(Code.PUBLISH_DENIED);
        counters.loop(1).closed(Code.SLOW_CONSUMER);

        Snapshot snapshot = sampleAfterMillis(1_000);

        assertThat(snapshot.counts().refusals()).isEqualTo(Map.of(Code.PUBLISH_DENIED, 2L));
        assertThat(snapshot.counts().closes()).containsEntry(Code.SLOW_CONSUMER, 1L);
    }

    @Test
    void droppedAndConflatedMessagesAreCountedByCodeAndInTotal() {
        counters.loop(0).dropped(Code.SLOW_CONSUMER, 3);
        counters.loop(1).dropped(Code.HISTORY_GONE, 5);
        counters.loop(2).conflated(Code.SLOW_CONSUMER, 7);

        Snapshot snapshot = sampleAfterMillis(1_000);

        assertThat(snapshot.counts().drops()).isEqualTo(Map.of(Code.SLOW_CONSUMER, 3L, Code.HISTORY_GONE, 5L));
        assertThat(snapshot.counts().conflations()).containsEntry(Code.SLOW_CONSUMER, 7L);
        assertThat(snapshot.tally().value(Counter.MESSAGES_DROPPED)).isEqualTo(8);
        assertThat(snapshot.tally().value(Counter.MESSAGES_CONFLATED)).isEqualTo(7);
    }

    private Snapshot sampleAfterMillis(long millis) {
        nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
        return sampler.sample();
    }

    private static long atMost(Snapshot snapshot, long micros) {
        return snapshot.latencyBuckets().atMost().get(LatencyBuckets.BOUNDS_MICROS.indexOf(micros));
    }
}
