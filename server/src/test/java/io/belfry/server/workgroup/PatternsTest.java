package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Subscriptions to patterns, whose subjects live on any lane. */
class PatternsTest {
    @Test
    void aPatternBringsSubjectsOfEveryLane() {
        try (Lanes lanes = new Lanes(3, 1)) {
            Client client = lanes.connect(0);
            long id = client.subscribe("/s1/*");
            lanes.settle();
            assertThat(client.answer(id).op()).isEqualTo("subscribed");
            for (int lane = 0; lane < 3; lane++) {
                lanes.connect(lane).publish(lanes.subject(lane, 1), "yes");
                lanes.connect(lane).publish(lanes.subject(lane, 2), "no");
            }
            lanes.settle();
            assertThat(client.heard(Heard::isMessage))
                    .hasSize(3)
                    .allMatch(m -> m.data().equals("yes"));
        }
    }

    @Test
    void whoFollowsASubjectInSeveralWaysGetsEachMessageOnce() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            Client client = lanes.connect(0);
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
    void theRetainedMessagesThatMatchComeBeforeWhatIsLive() {
        try (Lanes lanes = new Lanes(3, 1)) {
            List<String> subjects = List.of(lanes.subject(0, 1), lanes.subject(1, 1), lanes.subject(2, 1));
            Client publisher = lanes.connect(0);
            subjects.forEach(subject -> publisher.publish(subject, "state", true, null));
            lanes.settle();
            Client client = lanes.connect(1);
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
    void aPatternSubscribedAgainWithAnswersUnderWayGetsItsSnapshotsOnceAndEachCommandItsAnswer() {
        for (int seed = 0; seed < 50; seed++) {
            try (Lanes lanes = new Lanes(3, seed)) {
                String subject = lanes.subject(1, 1);
                Client publisher = lanes.connect(1);
                publisher.publish(subject, "state", true, null);
                lanes.settle();
                Client client = lanes.connect(0);
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
                assertThat(client.heard(event -> event.op().equals("subscribed")))
                        .hasSize(1);
            }
        }
    }

    @Test
    void anAnswerToAPatternLeftMeanwhileDoesNotBeginTheNextSubscriptionToIt() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            Client publisher = lanes.connect(1);
            Client client = lanes.connect(0);
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
    void aSecondPatternBringsNoSnapshotOlderThanWhatTheFirstOneBrought() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            Client publisher = lanes.connect(1);
            publisher.publish(subject, "state", true, null);
            Client client = lanes.connect(0);
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
    void aMessagePublishedWhileAPatternsSubjectIsBeingFollowedByNameIsNotLost() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            Client client = lanes.connect(0);
            client.subscribe("/s1/*");
            lanes.settle();
            lanes.connect(1).publish(subject, "before the subscription arrives");
            client.subscribe(subject);
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L);
        }
    }

    @Test
    void whenThePatternIsLeftNothingOfItIsLeft() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 1);
            Client client = lanes.connect(0);
            client.subscribe("/s1/*");
            lanes.settle();
            client.stall();
            Client publisher = lanes.connect(1);
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
}
