package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.counter.Counter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests subscriptions with {@code conflate}: the latest message of a subject, at most one per interval. */
class ConflatingTest {
    private static void publish(Lanes lanes, LaneClient publisher, String subject, int from, int to) {
        for (int i = from; i <= to; i++) {
            publisher.publish(subject, "m" + i);
            lanes.settle();
        }
    }

    private static long conflated(Lanes lanes) {
        return lanes.counters.conflations(Code.CONFLATE_REQUESTED);
    }

    @Test
    void theFirstMessageIsSentAtOnceAndTheLatestAfterTheInterval() {
        for (String history : new String[] {"CacheSize=1000", "CacheSize=0"}) {
            try (Lanes lanes = new Lanes(2, 1, history)) {
                String subject = lanes.subject(1, 0);
                LaneClient client = lanes.connect(0);
                LaneClient all = lanes.connect(0);
                LaneClient publisher = lanes.connect(1);
                long id = client.conflate(subject, 300);
                all.subscribe(subject);
                lanes.settle();
                assertThat(client.answer(id).data()).isEqualTo("300");
                publish(lanes, publisher, subject, 1, 5);
                assertThat(client.seqs(subject)).containsExactly(1L);
                assertThat(all.seqs(subject)).containsExactly(1L, 2L, 3L, 4L, 5L);
                lanes.pass(300);
                assertThat(client.seqs(subject)).containsExactly(1L, 5L);
                assertThat(conflated(lanes)).isEqualTo(3);
                publish(lanes, publisher, subject, 6, 7);
                assertThat(client.seqs(subject)).containsExactly(1L, 5L);
                lanes.pass(300);
                assertThat(client.seqs(subject)).containsExactly(1L, 5L, 7L);
                lanes.pass(400);
                publish(lanes, publisher, subject, 8, 8);
                assertThat(client.seqs(subject)).containsExactly(1L, 5L, 7L, 8L);
                assertThat(client.messages(subject))
                        .allMatch(message -> message.note().equals("live"));
                assertThat(conflated(lanes)).isEqualTo(4);
            }
        }
    }

