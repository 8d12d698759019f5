package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The subscriptions that a client requests on a new connection, and when it drops those it no longer needs. */
final class ClientSubscriptionsTest {
    private static final String PATTERN = "/a/*";
    private static final String SUBJECT = "/a/b";

    private final List<Long> heard = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final ClientSubscriptions subscriptions = new ClientSubscriptions(
            new Delivery(null, 10, new OwnOrigin(), failed -> {}, full -> {}), status -> {}, 10, false);

    private void receive(MessageType type, long seq) {
        ByteBuf subject = Unpooled.copiedBuffer(SUBJECT, StandardCharsets.UTF_8);
        subscriptions.message(new MessageView()
                .subject(subject, 0, subject.readableBytes())
                .data(Unpooled.EMPTY_BUFFER, 0, 0)
                .position(7, 0, seq)
                .prev(MessageView.NO_PREV)
                .time(1)
                .type(type));
    }

    private void follow() {
        MessageListener listener = new MessageListener() {
            @Override
            public void onMessage(Message message) {
                heard.add(message.position().seq());
            }

            @Override
            public void onGap(Gap gap) {
                gaps.add(gap);
            }
        };
        subscriptions.add(new Subscription(PATTERN, SubscribeOptions.LIVE, listener, 10, new IdleControl()));
        subscriptions.wantedSubscriptions();
        subscriptions.subscribed(PATTERN, null, Recovery.NONE);
        receive(MessageType.LIVE, 1);
    }

    private List<String> givenUp() {
        return subscriptions.takeFinishedBridges().stream()
                .map(subject -> new String(subject, StandardCharsets.UTF_8))
                .toList();
    }

    /**
     * Many lanes of the server confirm a pattern. Until all have, messages arrive by subscriptions of single subjects
     * only.
     */
    @Test
    void aBridgeStaysUntilThePatternIsConfirmed() {
        follow();
        assertThat(subscriptions.wantedSubscriptions()).hasSize(2);
        subscriptions.subscribed(SUBJECT, new Position(7, 2), Recovery.COMPLETE);
        receive(MessageType.RECOVERED, 2);
        assertThat(givenUp()).as("before the pattern is confirmed").isEmpty();
        receive(MessageType.LIVE, 3);
        subscriptions.subscribed(PATTERN, null, Recovery.NONE);
        assertThat(givenUp()).containsExactly(SUBJECT);
        receive(MessageType.LIVE, 4);
        assertThat(heard).containsExactly(1L, 2L, 3L, 4L);
        assertThat(gaps).noneMatch(gap -> gap.subject().equals(SUBJECT));
    }

    @Test
    void aBridgeStaysUntilTheMissedMessagesArrive() {
        follow();
        subscriptions.wantedSubscriptions();
        subscriptions.subscribed(PATTERN, null, Recovery.NONE);
        subscriptions.subscribed(SUBJECT, new Position(7, 2), Recovery.COMPLETE);
        assertThat(givenUp()).isEmpty();
        receive(MessageType.RECOVERED, 2);
        assertThat(givenUp()).containsExactly(SUBJECT);
    }
}
