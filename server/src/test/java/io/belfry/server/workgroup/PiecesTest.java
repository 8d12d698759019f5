package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PiecesTest {
    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final Queue<Runnable> turns = new ArrayDeque<>();
    private final List<Integer> done = new ArrayList<>();
    private long nowNanos;
    private final Pieces pieces = new Pieces(loop::add, turns::add, () -> nowNanos);

    private void add(int number) {
        pieces.add(() -> {
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
    void aTaskThatFailsTakesNoOthersWithIt() {
        pieces.add(() -> {
            throw new IllegalStateException("a fault");
        });
        add(1);
        assertThatThrownBy(() -> loop.remove().run()).hasMessage("a fault");
        turns.remove().run();
        assertThat(done).containsExactly(1);
        assertThat(turns).isEmpty();
    }
}
