package io.belfry.benchkit.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClockSyncTest {
    private static final long NOW = 1_795_170_000_000_000_000L;
    private static final long SECOND = 1_000_000_000L;

    private final ClockSync sync = new ClockSync(7);

    @Test
    void theOffsetIsUnknownBeforeAnExchange() {
        assertThat(sync.at(NOW).isKnown()).isFalse();
        assertThat(sync.at(NOW).machine()).isEqualTo(7);
    }

    @Test
    void theTrueOffsetIsWithinTheUncertaintyForAsymmetricDelays() {
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
    void theFastestExchangeCountsUntilItIsTooOld() {
        sync.exchanged(NOW, NOW / 1000, NOW + 2_000);
        sync.exchanged(NOW + SECOND, (NOW + SECOND) / 1000, NOW + SECOND + 200_000);
        assertThat(sync.at(NOW + SECOND).uncertaintyMicros()).isLessThan(110);
        assertThat(sync.at(NOW + 1000 * SECOND).uncertaintyMicros()).isGreaterThan(90_000);
    }

    @Test
    void onlyPublishersOnOtherMachinesAreCorrectedOnRequest() {
        ClockOffset own = new ClockOffset(1_000, 10, 7);
        assertThat(correction(true, own, new ClockOffset(400, 20, 8))).isEqualTo(600_000);
        assertThat(correction(false, own, new ClockOffset(400, 20, 8))).isZero();
        assertThat(correction(true, own, new ClockOffset(400, 20, 7))).isZero();
        assertThat(correction(true, own, ClockOffset.unknown(8))).isZero();
        assertThat(correction(true, ClockOffset.unknown(7), new ClockOffset(400, 20, 8)))
                .isZero();
    }

    @Test
    void theComparisonAddsBothUncertainties() {
        Publishers publishers = new Publishers(false);
        publishers.own(new ClockOffset(1_000, 10, 7));
        publishers.of(stamp(1, new ClockOffset(400, 20, 8)));
        publishers.of(stamp(2, new ClockOffset(400, 15, 8)));
        assertThat(ClockComparison.byMachine(publishers.comparisons().stream()))
                .containsExactly(new ClockComparison(8, true, false, 600, 25, 2));
    }

    @Test
    void publishersAreNumberedInTheOrderOfTheirFirstMessage() {
        Publishers publishers = new Publishers(false);
        for (int id : new int[] {70, 30, 70, 50, 30}) {
            publishers.of(stamp(id, ClockOffset.UNKNOWN));
        }
        assertThat(IntStream.range(0, 3).map(index -> publishers.at(index).id()))
                .containsExactly(70, 30, 50);
        assertThat(publishers.of(stamp(30, ClockOffset.UNKNOWN)).index()).isEqualTo(1);
    }

    private static long correction(boolean asked, ClockOffset own, ClockOffset publisher) {
        Publishers publishers = new Publishers(asked);
        publishers.own(own);
        return publishers.of(stamp(1, publisher)).correctionNanos();
    }

    private static byte[] stamp(int publisher, ClockOffset clock) {
        byte[] stamp = new byte[Stamp.BYTES];
        Stamp.write(stamp, 1, publisher, 1);
        Stamp.writeClock(stamp, clock);
        return stamp;
    }
}
