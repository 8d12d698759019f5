package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AttackRateTest {
    @Test
    void anAttackWhoseTimeIsOverDoesOneStep() {
        AttackRate rate = new AttackRate(1000, System.nanoTime() - 1);
        assertThat(rate.next()).isTrue();
        assertThat(rate.next()).isFalse();
        assertThat(rate.count()).isEqualTo(1);
    }

    @Test
    void stepsFollowTheRate() {
        long begunNanos = System.nanoTime();
        AttackRate rate = new AttackRate(100, begunNanos + TimeUnit.SECONDS.toNanos(60));
        for (int step = 0; step < 5; step++) {
            assertThat(rate.next()).isTrue();
        }
        assertThat(System.nanoTime() - begunNanos).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(39));
    }
}
