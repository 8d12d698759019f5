package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

class StreamSubscriptionTest {
    private final List<String> events = new ArrayList<>();
    private final RecordedSubscriber subscriber = new RecordedSubscriber();
    private final StreamSubscription stream = new StreamSubscription(subscriber, 4);
    private final Subscription subscription =
            new Subscription("/a", SubscribeOptions.LIVE, stream, 10, new Subscription.Control() {
                @Override
                public void unsubscribe(Subscription ended) {
                    events.add("unsubscribe");
                }

                @Override
                public void pause(Subscription paused) {
                    events.add("pause");
                }

                @Override
                public void resume(Subscription resumed) {
                    events.add("resume");
                }
            });

    /** Records the signals, and requests when the test says so or after each item. */
    private final class RecordedSubscriber implements Flow.Subscriber<StreamItem> {
        private boolean greedy;
        private boolean throwing;

        @Override
        public void onSubscribe(Flow.Subscription begun) {
            events.add("begin");
        }

        @Override
        public void onNext(StreamItem item) {
            events.add(item instanceof Message message ? message.text() : "gap");
            if (throwing) {
                throw new IllegalStateException("a subscriber that throws");
            }
            if (greedy) {
                stream.request(1);
            }
        }

        @Override
        public void onError(Throwable failure) {
            events.add(failure.getClass().getSimpleName());
        }

        @Override
        public void onComplete() {
            events.add("complete");
        }
    }

    private void begin() {
        stream.begin(listener -> subscription);
        events.clear();
    }

    private void receive(int... numbers) {
        for (int number : numbers) {
            byte[] data = Integer.toString(number).getBytes(java.nio.charset.StandardCharsets.UTF_8);
            stream.onMessage(new Message("/a", data, new Position(7, number), 1, MessageType.LIVE, false));
        }
    }

    @Test
    void itemsAreDeliveredAsRequested() {
        begin();
        receive(1, 2);
        stream.onGap(new Gap("/a", null, null, "history-gone"));
        assertThat(events).isEmpty();
        stream.request(2);
        stream.request(5);
        receive(4);
        assertThat(events).containsExactly("1", "2", "gap", "4");
    }

    @Test
    void aFullBufferPausesAndHalfABufferResumes() {
        begin();
        receive(1, 2, 3, 4, 5);
        assertThat(events).containsExactly("pause");
        stream.request(2);
        assertThat(events).containsExactly("pause", "1", "2");
        stream.request(1);
        assertThat(events).containsExactly("pause", "1", "2", "resume", "3");
    }

    @Test
    void aSubscriberMayRequestWhileItReceives() {
        subscriber.greedy = true;
        begin();
        stream.request(1);
        receive(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(events).containsExactly("1", "2", "3", "4", "5", "6", "7", "8");
    }

    @Test
    void nothingFollowsACancel() {
        begin();
        stream.request(1);
        receive(1, 2);
        stream.cancel();
        stream.request(5);
        receive(3);
        subscription.refused("client-closed", "");
        assertThat(events).startsWith("1", "unsubscribe").doesNotContain("2", "3", "complete");
    }

    @Test
    void theStreamCompletesBehindItsItemsWhenTheClientCloses() {
        begin();
        receive(1);
        subscription.refused("client-closed", "the client was closed");
        assertThat(events).isEmpty();
        stream.request(1);
        assertThat(events).containsExactly("1", "unsubscribe", "complete");
    }

    @Test
    void aRefusedSubscriptionFailsTheStream() {
        begin();
        subscription.refused("subscribe-denied", "no");
        assertThat(events).containsExactly("unsubscribe", "SubscribeException");
    }

    @Test
    void anInvalidRequestFailsTheStream() {
        begin();
        receive(1);
        stream.request(0);
        assertThat(events).containsExactly("unsubscribe", "IllegalArgumentException");
    }

    @Test
    void aSubscriptionThatIsNotPossibleFailsTheStream() {
        stream.begin(listener -> {
            throw new IllegalStateException("already subscribed: /a");
        });
        assertThat(events).containsExactly("begin", "IllegalStateException");
    }

    @Test
    void aSubscriberThatThrowsEndsItsStream() {
        begin();
        subscriber.throwing = true;
        receive(1);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> stream.request(2))
                .isInstanceOf(IllegalStateException.class);
        receive(2);
        assertThat(events).containsExactly("1", "unsubscribe");
    }
}
