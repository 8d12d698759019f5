package io.belfry.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateBucketTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long START = 5 * SECOND;

    private static int taken(RateBucket bucket, long now) {
        int taken = 0;
        while (bucket.take(now)) {
            taken++;
        }
        return taken;
    }

    @Test
    void aBurstIsTheRateOfOneSecond() {
        assertThat(taken(new RateBucket(10, START), START)).isEqualTo(10);
        assertThat(taken(new RateBucket(1, START), START)).isEqualTo(1);
    }

    @Test
    void unusedTokensAccumulateUpToOneBurst() {
        RateBucket bucket = new RateBucket(10, START);
        assertThat(taken(bucket, START + 60 * SECOND)).isEqualTo(10);
    }

    @Test
    void theBucketRefillsEvenly() {
        RateBucket bucket = new RateBucket(10, START);
        taken(bucket, START);
        assertThat(bucket.waitMillis(START)).isBetween(1L, 100L);
        assertThat(taken(bucket, START + SECOND / 10)).isEqualTo(1);
        assertThat(taken(bucket, START + SECOND / 2)).isEqualTo(4);
    }

    @Test
    void theRateHoldsOverAnyPeriod() {
        RateBucket bucket = new RateBucket(1000, START);
        int taken = 0;
        for (long now = START; now < START + 10 * SECOND; now += SECOND / 777) {
            taken += taken(bucket, now);
        }
        assertThat(taken).isBetween(10_900, 11_000);
    }

    @Test
    void anIdleSessionKeepsNoBuckets() {
        Extras extras = new Extras();
        extras.commandRate(10, START).take(START);
        extras.publishRate(10, START).take(START);
        extras.dropIdle(START);
        assertThat(extras.isEmpty()).as("a token of the burst is missing").isFalse();
        extras.dropIdle(START + SECOND / 10);
        assertThat(extras.isEmpty()).isTrue();
    }

    @Test
    void aUsedBucketStaysUntilItIsFull() {
        RateBucket bucket = new RateBucket(10, START);
        taken(bucket, START);
        assertThat(bucket.isFull(START + SECOND - 1)).isFalse();
        assertThat(bucket.isFull(START + SECOND)).isTrue();
    }
}
