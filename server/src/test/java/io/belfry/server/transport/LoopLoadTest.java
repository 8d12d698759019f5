package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the decisions with manual clocks. */
class LoopLoadTest {
    private long nowNanos;
    private long cpuNanos;
    private long pauseEndNanos;
    private final LoopLoad load = new LoopLoad(() -> cpuNanos, 0);

    @Test
    void joinsAfterASecondWithLittleWork() {
        assertThat(joinsAfter(900, 0)).isFalse();
        assertThat(joinsAfter(100, 390)).isTrue();
    }

    @Test
    void doesNotJoinLoopsThatAreBusyTogether() {
        assertThat(joinsAfter(1_000, 400)).isFalse();
        assertThat(joinsAfter(1_000, 390)).isTrue();
    }

    @Test
    void dividesAfterMillisecondsWithoutAPause() {
        join();
        pause(1_000);

        assertThat(turnsUntilDivided(500, 0)).isEqualTo(8);
    }

    @Test
    void doesNotDivideWhileTheThreadIsStoppedOften() {
        join();
        pause(1_000);

        for (int turn = 0; turn < 1_000; turn++) {
            // Stopped for half of the time, by the collector or for other threads.
            nowNanos += TimeUnit.MILLISECONDS.toNanos(5);
            assertThat(dividesAfterTurn(5_000, 0)).isFalse();
        }
    }

    @Test
    void dividesAfterHalfASecondWithFewPauses() {
        join();

        // 70 % busy, with a pause after each millisecond of work.
        assertThat(turnsUntilDivided(700, 300)).isEqualTo(500);
    }

    @Test
    void staysJoinedBelowTheLimit() {
        join();

        for (int turn = 0; turn < 10_000; turn++) {
            assertThat(dividesAfterTurn(590, 410)).isFalse();
        }
    }

    @Test
    void staysDividedForLongerAfterEachShortJoin() {
        join();
        assertThat(secondsUntilJoinedAfterDivision()).isEqualTo(2);
        assertThat(secondsUntilJoinedAfterDivision()).isEqualTo(4);
        assertThat(secondsUntilJoinedAfterDivision()).isEqualTo(8);
        assertThat(secondsUntilJoinedAfterDivision()).isEqualTo(16);
        assertThat(secondsUntilJoinedAfterDivision()).isEqualTo(16);

        nowNanos += TimeUnit.SECONDS.toNanos(2);

        assertThat(secondsUntilJoinedAfterDivision()).isEqualTo(1);
    }

    private void join() {
        assertThat(joinsAfter(1_000, 0)).isTrue();
        load.onJoined(nowNanos);
    }

    private int secondsUntilJoinedAfterDivision() {
        load.onDivided(nowNanos, cpuNanos);
        int seconds = 1;
        while (!joinsAfter(1_000, 0)) {
            seconds++;
        }
        load.onJoined(nowNanos);
        return seconds;
    }

    private boolean joinsAfter(long millis, long millisOfWork) {
        nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
        cpuNanos += TimeUnit.MILLISECONDS.toNanos(millisOfWork);
        return load.joins(nowNanos, cpuNanos);
    }

    private int turnsUntilDivided(long microsOfWork, long microsOfPause) {
        int turns = 1;
        while (!dividesAfterTurn(microsOfWork, microsOfPause)) {
            turns++;
        }
        return turns;
    }

    private boolean dividesAfterTurn(long microsOfWork, long microsOfPause) {
        if (microsOfPause > 0) {
            pause(microsOfPause);
        }
        nowNanos += TimeUnit.MICROSECONDS.toNanos(microsOfWork);
        cpuNanos += TimeUnit.MICROSECONDS.toNanos(microsOfWork);
        return load.divides(nowNanos, pauseEndNanos);
    }

    private void pause(long micros) {
        nowNanos += TimeUnit.MICROSECONDS.toNanos(micros);
        pauseEndNanos = nowNanos;
    }
}
