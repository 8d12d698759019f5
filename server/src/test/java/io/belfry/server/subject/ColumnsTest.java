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
}
