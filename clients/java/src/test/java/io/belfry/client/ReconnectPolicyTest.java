package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Pauses between attempts, computed without waiting. */
class ReconnectPolicyTest {
    private static final ReconnectPolicy POLICY = ReconnectPolicy.DEFAULT;

    /** Always draws the highest value. */
    private static final RandomGenerator HIGHEST = new RandomGenerator() {
        @Override
        public long nextLong() {
            return -1;
        }
    };

    @Test
    void theBoundDoublesAfterTheQuickAttempts() {
        assertThat(LongStream.range(0, 11).map(attempt -> POLICY.pauseMillis((int) attempt, HIGHEST)))
                .containsExactly(500L, 500L, 500L, 1000L, 2000L, 4000L, 8000L, 16_000L, 30_000L, 30_000L, 30_000L);
        assertThat(POLICY.pauseMillis(Integer.MAX_VALUE, HIGHEST)).isEqualTo(30_000);
    }

    @Test
    void pausesAreDrawnFromTheWholeRange() {
        RandomGenerator random = new SplittableRandom(1);
        double[] drawn = LongStream.range(0, 10_000)
                .mapToDouble(i -> POLICY.pauseMillis(5, random))
                .toArray();
        assertThat(Arrays.stream(drawn).boxed()).allMatch(pause -> pause >= 0 && pause <= 4000);
        assertThat(LongStream.range(0, 8)
                        .map(eighth -> Arrays.stream(drawn)
                                .filter(pause -> (long) pause / 501 == eighth)
                                .count()))
                .allMatch(count -> count > 1000);
    }

    @Test
    void aLongestPauseBelowTheFirstIsRejected() {
        assertThatThrownBy(() -> new ReconnectPolicy(
                        3, Duration.ZERO, Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO))
                .hasMessageContaining("must not be shorter");
    }
}
