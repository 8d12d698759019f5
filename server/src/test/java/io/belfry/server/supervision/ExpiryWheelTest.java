package io.belfry.server.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExpiryWheelTest {
    private static final long START = 1_700_000_000_000L;

    private final ExpiryWheel wheel = new ExpiryWheel();

    private List<Integer> due(long now) {
        List<Integer> slots = new ArrayList<>();
        wheel.due(now, slots::add, () -> true);
        return slots;
    }

    @Test
    void eachSlotIsDueOnceAndNotBeforeItsTime() {
        wheel.set(3, START + 1000, START);
        wheel.set(7, START + 1000, START);
        wheel.set(5, START - 50_000, START);
        assertThat(due(START + 63)).containsExactly(5);
        assertThat(due(START + 999)).isEmpty();
        wheel.remove(7);
        assertThat(due(START + 1000)).containsExactly(3);
        assertThat(due(START + 9_000_000)).isEmpty();
        assertThat(wheel.size()).isZero();
    }

    @Test
    void aSlotSetAgainWhileItIsDueIsDueAgain() {
        wheel.set(1, START, START);
        wheel.set(2, START, START);
        List<Integer> seen = new ArrayList<>();
        wheel.due(
                START,
                slot -> {
                    seen.add(slot);
                    wheel.set(slot, START + 20, START);
                },
                () -> true);
        assertThat(seen).hasSizeBetween(1, 2);
        wheel.due(START + 20, seen::add, () -> true);
        wheel.due(START + 20, seen::add, () -> true);
        assertThat(seen).contains(1, 2);
        assertThat(wheel.size()).isZero();
    }

    @Test
    void anInterruptedPassContinuesWhereItStopped() {
        for (int slot = 0; slot < 1000; slot++) {
            wheel.set(slot, START + slot % 300, START);
        }
        List<Integer> seen = new ArrayList<>();
        int passes = 1;
        while (!wheel.due(START + 400, seen::add, () -> false)) {
            passes++;
        }
        assertThat(passes).isBetween(60, 70);
        assertThat(seen).hasSize(1000).doesNotHaveDuplicates();
        assertThat(wheel.size()).isZero();
    }

    /**
     * Compares with a map: distant times, moves, removals, pauses longer than one turn of the wheel, and a clock set
     * back.
     */
    @Test
    void randomSlotsAreDueAsInAMap() {
        Random random = new Random(5);
        Map<Integer, Long> model = new HashMap<>();
        long now = START;
        for (int round = 0; round < 20_000; round++) {
            int slot = random.nextInt(200);
            if (random.nextInt(4) == 0) {
                wheel.remove(slot);
                model.remove(slot);
            } else {
                long at = now + random.nextLong(random.nextBoolean() ? 2_000 : 5_000_000);
                wheel.set(slot, at, now);
                model.put(slot, at);
            }
            now += switch (random.nextInt(200)) {
                case 0 -> 3_000_000;
                case 1 -> -5_000;
                default -> random.nextInt(150);
            };
            long moment = now;
            List<Integer> expected = new ArrayList<>();
            for (int each = 0; each < 200; each++) {
                if (model.getOrDefault(each, Long.MAX_VALUE) <= moment) {
                    expected.add(each);
                }
            }
            List<Integer> due = due(now);
            expected.forEach(model::remove);
            if (!due.containsAll(expected) || due.size() != expected.size()) {
                throw new AssertionError("round " + round + ": " + due + " expected " + expected);
            }
            assertThat(wheel.size()).isEqualTo(model.size());
        }
    }
}