    @Test
    void aLateSubscriberDoesNotReceiveEarlierMessagesOfTheInterval() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient early = lanes.connect(0);
            LaneClient late = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            early.conflate(subject, 300);
            lanes.settle();
            publish(lanes, publisher, subject, 1, 2);
            late.conflate(subject, 300);
            lanes.settle();
            lanes.pass(300);
            assertThat(early.seqs(subject)).containsExactly(1L, 2L);
            assertThat(late.seqs(subject)).isEmpty();
            publish(lanes, publisher, subject, 3, 4);
            lanes.pass(300);
            assertThat(early.seqs(subject)).containsExactly(1L, 2L, 4L);
            assertThat(late.seqs(subject)).containsExactly(4L);
            assertThat(conflated(lanes)).isEqualTo(2);
        }
    }

    @Test
    void recoveredMessagesAreCompleteAndLaterOnesConflated() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            publish(lanes, publisher, subject, 1, 5);
            byte[] bytes = subject.getBytes(StandardCharsets.UTF_8);
            client.subscribe(new SubscribeRequest(List.of(bytes), new Position(Lanes.EPOCH, 2), 0, 300));
            lanes.settle();
            publish(lanes, publisher, subject, 6, 9);
            lanes.pass(300);
            assertThat(client.seqs(subject)).containsExactly(3L, 4L, 5L, 6L, 9L);
        }
    }

    @Test
    void aStalledConflatingSessionReceivesOnlyTheLatestMessage() {
        for (String history : new String[] {"CacheSize=1000", "CacheSize=0"}) {
            try (Lanes lanes = new Lanes(2, 1, history, "SlowConsumer.Grace=1 m", "PingInterval=1 m")) {
                String subject = lanes.subject(1, 0);
                LaneClient client = lanes.connect(0);
                LaneClient publisher = lanes.connect(1);
                client.conflate(subject, 100);
                lanes.settle();
                client.stall();
                for (int i = 1; i <= 20; i++) {
                    publish(lanes, publisher, subject, i, i);
                    lanes.pass(100);
                }
                client.takeAll();
                lanes.settle();
                assertThat(client.seqs(subject)).containsExactly(1L, 20L);
                assertThat(conflated(lanes)).isEqualTo(18);
                assertThat(client.received(event -> event.op().equals("gap"))).isEmpty();
                lanes.pass(200);
                publish(lanes, publisher, subject, 21, 21);
                assertThat(client.seqs(subject)).containsExactly(1L, 20L, 21L);
                assertThat(client.session.isOrdinary()).isEqualTo(client.session.isShared());
            }
        }
    }

    @Test
    void aMessageHeldForAnotherIntervalIsNotDeliveredTwice() {
        try (Lanes lanes = new Lanes(2, 1, "SlowConsumer.Grace=1 m", "PingInterval=1 m")) {
            String subject = lanes.subject(1, 0);
            LaneClient slow = lanes.connect(0);
            LaneClient quick = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            slow.conflate(subject, 1000);
            quick.conflate(subject, 100);
            lanes.settle();
            slow.stall();
            quick.stall();
            publish(lanes, publisher, subject, 1, 2);
            lanes.pass(1000);
            publish(lanes, publisher, subject, 3, 3);
            slow.takeAll();
            quick.takeAll();
            lanes.settle();
            lanes.pass(1000);
            assertThat(slow.seqs(subject)).containsExactly(1L, 3L);
            assertThat(quick.seqs(subject)).containsExactly(1L, 3L);
            publish(lanes, publisher, subject, 4, 4);
            lanes.pass(1000);
            assertThat(slow.seqs(subject)).containsExactly(1L, 3L, 4L);
        }
    }

    @Test
    void aPatternConflatesEachOfItsSubjects() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            long id = client.conflate("/p/*", 300);
            lanes.settle();
            assertThat(client.answer(id).data()).isEqualTo("300");
            publish(lanes, publisher, "/p/a", 1, 4);
            publish(lanes, publisher, "/p/b", 1, 2);
            assertThat(client.seqs("/p/a")).containsExactly(1L);
            assertThat(client.seqs("/p/b")).containsExactly(1L);
            lanes.pass(300);
            assertThat(client.seqs("/p/a")).containsExactly(1L, 4L);
            assertThat(client.seqs("/p/b")).containsExactly(1L, 2L);
            lanes.pass(600);
            client.unsubscribe("/p/*");
            publish(lanes, publisher, "/p/a", 5, 5);
            lanes.pass(300);
            assertThat(client.seqs("/p/a")).containsExactly(1L, 4L);
        }
    }

    @Test
    void subjectsOverTheConflateLimitAreNotConflated() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.ConflatedSubjects=1")) {
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(0);
            client.conflate("/p/*", 300);
            lanes.settle();
            publish(lanes, publisher, "/p/a", 1, 3);
            publish(lanes, publisher, "/p/b", 1, 3);
            assertThat(client.seqs("/p/a")).containsExactly(1L);
            assertThat(client.seqs("/p/b")).containsExactly(1L, 2L, 3L);
            assertThat(lanes.level(Counter.CONFLATE_OVERFLOWS)).isEqualTo(3);
            lanes.pass(600);
            publish(lanes, publisher, "/p/b", 4, 5);
            assertThat(client.seqs("/p/b")).containsExactly(1L, 2L, 3L, 4L);
        }
    }

    @Test
    void aSubscriptionByNameReplacesAPatternWithoutLossOrReorder() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.conflate("/s0/*", 300);
            lanes.settle();
            publish(lanes, publisher, subject, 1, 3);
            long id = client.subscribe(subject);
            lanes.settle();
            publish(lanes, publisher, subject, 4, 5);
            lanes.pass(300);
            assertThat(client.answer(id).seq()).isEqualTo(3);
            assertThat(client.seqs(subject)).containsExactly(1L, 3L, 4L, 5L);
            client.unsubscribe(subject);
            lanes.settle();
            publish(lanes, publisher, subject, 6, 8);
            lanes.pass(300);
            assertThat(client.seqs(subject)).containsExactly(1L, 3L, 4L, 5L, 6L, 8L);
        }
    }

    @Test
    void aConflatingSubscriptionCountsAndIsRemovedCompletely() {
        try (Lanes lanes = new Lanes(2, 1, "CacheSize=0", "PubSubTightlyCoupled=true", "Limit.SubjectsPerSession=1")) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            publisher.watch(subject);
            client.conflate(subject, 300);
            lanes.settle();
            assertThat(publisher
                            .received(event -> event.is("interest", subject))
                            .getLast()
                            .note())
                    .isEqualTo("true");
            long full = client.subscribe("/other");
            lanes.settle();
            assertThat(client.answer(full).note()).isEqualTo("too-many-subjects");
            publish(lanes, publisher, subject, 1, 3);
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(1);
            client.unsubscribe(subject);
            lanes.settle();
            assertThat(publisher
                            .received(event -> event.is("interest", subject))
                            .getLast()
                            .note())
                    .isEqualTo("false");
            lanes.pass(300);
            assertThat(client.seqs(subject)).containsExactly(1L);
            assertThat(lanes.knownSubjects()).isZero();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
        }
    }
}
