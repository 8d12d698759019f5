package io.belfry.benchkit.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ClockSyncTest {
    private static final long NOW = 1_795_170_000_000_000_000L;
    private static final long SECOND = 1_000_000_000L;

    private final ClockSync sync = new ClockSync(7);

    @Test
    void nothingIsKnownBeforeAnExchange() {
        assertThat(sync.at(NOW).isKnown()).isFalse();
        assertThat(sync.at(NOW).machine()).isEqualTo(7);
    }

    @Test
    void theTrueOffsetLiesWithinTheUncertaintyHoweverLopsidedTheWays() {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 200; round++) {
            ClockSync one = new ClockSync(7);
            long offsetNanos = random.nextLong(-SECOND * 3600, SECOND * 3600);
            long now = NOW;
            for (int i = 0; i < 50; i++) {
                long there = random.nextLong(10_000, 5_000_000);
                long back = random.nextLong(10_000, 5_000_000);
                one.exchanged(now, (now + there + offsetNanos) / 1000, now + there + back);
                now += there + back + 1_000_000;
            }
            ClockOffset offset = one.at(now);
            assertThat(Math.abs(offset.micros() - offsetNanos / 1000)).isLessThanOrEqualTo(offset.uncertaintyMicros());
            assertThat(offset.uncertaintyMicros()).isLessThan(3_000);
        }
    }

    @Test
    void theQuickestExchangeCountsUntilItIsOld() {
        sync.exchanged(NOW, NOW / 1000, NOW + 2_000);
        sync.exchanged(NOW + SECOND, (NOW + SECOND) / 1000, NOW + SECOND + 200_000);
        assertThat(sync.at(NOW + SECOND).uncertaintyMicros()).isLessThan(110);
        assertThat(sync.at(NOW + 1000 * SECOND).uncertaintyMicros()).isGreaterThan(90_000);
    }

    @Test
    void aPublisherIsCorrectedOnlyWhenAskedAndOnlyOnAnotherMachine() {
        ClockOffset own = new ClockOffset(1_000, 10, 7);
        assertThat(correction(true, own, new ClockOffset(400, 20, 8))).isEqualTo(600_000);
        assertThat(correction(false, own, new ClockOffset(400, 20, 8))).isZero();
        assertThat(correction(true, own, new ClockOffset(400, 20, 7))).isZero();
        assertThat(correction(true, own, ClockOffset.unknown(8))).isZero();
        assertThat(correction(true, ClockOffset.unknown(7), new ClockOffset(400, 20, 8)))
                .isZero();
    }

    @Test
    void theComparisonAddsBothUncertaintiesUp() {
        PublisherClocks clocks = new PublisherClocks(false);
        clocks.own(new ClockOffset(1_000, 10, 7));
        clocks.correctionNanos(0, stamp(new ClockOffset(400, 20, 8)));
        clocks.correctionNanos(1, stamp(new ClockOffset(400, 15, 8)));
        ClockComparison comparison = new ClockComparison();
        clocks.compare(comparison);
        assertThat(comparison.entries()).containsExactly(new ClockComparison.Entry(8, true, false, 600, 25, 2));
    }

    private static long correction(boolean asked, ClockOffset own, ClockOffset publisher) {
        PublisherClocks clocks = new PublisherClocks(asked);
        clocks.own(own);
        return clocks.correctionNanos(0, stamp(publisher));
    }

    private static byte[] stamp(ClockOffset clock) {
        byte[] stamp = "0".repeat(Stamp.BYTES).getBytes(StandardCharsets.US_ASCII);
        Stamp.writeClock(stamp, clock);
        return stamp;
    }
}
