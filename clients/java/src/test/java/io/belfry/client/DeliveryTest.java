package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishOrigins;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Listeners on an executor that is run by hand. */
class DeliveryTest {
    private final Queue<Runnable> executor = new ArrayDeque<>();
    private final List<String> heard = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Boolean> full = new ArrayList<>();
    private final Delivery delivery = new Delivery(executor::add, 4, new OwnOrigin(), failures::add, full::add);

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
    void onlyAMessageThatNobodyAskedForIsAnEcho() {
        OwnOrigin origin = new OwnOrigin();
        String key = new OwnOrigin().key();
        assertThat(origin.isEcho(message(MessageType.LIVE, PublishOrigins.of(key))))
                .isFalse();
        String tag = PublishOrigins.of(origin.key());
        assertThat(origin.key()).isEqualTo(origin.key()).isNotEqualTo(key);
        for (MessageType type : MessageType.values()) {
            boolean unasked = type == MessageType.LIVE || type == MessageType.RECOVERED;
            assertThat(origin.isEcho(message(type, tag))).as("%s", type).isEqualTo(unasked);
            assertThat(origin.isEcho(message(type, PublishOrigins.of(key)))).isFalse();
            assertThat(origin.isEcho(message(type, key))).isFalse();
        }
    }

    private static Message message(MessageType type, String tag) {
        return new Message("/a", new byte[0], new Position(7, 1), 0, type, false, Map.of("$origin", tag));
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
