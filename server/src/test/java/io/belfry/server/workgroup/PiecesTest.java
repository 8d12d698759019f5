package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

class PiecesTest {
    private static final int SPINS = 500;

    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final Queue<Runnable> turns = new ArrayDeque<>();
    private final List<Integer> done = new ArrayList<>();
    private long nowNanos;
    private final Pieces pieces = new Pieces(loop::add, turns::add, () -> nowNanos);

    private void add(int number) {
        pieces.run(() -> {
            nowNanos += Pieces.PIECE_NANOS / 10;
            done.add(number);
        });
    }

    @Test
    void muchAtOnceIsTakenOverSeveralTurnsAndInOrder() {
        IntStream.range(0, 35).forEach(this::add);
        assertThat(loop).as("the loop is told once").hasSize(1);
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
    void whatComesWhenNothingIsLeftIsTold() {
        add(0);
        loop.remove().run();
        assertThat(turns).isEmpty();
        add(1);
        loop.remove().run();
        assertThat(done).containsExactly(0, 1);
    }

    @Test
    void whatIsLeftWaitsForTheNextThatWakesTheLoopUnlessItIsUrgent() {
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

    /** As with an answer of Kafka's whose record is read back at the same moment. */
    @Test
    void whatIsLeftWhileTheLoopComesToWhatMakesItUrgentIsNotLeftBehind() throws InterruptedException {
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Pieces shared = new Pieces(thread::execute, thread::execute, System::nanoTime);
            for (int round = 0; round < 50_000; round++) {
                AtomicBoolean come = new AtomicBoolean();
                CountDownLatch ran = new CountDownLatch(1);
                shared.run(() -> come.set(true));
                // It is left just before, while and just after the loop finds nothing more, in one round or another.
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
    void aTaskThatFailsTakesNoOthersWithIt() {
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
