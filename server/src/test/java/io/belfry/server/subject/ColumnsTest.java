package io.belfry.server.subject;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ColumnsTest {
    @Test
    void aValueThatWasNeverSetIsZero() {
        assertThat(new IntColumn().at(1_000_000)).isZero();
        assertThat(new LongColumn().at(1_000_000)).isZero();
    }

    @Test
    void settingZeroAllocatesNoPageAndClearsAValue() {
        IntColumn ints = new IntColumn();
        ints.set(5, 0);
        ints.set(70_000, 0);
        ints.set(70_000, 1);
        ints.set(70_000, 0);
        assertThat(ints.at(70_000)).isZero();
        assertThat(new IntColumn().at(70_000)).as("the page of zeros is shared").isZero();
    }

    @Test
    void anIntColumnAgreesWithAMap() {
        IntColumn column = new IntColumn();
        Map<Integer, Integer> model = new HashMap<>();
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            int id = random.nextInt(200_000);
            int value = random.nextInt(3) - 1;
            column.set(id, value);
            model.put(id, value);
        }
        for (int id = 0; id < 200_000; id++) {
            assertThat(column.at(id)).isEqualTo(model.getOrDefault(id, 0));
        }
    }

    @Test
    void aLongColumnAgreesWithAMap() {
        LongColumn column = new LongColumn();
        Map<Integer, Long> model = new HashMap<>();
        Random random = new Random(2);
        for (int i = 0; i < 100_000; i++) {
            int id = random.nextInt(200_000);
            long value = random.nextInt(3) == 0 ? 0 : random.nextLong();
            column.set(id, value);
            model.put(id, value);
        }
        for (int id = 0; id < 200_000; id++) {
            assertThat(column.at(id)).isEqualTo(model.getOrDefault(id, 0L));
        }
    }

    @Test
    void aPageWithoutValuesIsGivenBack() {
        IntColumn ints = new IntColumn();
        LongColumn longs = new LongColumn();
        for (int id = 0; id < 100_000; id++) {
            ints.set(id, -1);
            longs.set(id, -1);
        }
        long intBytes = ints.bytes();
        long longBytes = longs.bytes();
        for (int id = 0; id < 100_000; id++) {
            ints.set(id, 0);
            longs.set(id, 0);
        }
        assertThat(ints.bytes()).as("one page is kept for the next value").isLessThan(intBytes / 20);
        assertThat(longs.bytes()).isLessThan(longBytes / 20);
        ints.set(70_000, 7);
        assertThat(ints.at(70_000)).isEqualTo(7);
        assertThat(ints.at(70_001)).isZero();
    }

    @Test
    void setsOfLanesAgreeWithAMap() {
        for (int lanes : new int[] {1, 8, 9, 16, 17, 32, 33, 64}) {
            LaneSets sets = new LaneSets(lanes);
            Map<Integer, Long> model = new HashMap<>();
            Random random = new Random(lanes);
            for (int i = 0; i < 20_000; i++) {
                int id = random.nextInt(4) == 0 ? random.nextInt(30_000) : 5000 + random.nextInt(50);
                int lane = random.nextInt(lanes);
                boolean member = random.nextBoolean();
                sets.set(id, lane, member);
                long before = model.getOrDefault(id, 0L);
                model.put(id, member ? before | 1L << lane : before & ~(1L << lane));
            }
            model.forEach((id, set) -> assertThat(sets.at(id)).isEqualTo(set));
            assertThat(sets.at(1_000_000)).isZero();
        }
    }
}
