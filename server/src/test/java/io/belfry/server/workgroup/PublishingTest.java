package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a publish: its place in the order, its delivery to every subscriber and its answer. */
class PublishingTest {
    @Test
    void aPublishReachesEachSubscriberOnEachLaneOnceAndInOrder() {
        try (Lanes lanes = new Lanes(3, 1)) {
            String subject = lanes.subject(1, 0);
            List<LaneClient> subscribers = new ArrayList<>();
            for (int lane = 0; lane < 3; lane++) {
                subscribers.add(lanes.connect(lane, BelfryFormat.WEBSOCKET_JSON));
                subscribers.add(lanes.connect(lane, BelfryFormat.WEBSOCKET_BINARY));
                subscribers.add(lanes.connect(lane, null));
            }
            subscribers.forEach(each -> each.subscribe(subject));
            lanes.settle();
            LaneClient publisher = lanes.connect(2);
            for (int i = 1; i <= 50; i++) {
                publisher.publish(subject, "m" + i);
                lanes.step();
            }
            lanes.settle();
            for (LaneClient each : subscribers) {
                assertThat(each.seqs(subject)).hasSize(50).isSorted().doesNotHaveDuplicates();
                assertThat(each.data(subject)).startsWith("m1", "m2").endsWith("m50");
            }
            assertThat(lanes.level(Counter.MESSAGES_OUT)).isEqualTo(50 * 9);
            assertThat(lanes.level(Counter.PUBLISHES_IN)).isEqualTo(50);
        }
    }

    @Test
    void aPublisherReceivesThePositionOnlyOnRequest() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient publisher = lanes.connect(0);
            long here = publisher.publish(lanes.subject(0, 0), "a");
            long there = publisher.publish(lanes.subject(1, 0), "b");
            long again = publisher.publish(lanes.subject(1, 0), "c");
            lanes.settle();
            assertThat(publisher.answer(here).seq()).isEqualTo(1);
            assertThat(publisher.answer(there).seq()).isEqualTo(1);
            assertThat(publisher.answer(again)).satisfies(event -> {
                assertThat(event.op()).isEqualTo("published");
                assertThat(event.seq()).isEqualTo(2);
                assertThat(event.epoch()).isEqualTo(Lanes.EPOCH);
            });
        }
    }

    @Test
    void messagesOfOneTurnAreSentInOneWritePerSession() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient subscriber = lanes.connect(0);
            LaneClient publisher = lanes.connect(0);
            subscriber.subscribe("/a", "/b");
            lanes.settle();
            int before = subscriber.socket.writes;
            for (int i = 0; i < 20; i++) {
                publisher.publish(i % 3 == 0 ? "/a" : "/b", "m" + i);
            }
            subscriber.ping();
            lanes.settle();
            assertThat(subscriber.socket.writes).isEqualTo(before + 1);
            assertThat(subscriber.received(ReceivedEvent::isMessage)).hasSize(20);
        }
    }

    @Test
    void aRepeatedMessageIdReturnsTheSamePositionUndelivered() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            client.subscribe(subject);
            lanes.settle();
            long first = client.publish(subject, "x", false, "id-1");
            long other = client.publish(subject, "y", false, "id-2");
            long again = client.publish(subject, "x", false, "id-1");
            lanes.settle();
            assertThat(client.answer(again).seq())
                    .isEqualTo(client.answer(first).seq());
            assertThat(client.answer(other).seq()).isEqualTo(2);
            assertThat(client.data(subject)).containsExactly("x", "y");
            assertThat(lanes.level(Counter.PUBLISHES_DUPLICATE)).isEqualTo(1);
        }
    }

    @Test
    void retainedPublishesOverTheBoundAreRefusedAndCounted() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.RetainedBytes=150")) {
            LaneClient client = lanes.connect(0);
            client.publish("/kept", "0123456789", true, null);
            long refused = client.publish("/more", "0123456789", true, null);
            lanes.settle();
            assertThat(client.answer(refused).note()).isEqualTo(Code.RETAINED_FULL.text());
            assertThat(lanes.counters.refusals(Code.RETAINED_FULL)).isEqualTo(1);
            assertThat(lanes.level(Counter.PUBLISHES_REFUSED)).isEqualTo(1);
        }
    }

    @Test
    void aRefusedPublishCreatesNoSubject() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.RetainedBytes=0")) {
            lanes.connect(0).publish("/new", "x", true, null);
            lanes.tick();
            assertThat(lanes.level(Counter.SUBJECTS)).isZero();
            assertThat(lanes.knownSubjects()).isZero();
        }
    }

    @Test
    void clearingARetainedMessageIsNeverRefused() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.RetainedBytes=0")) {
            LaneClient client = lanes.connect(0);
            long id = client.publish("/a", "", true, null);
            lanes.settle();
            assertThat(client.answer(id).op()).isEqualTo("published");
        }
    }

    @Test
    void deliveryLatencyIsRecordedForEveryMessage() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient one = lanes.connect(0);
            LaneClient two = lanes.connect(1);
            one.subscribe(subject);
            two.subscribe(subject);
            lanes.settle();
            one.publish(subject, "x");
            lanes.clock.pass(3);
            lanes.settle();
            assertThat(lanes.counters.loop(0).deliveryLatency().takeInterval().getTotalCount())
                    .isEqualTo(1);
            assertThat(lanes.counters.loop(1).deliveryLatency().takeInterval().getMaxValue())
                    .isBetween(2995L, 3005L);
        }
    }

    @Test
    void messagesOfTheClosingTurnAreSentBeforeTheClose() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/a");
            lanes.settle();
            lanes.in(0, () -> {
                lanes.connect(0).publish("/a", "the last");
                lanes.lane(0).close(client.session, Code.DRAIN, "reconnect");
            });
            lanes.settle();
            assertThat(client.socket.closed).isEqualTo(Code.DRAIN);
            assertThat(client.data("/a")).containsExactly("the last");
            assertThat(lanes.level(Counter.MESSAGES_OUT)).isEqualTo(1);
        }
    }
}
