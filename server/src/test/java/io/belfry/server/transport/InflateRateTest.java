package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InflateRateTest {
    private static final long START = 77;
    private static final long SECOND = 1_000_000_000L;

    private final InflateRate rate = new InflateRate(1000, START);

    @Test
    void theBurstIsATenthOfASecond() {
        assertThat(rate.charge(60, START)).isZero();
        assertThat(rate.charge(40, START)).isZero();
        assertThat(rate.charge(10, START)).isEqualTo(SECOND / 100);
    }

    @Test
    void bytesOverTheRateWait() {
        assertThat(rate.charge(600, START)).isEqualTo(SECOND / 2);
        assertThat(rate.charge(100, START + SECOND / 2)).isEqualTo(SECOND / 10);
    }

    @Test
    void aLongPauseAllowsNoMoreThanTheBurst() {
        long later = START + 3600 * SECOND;
        assertThat(rate.charge(100, later)).isZero();
        assertThat(rate.charge(1000, later)).isEqualTo(SECOND);
    }

    @Test
    void bytesWithinTheRateDoNotWait() {
        for (int i = 1; i <= 1000; i++) {
            assertThat(rate.charge(10, START + i * SECOND / 100)).isZero();
        }
    }
}
