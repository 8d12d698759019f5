package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests subscriptions to patterns, whose subjects have their homes on different lanes. */
class PatternsTest {
    @Test
    void aPatternMatchesSubjectsOfEveryLane() {
        try (Lanes lanes = new Lanes(3, 1)) {
            LaneClient client = lanes.connect(0);
            long id = client.subscribe("/s1/*");
            lanes.settle();
            assertThat(client.answer(id).op()).isEqualTo("subscribed");
            for (int lane = 0; lane < 3; lane++) {
                lanes.connect(lane).publish(lanes.subject(lane, 1), "yes");
                lanes.connect(lane).publish(lanes.subject(lane, 2), "no");
            }
            lanes.settle();
            assertThat(client.received(ReceivedEvent::isMessage))
                    .hasSize(3)
                    .allMatch(m -> m.data().equals("yes"));
        }
    }

    @Test
    void overlappingSubscriptionsReceiveEachMessageOnce() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            LaneClient client = lanes.connect(0);
            client.subscribe("/s1/*", "/**", subject);
            lanes.settle();
            lanes.connect(1).publish(subject, "x");
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L);
            client.unsubscribe(subject);
            client.unsubscribe("/**");
            lanes.settle();
            lanes.connect(1).publish(subject, "y");
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L, 2L);
            client.unsubscribe("/s1/*");
            lanes.settle();
            lanes.connect(1).publish(subject, "z");
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L, 2L);
        }
    }

    @Test
    void matchingRetainedMessagesPrecedeLiveOnes() {
        try (Lanes lanes = new Lanes(3, 1)) {
            List<String> subjects = List.of(lanes.subject(0, 1), lanes.subject(1, 1), lanes.subject(2, 1));
            LaneClient publisher = lanes.connect(0);
            subjects.forEach(subject -> publisher.publish(subject, "state", true, null));
            lanes.settle();
            LaneClient client = lanes.connect(1);
            client.subscribe("/s1/**");
            subjects.forEach(subject -> publisher.publish(subject, "newer", true, null));
            lanes.settle();
            subjects.forEach(subject -> assertThat(client.seqs(subject))
                    .isSorted()
                    .doesNotHaveDuplicates()
                    .endsWith(2L));
        }
    }

    @Test
    void aResubscribedPatternReceivesItsSnapshotsAndAnswerOnce() {
        for (int seed = 0; seed < 50; seed++) {
            try (Lanes lanes = new Lanes(3, seed)) {
                String subject = lanes.subject(1, 1);
                LaneClient publisher = lanes.connect(1);
                publisher.publish(subject, "state", true, null);
                lanes.settle();
                LaneClient client = lanes.connect(0);
                client.subscribe("/s1/*");
                client.unsubscribe("/s1/*");
                long last = client.subscribe("/s1/*");
                publisher.publish(subject, "live");
                lanes.settle();
                assertThat(client.seqs(subject))
                        .isSorted()
                        .doesNotHaveDuplicates()
                        .contains(1L);
                assertThat(client.answer(last).op()).isEqualTo("subscribed");
                assertThat(client.received(event -> event.op().equals("subscribed")))
                        .hasSize(1);
            }
        }
    }

    @Test
    void aLateAnswerDoesNotStartTheNextSubscription() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            LaneClient publisher = lanes.connect(1);
            LaneClient client = lanes.connect(0);
            publisher.publish(subject, "state", true, null);
            lanes.settle();
            client.subscribe("/s1/*");
            lanes.settleOnly(0);
            client.unsubscribe("/s1/*");
            lanes.settleOnly(0);
            lanes.settleOnly(1);
            publisher.publish(subject, "newer", true, null);
            lanes.settleOnly(1);
            client.subscribe("/s1/*");
            lanes.settle();
            assertThat(client.data(subject)).containsExactly("newer");
        }
    }

    @Test
    void aSecondPatternDeliversNoOlderSnapshot() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            LaneClient publisher = lanes.connect(1);
            publisher.publish(subject, "state", true, null);
            LaneClient client = lanes.connect(0);
            client.subscribe("/s1/*");
            lanes.settle();
            publisher.publish(subject, "newer");
            lanes.settle();
            client.subscribe("/**");
            lanes.settle();
            assertThat(client.data(subject)).containsExactly("state", "newer");
        }
    }

    @Test
    void subscribingByNameBesideAPatternLosesNoMessage() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            LaneClient client = lanes.connect(0);
            client.subscribe("/s1/*");
            lanes.settle();
            lanes.connect(1).publish(subject, "before the subscription arrives");
            client.subscribe(subject);
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L);
        }
    }

    @Test
    void aPatternOfALostSessionIsRemovedCompletely() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            LaneClient client = lanes.connect(0);
            client.subscribe("/s1/*");
            lanes.settle();
            client.stall();
            LaneClient publisher = lanes.connect(1);
            publisher.publish(subject, "queued");
            lanes.settle();
            publisher.publish(subject, "missed");
            lanes.settle();
            client.vanish();
            lanes.pass(lanes.config.history().cacheExpireMillis() + 200);
            assertThat(lanes.knownSubjects()).isZero();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isZero();
        }
    }

    /** Two lanes with 40 retained messages of 16 KB each, and a client on the first lane. */
    private static final class ManyRetained implements AutoCloseable {
        static final int EACH = 40;
        static final int PIECE_BYTES = 64 << 10;
        static final String STATE = ".".repeat(16 << 10);

        final Lanes lanes = new Lanes(2, 1);
        final LaneClient publisher = lanes.connect(1);
        final List<String> subjects = new ArrayList<>();
        final LaneClient client = lanes.connect(0);

        ManyRetained() {
            for (int lane = 0; lane < 2; lane++) {
                for (int i = 0; i < EACH; i++) {
                    subjects.add(lanes.subject(lane, i));
                }
            }
            subjects.forEach(subject -> publisher.publish(subject, STATE, true, null));
            lanes.settle();
        }

        /** Lets the client read piece by piece and checks that at most two pieces are queued for it. */
        void readAll() {
            for (int i = 0; i < 200; i++) {
                assertThat(client.socket.queuedBytes()).isLessThanOrEqualTo(2 * PIECE_BYTES);
                client.takeMore(PIECE_BYTES / 4);
                lanes.settle();
            }
        }

        @Override
        public void close() {
            lanes.close();
        }
    }

    @Test
    void aStalledSessionQueuesOnlyAPieceOfTheRetainedMessages() {
        try (ManyRetained many = new ManyRetained()) {
            many.client.socket.stallAfter(5000);
            long id = many.client.subscribe("/**");
            many.lanes.settle();
            assertThat(many.client.received(ReceivedEvent::isMessage)).isEmpty();
            many.readAll();
            assertThat(many.client.received(ReceivedEvent::isMessage))
                    .hasSize(many.subjects.size())
                    .allMatch(message -> message.note().equals("snapshot"));
            assertThat(many.client.received().getLast()).isEqualTo(many.client.answer(id));
            many.subjects.forEach(
                    subject -> assertThat(many.client.seqs(subject)).hasSize(1));
        }
    }

    @Test
    void messagesRetainedDuringAPatternReadAreSentOnceAndLast() {
        try (ManyRetained many = new ManyRetained()) {
            many.client.socket.stallAfter(20_000);
            many.client.subscribe("/**");
            many.lanes.settle();
            String read =
                    many.client.received(ReceivedEvent::isMessage).getFirst().subject();
            String unread = many.subjects.getLast();
            String cleared = many.subjects.get(ManyRetained.EACH - 1);
            many.publisher.publish(read, "newer", true, null);
            many.publisher.publish(unread, "newer", true, null);
            many.publisher.publish(cleared, "", true, null);
            many.lanes.settle();
            many.readAll();
            assertThat(many.client.data(read)).containsExactly(ManyRetained.STATE, "newer");
            assertThat(many.client.data(unread)).containsExactly("newer");
            assertThat(many.client.messages(cleared)).isEmpty();
        }
    }

    @Test
    void aPatternUnsubscribedWhileItIsReadMakesWayForTheNext() {
        try (ManyRetained many = new ManyRetained()) {
            many.client.socket.stallAfter(100_000);
            many.client.subscribe("/s1/*", "/**");
            many.client.unsubscribe("/s1/*");
            many.lanes.settle();
            many.readAll();
            many.subjects.forEach(subject ->
                    assertThat(many.client.seqs(subject)).hasSizeBetween(1, subject.startsWith("/s1/") ? 2 : 1));
            assertThat(many.client.received(event -> event.op().equals("subscribed")))
                    .hasSize(1);
        }
    }

    @Test
    void aSessionLostDuringAPatternReadIsRemovedCompletely() {
        try (ManyRetained many = new ManyRetained()) {
            many.client.stall();
            many.client.subscribe("/**");
            many.lanes.settle();
            many.client.vanish();
            many.lanes.settle();
            assertThat(many.lanes.level(Counter.SUBSCRIPTIONS)).isZero();
            assertThat(many.lanes.level(Counter.LOOP_FAILURES)).isZero();
        }
    }
}
