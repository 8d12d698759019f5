package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.connection.ClientLoop;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PausedSubscriptionTest {
    private final ClientLoop loop = new ClientLoop("test", 1 << 16, () -> 42);
    private final List<Long> received = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final Queue<Runnable> calls = new ArrayDeque<>();
    private final RecordedLink link = new RecordedLink();
    private final Delivery delivery = new Delivery(calls::add, 100, new OwnOrigin(), failure -> {}, full -> {});
    private final ClientSubscriptions subscriptions = new ClientSubscriptions(delivery, status -> {}, 10, false);
    private final SubscriptionRequests requests =
            new SubscriptionRequests(loop, delivery, subscriptions, status -> {}, () -> link);
    private final MessageListener listener = new MessageListener() {
        @Override
        public void onMessage(Message message) {
            received.add(message.position().seq());
        }

        @Override
        public void onGap(Gap gap) {
            gaps.add(gap);
        }
    };

    private final Subscription.Control control = new Subscription.Control() {
        @Override
        public void unsubscribe(Subscription subscription) {
            requests.unsubscribe(subscription);
        }

        @Override
        public void pause(Subscription subscription) {
            requests.suspend(subscription);
        }

        @Override
        public void resume(Subscription subscription) {
            requests.resume(subscription);
        }
    };

    private final Subscription plain = new Subscription("/a", SubscribeOptions.LIVE, listener, 10, control);

    @BeforeEach
    void subscribe() {
        requests.subscribe(plain);
        subscriptions.subscribed("/a", new Position(7, 0), Recovery.NONE);
        receive("/a", MessageType.LIVE, 1);
        link.takeSent();
    }

    @AfterEach
    void close() {
        loop.close();
    }

    private void receive(String to, MessageType type, long seq) {
        ByteBuf subject = Unpooled.copiedBuffer(to, StandardCharsets.UTF_8);
        subscriptions.message(new MessageView()
                .subject(subject, 0, subject.readableBytes())
                .data(Unpooled.EMPTY_BUFFER, 0, 0)
                .position(7, 0, seq)
                .prev(MessageView.NO_PREV)
                .time(1)
                .type(type));
    }

    private void deliver() {
        for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
            call.run();
        }
    }

    @Test
    void aPauseEndsTheSubscriptionAndResumesAtItsPosition() {
        plain.pause();
        assertThat(link.takeSent()).containsExactly("unsubscribe /a");
        receive("/a", MessageType.LIVE, 2);
        requests.ended("/a");
        plain.resume();
        assertThat(link.takeSent()).containsExactly("subscribe /a from 7:1");
        subscriptions.subscribed("/a", new Position(7, 3), Recovery.COMPLETE);
        receive("/a", MessageType.RECOVERED, 2);
        receive("/a", MessageType.RECOVERED, 3);
        receive("/a", MessageType.LIVE, 4);
        deliver();
        assertThat(received).containsExactly(1L, 2L, 3L, 4L);
        assertThat(gaps).isEmpty();
    }

    @Test
    void aResumeWaitsForTheAnswerToUnsubscribe() {
        plain.pause();
        plain.resume();
        receive("/a", MessageType.LIVE, 2);
        assertThat(link.takeSent()).containsExactly("unsubscribe /a");
        requests.ended("/a");
        assertThat(link.takeSent()).containsExactly("subscribe /a from 7:1");
    }

    @Test
    void callsThatWaitedAreKeptAndMadeFirst() {
        receive("/a", MessageType.LIVE, 2);
        plain.pause();
        deliver();
        assertThat(received).isEmpty();
        requests.ended("/a");
        plain.resume();
        subscriptions.subscribed("/a", new Position(7, 3), Recovery.COMPLETE);
        receive("/a", MessageType.RECOVERED, 3);
        deliver();
        assertThat(received).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aPausedSubscriptionIsNotRequestedOnANewLink() {
        plain.pause();
        assertThat(subscriptions.wantedSubscriptions()).isEmpty();
        plain.resume();
        assertThat(link.takeSent()).containsExactly("unsubscribe /a", "subscribe /a from 7:1");
        assertThat(subscriptions.wantedSubscriptions()).hasSize(1);
    }

    @Test
    void aPausedSubscriptionCanBeEnded() {
        plain.pause();
        link.takeSent();
        plain.unsubscribe();
        requests.ended("/a");
        plain.resume();
        deliver();
        assertThat(link.takeSent()).isEmpty();
        assertThat(received).isEmpty();
    }

    @Test
    void aPauseBeforeTheConfirmationKeepsItsPosition() {
        Subscription later = new Subscription("/b", SubscribeOptions.LIVE, listener, 10, control);
        requests.subscribe(later);
        later.pause();
        subscriptions.subscribed("/b", new Position(7, 5), Recovery.NONE);
        receive("/b", MessageType.LIVE, 6);
        requests.ended("/b");
        link.takeSent();
        later.resume();
        assertThat(link.takeSent()).containsExactly("subscribe /b from 7:5");
    }

    @Test
    void aResumedPatternRecoversItsKnownSubjects() {
        Subscription pattern = new Subscription("/p/*", SubscribeOptions.LIVE, listener, 10, control);
        requests.subscribe(pattern);
        subscriptions.subscribed("/p/*", null, Recovery.NONE);
        receive("/p/x", MessageType.LIVE, 1);
        pattern.pause();
        receive("/p/x", MessageType.LIVE, 2);
        requests.ended("/p/*");
        link.takeSent();
        pattern.resume();
        assertThat(link.takeSent()).containsExactly("subscribe /p/x from 7:1", "subscribe /p/*");
        receive("/p/x", MessageType.RECOVERED, 2);
        subscriptions.subscribed("/p/*", null, Recovery.NONE);
        deliver();
        assertThat(received).containsExactly(1L, 1L, 2L);
        assertThat(gaps).containsExactly(new Gap("/p/*", null, null, Gap.NOT_RECOVERED));
    }
}
