package io.belfry.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.event.EventQueue.Item;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that the queue of a receiver keeps its bounds, and that each number is an event or within a loss. */
class EventQueueTest {
    private static final int ITEMS = 20;
    private static final long BYTES = 50_000;

    private static ApplicationEvent event(int dataBytes) {
        if (dataBytes == 0) {
            return ApplicationEvent.started(1);
        }
        return ApplicationEvent.ofMessage(
                1, "/a", null, new PublishedMessage(7, 1, new byte[dataBytes], Map.of(), false));
    }

    private static List<Item> take(EventQueue queue, int max) throws InterruptedException {
        List<Item> items = queue.take(max);
        return items == null ? List.of() : items;
    }

    @Test
    void anEventLargerThanTheBoundIsTakenByAnEmptyQueue() throws InterruptedException {
        EventQueue queue = new EventQueue(ITEMS, 1_000);
        assertThat(queue.add(event(5_000))).isTrue();
        assertThat(queue.add(event(0))).isFalse();
        assertThat(take(queue, 10)).hasSize(2);
        assertThat(queue.add(event(700))).isTrue();
        assertThat(queue.add(event(0))).isFalse();
        assertThat(queue.add(event(0))).isFalse();
        assertThat(take(queue, 10))
                .last()
                .isInstanceOfSatisfying(
                        Item.Missed.class, missed -> assertThat(missed.count()).isEqualTo(2));
    }

    @Test
    void aBatchOfLargeEventsEndsEarly() throws InterruptedException {
        EventQueue queue = new EventQueue(ITEMS, Long.MAX_VALUE);
        for (int i = 0; i < 5; i++) {
            queue.add(event(400 << 10));
        }
        assertThat(take(queue, 10)).hasSize(3);
        assertThat(take(queue, 10)).hasSize(2);
    }

    @Test
    void aDiscardedQueueIsEmptyAndStaysEmpty() throws InterruptedException {
        EventQueue queue = new EventQueue(2, Long.MAX_VALUE);
        for (int i = 0; i < 5; i++) {
            queue.add(event(0));
        }
        assertThat(queue.discard()).isEqualTo(2);
        assertThat(queue.add(event(0))).isFalse();
        assertThat(queue.size()).isZero();
        assertThat(queue.take(10)).isNull();
    }

    @Test
    void everyNumberIsAnEventOrWithinALoss() throws InterruptedException {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            EventQueue queue = new EventQueue(ITEMS, BYTES);
            long added = 0;
            long next = 1;
            long waiting = 0;
            for (int i = 0; i < 300; i++) {
                if (random.nextInt(5) > 0) {
                    ApplicationEvent event = event(random.nextInt(3) * random.nextInt(9_000));
                    waiting += queue.add(event) ? event.bytes() : 0;
                    added++;
                    assertThat(queue.size()).isLessThanOrEqualTo(ITEMS + 1);
                    assertThat(waiting).isLessThanOrEqualTo(BYTES);
                } else if (queue.size() > 0) {
                    for (Item item : take(queue, 1 + random.nextInt(8))) {
                        assertThat(item.seq()).isEqualTo(next);
                        next += item instanceof Item.Missed missed ? missed.count() : 1;
                        waiting -= item.bytes();
                    }
                }
            }
            queue.close();
            for (Item item : take(queue, 1_000)) {
                assertThat(item.seq()).isEqualTo(next);
                next += item instanceof Item.Missed missed ? missed.count() : 1;
            }
            assertThat(next).isEqualTo(added + 1);
        }
    }
}
