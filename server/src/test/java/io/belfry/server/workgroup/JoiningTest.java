package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.server.counter.Counter;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the beginning of a subscription: position, snapshot, history and recovery. */
class JoiningTest {
    private static void publish(Lanes lanes, String subject, int count) {
        LaneClient publisher = lanes.connect(0);
        for (int i = 1; i <= count; i++) {
            publisher.publish(subject, "m" + i);
        }
        lanes.settle();
    }

    @Test
    void aGapThatIsStillInHistoryIsReplayed() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            publish(lanes, subject, 9);
            LaneClient client = lanes.connect(0);
            long id = client.resume(subject, Lanes.EPOCH, 4);
            lanes.settle();
            assertThat(client.answer(id).note()).isEqualTo("complete");
            assertThat(client.answer(id).seq()).isEqualTo(9);
            assertThat(client.seqs(subject)).containsExactly(5L, 6L, 7L, 8L, 9L);
            assertThat(client.messages(subject))
                    .allMatch(message -> message.note().equals("recovered"));
            assertThat(lanes.level(Counter.RECOVERIES_COMPLETE)).isEqualTo(1);
        }
    }

    @Test
    void aClientThatMissedNothingRecoversWithoutAHistory() {
        try (Lanes lanes = new Lanes(1, 1, "CacheSize=0")) {
            LaneClient other = lanes.connect(0);
            other.subscribe("/a");
            publish(lanes, "/a", 3);
            LaneClient client = lanes.connect(0);
            long id = client.resume("/a", Lanes.EPOCH, 3);
            lanes.settle();
            assertThat(client.answer(id).note()).isEqualTo("complete");
        }
    }

    @Test
    void evictedMessagesAreAnnouncedAsAGap() {
        try (Lanes lanes = new Lanes(2, 1, "CacheSize=3")) {
            String subject = lanes.subject(1, 0);
            publish(lanes, subject, 9);
            LaneClient client = lanes.connect(0);
            long id = client.resume(subject, Lanes.EPOCH, 4);
            lanes.settle();
            assertThat(client.answer(id).note()).isEqualTo("gap");
            ReceivedEvent gap =
                    client.received(event -> event.op().equals("gap")).getFirst();
            assertThat(gap.data()).isEqualTo("7:4");
            assertThat(gap.seq()).isEqualTo(6);
            assertThat(gap.note()).isEqualTo(Code.HISTORY_GONE.text());
            assertThat(lanes.counters.drops(Code.HISTORY_GONE)).isEqualTo(2);
            assertThat(client.seqs(subject)).containsExactly(7L, 8L, 9L);
            assertThat(lanes.level(Counter.RECOVERIES_WITH_GAP)).isEqualTo(1);
        }
    }

    @Test
    void aPositionOfAnotherEpochReceivesAGapAndTheWholeHistory() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            publish(lanes, subject, 3);
            LaneClient client = lanes.connect(0);
            client.resume(subject, Lanes.EPOCH - 1, 40);
            lanes.settle();
            ReceivedEvent gap =
                    client.received(event -> event.op().equals("gap")).getFirst();
            assertThat(gap.note()).isEqualTo(Code.EPOCH_CHANGED.text());
            assertThat(lanes.level(Counter.MESSAGES_DROPPED)).isZero();
            assertThat(gap.seq()).isZero();
            assertThat(client.seqs(subject)).containsExactly(1L, 2L, 3L);
        }
    }

    @Test
    void historyReturnsTheLatestMessagesOldestFirst() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            publish(lanes, subject, 9);
            LaneClient client = lanes.connect(0);
            client.subscribeWithHistory(subject, 3);
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(7L, 8L, 9L);
            assertThat(client.messages(subject))
                    .allMatch(message -> message.note().equals("history"));
        }
    }

    @Test
    void aLongHistoryIsSentWholeBeforeLaterMessages() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient publisher = lanes.connect(0);
            for (int i = 0; i < 100; i++) {
                publisher.publish(subject, "x".repeat(5000));
            }
            lanes.settle();
            LaneClient client = lanes.connect(0);
            client.subscribeWithHistory(subject, 100);
            for (int i = 0; i < 20; i++) {
                lanes.step();
                publisher.publish(subject, "live");
            }
            lanes.settle();
            assertThat(client.seqs(subject)).hasSize(120).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void theRetainedMessageIsSentFirstAndOnce() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient publisher = lanes.connect(0);
            publisher.publish(subject, "state", true, null);
            publisher.publish(subject, "news");
            lanes.settle();
            LaneClient plain = lanes.connect(0);
            plain.subscribe(subject);
            LaneClient withHistory = lanes.connect(1);
            withHistory.subscribeWithHistory(subject, 2);
            LaneClient withLess = lanes.connect(1);
            withLess.subscribeWithHistory(subject, 1);
            lanes.settle();
            publisher.publish(subject, "more");
            lanes.settle();
            assertThat(plain.messages(subject))
                    .extracting(ReceivedEvent::note, ReceivedEvent::data)
                    .containsExactly(tuple("snapshot", "state"), tuple("live", "more"));
            assertThat(withHistory.data(subject)).containsExactly("state", "news", "more");
            assertThat(withLess.data(subject)).containsExactly("state", "news", "more");
        }
    }

    @Test
    void theHistoryOfAnUnknownSubjectIsEmpty() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = lanes.connect(0, null);
            client.read("/unknown", null, 10);
            client.read("/unknown", new Position(Lanes.EPOCH, 3), 0);
            lanes.settle();
            assertThat(client.ops()).contains("subscribed");
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            assertThat(lanes.knownSubjects()).isZero();
        }
    }

    @Test
    void aForgottenSubjectContinuesAboveItsEarlierSeqs() {
        try (Lanes lanes = new Lanes(1, 1, "CacheSize=0")) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/a");
            publish(lanes, "/a", 5);
            client.unsubscribe("/a");
            lanes.settle();
            assertThat(lanes.knownSubjects()).isZero();
            long id = client.resume("/a", Lanes.EPOCH, 2);
            publish(lanes, "/a", 1);
            assertThat(client.answer(id).note()).isEqualTo("gap");
            assertThat(client.seqs("/a")).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        }
    }

    @Test
    void resubscribingBeforeTheFirstAnswerStartsAnew() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            publish(lanes, subject, 3);
            LaneClient client = lanes.connect(0);
            client.subscribeWithHistory(subject, 3);
            client.unsubscribe(subject);
            long last = client.subscribeWithHistory(subject, 1);
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(3L);
            assertThat(client.answer(last).op()).isEqualTo("subscribed");
        }
    }

    @Test
    void aSubscriptionCancelledBeforeItBeganIsAnswered() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient client = lanes.connect(0);
            long plain = client.subscribe(lanes.subject(1, 0));
            client.unsubscribe(lanes.subject(1, 0));
            long pattern = client.subscribe("/x/*");
            client.unsubscribe("/x/*");
            lanes.settle();
            assertThat(client.answer(plain).note()).isEqualTo(Code.NOT_SUBSCRIBED.text());
            assertThat(client.answer(pattern).note()).isEqualTo(Code.NOT_SUBSCRIBED.text());
        }
    }

    @Test
    void historiesOfManySubjectsAreNotQueuedAtOnce() {
        try (Lanes lanes = new Lanes(2, 1, "CacheMemory=32 MB")) {
            String[] subjects = IntStream.range(0, 200)
                    .mapToObj(i -> lanes.subject(i % 2, i))
                    .toArray(String[]::new);
            LaneClient publisher = lanes.connect(0);
            for (int i = 0; i < 20; i++) {
                for (String subject : subjects) {
                    publisher.publish(subject, i + ".".repeat(2000));
                }
                lanes.settle();
            }
            LaneClient client = lanes.connect(1);
            client.socket.stallAfter(10_000);
            client.subscribeWithHistory(20, subjects);
            for (int i = 0; i < 100; i++) {
                lanes.settle();
                assertThat(client.socket.queuedBytes()).isLessThan(10 * (64 << 10));
                client.takeMore(100_000);
            }
            for (String subject : subjects) {
                assertThat(client.seqs(subject)).hasSize(20).isSorted().doesNotHaveDuplicates();
            }
            publisher.publish(subjects[199], "live");
            lanes.settle();
            assertThat(client.data(subjects[199])).endsWith("live");
        }
    }

    @Test
    void eachOfManySubscriptionsIsAnsweredEvenIfCancelled() {
        try (Lanes lanes = new Lanes(2, 1, "PubSubTightlyCoupled=true")) {
            String[] subjects = IntStream.range(0, 50)
                    .mapToObj(i -> lanes.subject(i % 2, i))
                    .toArray(String[]::new);
            LaneClient watcher = lanes.connect(1);
            watcher.watch(subjects[48]);
            watcher.watch(subjects[49]);
            lanes.settle();
            watcher.clearReceived();
            LaneClient client = lanes.connect(0);
            long many = client.subscribe(subjects);
            client.unsubscribe(subjects[48], subjects[49]);
            lanes.settle();
            assertThat(client.received(event -> event.id() == many))
                    .hasSize(50)
                    .filteredOn(event -> event.op().equals("error"))
                    .extracting(ReceivedEvent::subject, ReceivedEvent::note)
                    .containsExactlyInAnyOrder(
                            tuple(subjects[48], Code.NOT_SUBSCRIBED.text()),
                            tuple(subjects[49], Code.NOT_SUBSCRIBED.text()));
            assertThat(watcher.received())
                    .filteredOn(event -> event.op().equals("interest"))
                    .extracting(ReceivedEvent::note)
                    .containsExactlyInAnyOrder("true", "false", "true", "false");
            lanes.connect(0).publish(subjects[47], "live");
            lanes.settle();
            assertThat(client.data(subjects[47])).containsExactly("live");
            client.vanish();
            lanes.settle();
            lanes.pass(lanes.config.history().cacheExpireMillis() + 200);
            assertThat(lanes.knownSubjects()).isZero();
        }
    }
}
