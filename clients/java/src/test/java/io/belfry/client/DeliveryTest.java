package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Listeners on an executor that is run by hand. */
class DeliveryTest {
    private final Queue<Runnable> executor = new ArrayDeque<>();
    private final List<String> heard = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Boolean> full = new ArrayList<>();
    private final Delivery delivery = new Delivery(executor::add, 4, failures::add, full::add);

    private void deliver(int count) {
        for (int i = 0; i < count; i++) {
            int number = i;
            delivery.run(() -> heard.add(Integer.toString(number)));
        }
    }

    @Test
    void callsComeInOrderAndOneAtATime() {
        deliver(3);
        assertThat(executor).hasSize(1);
        executor.remove().run();
        assertThat(heard).containsExactly("0", "1", "2");
        deliver(1);
        assertThat(executor).hasSize(1);
    }

    @Test
    void readingPausesAboveTheBoundUntilHalfIsDelivered() {
        deliver(6);
        assertThat(full).containsExactly(true);
        executor.remove().run();
        assertThat(full).containsExactly(true, false);
    }

    @Test
    void anExceptionIsReportedAndTheNextCallIsMade() {
        IllegalStateException thrown = new IllegalStateException("mine");
        delivery.run(() -> {
            throw thrown;
        });
        deliver(1);
        executor.remove().run();
        assertThat(failures).containsExactly(thrown);
        assertThat(heard).containsExactly("0");
    }
}
