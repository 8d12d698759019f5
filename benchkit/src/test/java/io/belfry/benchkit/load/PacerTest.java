package io.belfry.benchkit.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacerTest {
    private static final long MS = 1_000_000;

    @Test
    void intendedTimesDoNotDependOnTheTimeOfSending() {
        Pacer pacer = new Pacer(100, 1, MS);
        pacer.start(5 * MS);
        assertThat(next(pacer, 3)).containsExactly(15 * MS, 25 * MS, 35 * MS);
    }

    @Test
    void messagesOfOneTickHaveTheSameTime() {
        Pacer pacer = new Pacer(4000, 1, MS);
        pacer.start(0);
        assertThat(next(pacer, 9)).containsExactly(MS, MS, MS, MS, 2 * MS, 2 * MS, 2 * MS, 2 * MS, 3 * MS);
    }

    @Test
    void aBurstHasOneTimeAndTheFrequencyStays() {
        Pacer pacer = new Pacer(100, 50, MS);
        pacer.start(0);
        List<Long> times = next(pacer, 101);
        assertThat(times.subList(0, 50)).containsOnly(500 * MS);
        assertThat(times.subList(50, 100)).containsOnly(1000 * MS);
        assertThat(times.get(100)).isEqualTo(1500 * MS);
    }

    @Test
    void roundingErrorsDoNotAccumulate() {
        Pacer pacer = new Pacer(3, 1, 1);
        pacer.start(0);
        for (int i = 0; i < 3 * 3600; i++) {
            pacer.advance();
        }
        assertThat(pacer.intendedNanos()).isBetween(3600_333_333_333L, 3600_333_333_335L);
    }

    @Test
    void aRoundedTimeIsNeverBeforeTheExactTime() {
        Pacer pacer = new Pacer(700, 1, MS);
        pacer.start(0);
        List<Long> times = next(pacer, 7000);
        for (int i = 0; i < times.size(); i++) {
            double exact = (i + 1) * 1e9 / 700;
            assertThat((double) times.get(i)).isBetween(exact - 1, exact + MS);
        }
    }

    private static List<Long> next(Pacer pacer, int count) {
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            times.add(pacer.intendedNanos());
            pacer.advance();
        }
        return times;
    }
}
