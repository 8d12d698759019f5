package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.SilenceWatch.Verdict;
import org.junit.jupiter.api.Test;

class SilenceWatchTest {
    /** Clocks may start anywhere. */
    private static final long START = Long.MAX_VALUE - 100;

    private static final long PING = 25_000_000_000L;
    private static final long TICK = 250_000_000;
    private static final long HOUR = 3_600_000_000_000L;

    private final SilenceWatch watch = new SilenceWatch();
    private long now = START;

    private Verdict look(long afterNanos, long lastRead) {
        now += afterNanos;
        return watch.look(now, lastRead, PING);
    }

    /** Looks regularly until the verdict is not FINE. */
    private Verdict lookOn(long lastRead) {
        Verdict verdict = look(TICK, lastRead);
        while (verdict == Verdict.FINE) {
            verdict = look(TICK, lastRead);
        }
        return verdict;
    }

    @Test
    void aSilentServerIsPingedOnceAndThenConsideredDead() {
        watch.restart(now);
        assertThat(lookOn(START)).isEqualTo(Verdict.PING);
        assertThat(now - START).isBetween(PING, PING + 2 * TICK);
        assertThat(lookOn(START)).isEqualTo(Verdict.SILENT);
        assertThat(now - START).isBetween(2 * PING, 2 * PING + 2 * TICK);
    }

    @Test
    void eachReadEndsTheSilence() {
        watch.restart(now);
        assertThat(lookOn(START)).isEqualTo(Verdict.PING);
        long answered = now + 1;
        assertThat(lookOn(answered)).isEqualTo(Verdict.PING);
        assertThat(now - answered).isGreaterThan(PING);
    }

    @Test
    void afterASleepTheServerIsAskedBeforeItIsJudged() {
        watch.restart(now);
        assertThat(look(HOUR, START)).isEqualTo(Verdict.PING);
        long woke = now;
        assertThat(look(TICK, START)).isEqualTo(Verdict.FINE);
        assertThat(look(TICK, woke + 1)).isEqualTo(Verdict.FINE);
        assertThat(look(SilenceWatch.PROBE_NANOS, woke + 1)).isEqualTo(Verdict.FINE);
    }

    @Test
    void aServerThatDoesNotAnswerAfterASleepIsDead() {
        watch.restart(now);
        assertThat(look(HOUR, START)).isEqualTo(Verdict.PING);
        assertThat(look(SilenceWatch.PROBE_NANOS, START)).isEqualTo(Verdict.FINE);
        assertThat(look(TICK, START)).isEqualTo(Verdict.SILENT);
    }

    @Test
    void aSleepOfMoreThanAMinuteIsFoundWithALongInterval() {
        watch.restart(now);
        long halfAnHour = HOUR / 2;
        now += 59_000_000_000L;
        assertThat(watch.look(now, START, halfAnHour)).isEqualTo(Verdict.FINE);
        now += 61_000_000_000L;
        assertThat(watch.look(now, START, halfAnHour)).isEqualTo(Verdict.PING);
        now += SilenceWatch.PROBE_NANOS + 1;
        assertThat(watch.look(now, START, halfAnHour)).isEqualTo(Verdict.SILENT);
    }

    @Test
    void aRequestedCheckHasTheShortTimeForItsAnswer() {
        watch.restart(now);
        assertThat(look(TICK, START)).isEqualTo(Verdict.FINE);
        watch.probe(now);
        assertThat(look(SilenceWatch.PROBE_NANOS, START)).isEqualTo(Verdict.FINE);
        assertThat(look(TICK, START)).isEqualTo(Verdict.SILENT);
    }
}
