package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.server.turn.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TimeSlicedQueueTest {
    private static final int SPINS = 500;

    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final Queue<Runnable> turns = new ArrayDeque<>();
    private final List<Integer> done = new ArrayList<>();
    private long nowNanos;
    private final TimeSlicedQueue pieces = new TimeSlicedQueue(loop::add, turns::add, () -> nowNanos);

    private void add(int number) {
        pieces.run(() -> {
            nowNanos += Turn.SLICE_NANOS / 10;
            done.add(number);
        });
    }

    @Test
    void manyTasksRunInOrderOverSeveralTurns() {
        IntStream.range(0, 35).forEach(this::add);
        assertThat(loop).as("the loop is woken once").hasSize(1);
        loop.remove().run();
        assertThat(done).hasSize(10);
        add(35);
        int turnsTaken = 0;
        for (; !turns.isEmpty(); turnsTaken++) {
            turns.remove().run();
        }
        assertThat(turnsTaken).isEqualTo(3);
        assertThat(loop).isEmpty();
        assertThat(done)
                .containsExactlyElementsOf(IntStream.range(0, 36).boxed().toList());
    }

    @Test
    void aTaskForAnEmptyQueueWakesTheLoop() {
        add(0);
        loop.remove().run();
        assertThat(turns).isEmpty();
        add(1);
        loop.remove().run();
        assertThat(done).containsExactly(0, 1);
    }

    @Test
    void aLeftTaskWaitsForTheNextWakeUpUnlessItIsUrgent() {
        pieces.leave(() -> done.add(0), () -> false);
        pieces.leave(() -> done.add(1), () -> false);
        assertThat(loop).isEmpty();
        pieces.run(() -> done.add(2));
        loop.remove().run();
        assertThat(done).containsExactly(0, 1, 2);
        pieces.leave(() -> done.add(3), () -> true);
        loop.remove().run();
        assertThat(done).containsExactly(0, 1, 2, 3);
    }

    /** Like an answer of Kafka whose record is read back at the same moment. */
    @Test
    void aTaskLeftWhileItBecomesUrgentIsRun() throws InterruptedException {
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            TimeSlicedQueue shared = new TimeSlicedQueue(thread::execute, thread::execute, System::nanoTime);
            for (int round = 0; round < 50_000; round++) {
                AtomicBoolean come = new AtomicBoolean();
                CountDownLatch ran = new CountDownLatch(1);
                shared.run(() -> come.set(true));
                // Over the rounds, the task is left just before, while and just after the loop finds its queue empty.
                for (int spin = round % SPINS; spin > 0; spin--) {
                    Thread.onSpinWait();
                }
                shared.leave(ran::countDown, come::get);
                assertThat(ran.await(10, TimeUnit.SECONDS))
                        .as("round %s", round)
                        .isTrue();
            }
        }
    }

    @Test
    void aFailedTaskDoesNotStopTheOthers() {
        pieces.run(() -> {
            throw new IllegalStateException("a fault");
        });
        add(1);
        assertThatThrownBy(() -> loop.remove().run()).hasMessage("a fault");
        turns.remove().run();
        assertThat(done).containsExactly(1);
        assertThat(turns).isEmpty();
    }
}
