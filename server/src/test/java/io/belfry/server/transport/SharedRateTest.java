package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SharedRateTest {
    private static final long SECOND = 1_000_000_000;
    private static final long MILLI = 1_000_000;

    @Test
    void onePeriodIsAvailableAtOnceAndTheNextAfterTheWait() {
        SharedRate rate = new SharedRate(SECOND, 0);
        for (int i = 0; i < 10; i++) {
            assertThat(rate.take(10, 0)).isZero();
        }
        assertThat(rate.waitMillis(10, 0)).isEqualTo(100);
        assertThat(rate.take(10, 0)).isEqualTo(100);
        assertThat(rate.take(10, 99 * MILLI)).isEqualTo(1);
        assertThat(rate.take(10, 100 * MILLI)).isZero();
        assertThat(rate.take(10, 100 * MILLI)).isEqualTo(100);
    }

    @Test
    void aLongPauseAccumulatesNoMoreThanOnePeriod() {
        SharedRate rate = new SharedRate(SECOND, -SECOND);
        long taken = IntStream.range(0, 1000)
                .filter(i -> rate.take(10, 3600 * SECOND) == 0)
                .count();
        assertThat(taken).isEqualTo(10);
    }

    @Test
    void theRateIsFullAgainAPeriodAfterTheLastUse() {
        SharedRate rate = new SharedRate(SECOND, 0);
        assertThat(rate.isFull(0)).isTrue();
        rate.take(2, 0);
        assertThat(rate.isFull(0)).isFalse();
        assertThat(rate.isFull(SECOND)).isTrue();
    }

    @Test
    void aChangedRateAppliesFromTheNextUse() {
        SharedRate rate = new SharedRate(SECOND, 0);
        assertThat(rate.take(1, 0)).isZero();
        assertThat(rate.take(1, 0)).isPositive();
        assertThat(rate.take(1000, MILLI)).isZero();
    }

    @Test
    void severalThreadsTogetherStayWithinTheRate() throws Exception {
        SharedRate rate = new SharedRate(SECOND, 0);
        AtomicInteger taken = new AtomicInteger();
        Runnable taking = () -> {
            for (int i = 0; i < 10_000; i++) {
                if (rate.take(10_000, 0) == 0) {
                    taken.incrementAndGet();
                }
            }
        };
        Thread[] threads = {new Thread(taking), new Thread(taking), new Thread(taking)};
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(taken).hasValue(10_000);
    }
}
