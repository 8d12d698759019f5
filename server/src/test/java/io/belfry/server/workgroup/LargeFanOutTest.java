package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counter;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A message to very many sessions is recorded for them in several turns, and no session can observe that. */
class LargeFanOutTest extends ManySubscribers {
    LargeFanOutTest() {
        super("/all");
    }

    @Test
    void aMessageIsRecordedInSeveralTurns() {
        subscribeAll("/all");
        publish("first");
        assertThat(waiting()).hasSizeBetween(SESSIONS / 3, SESSIONS - 8);
        assertThat(lanes.level(Counter.LARGE_FANOUTS)).isEqualTo(1);
        lanes.settle();
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).containsExactly("first"));
        lanes.close();
    }

    @Test
    void anotherMessageToASessionDoesNotOvertake() {
        subscribeAll("/all");
        publish("first");
        LaneClient last = waiting().getFirst();
        publisher.publish("/own/" + many.indexOf(last), "own");
        lanes.runTurn(0);
        assertThat(messages(last)).containsExactly("first", "own");
        assertThat(waiting()).isNotEmpty();
        publish("second");
        lanes.settle();
        assertThat(messages(last)).containsExactly("first", "own", "second");
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).containsSubsequence("first", "second"));
        lanes.close();
    }

    @Test
    void anAnswerDoesNotOvertake() {
        subscribeAll("/all");
        publish("first");
        LaneClient last = waiting().getFirst();
        last.clearReceived();
        last.subscribe("/other");
        lanes.settle();
        assertThat(last.ops()).containsExactly("message", "subscribed");
        lanes.close();
    }

    @Test
    void severalMessagesWaitInTheirOrder() {
        subscribeAll("/all");
        List<String> all = IntStream.range(0, 5).mapToObj(i -> "m" + i).toList();
        all.forEach(this::publish);
        assertThat(waiting()).isNotEmpty();
        lanes.settle();
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).isEqualTo(all));
        lanes.close();
    }

    @Test
    void publishersWaitWhileManyMessagesWait() {
        subscribeAll("/all");
        for (int i = 0; i < 30; i++) {
            publish("m" + i);
        }
        assertThat(publisher.socket.isPaused()).isTrue();
        assertThat(lanes.level(Counter.PUBLISH_PAUSES)).isPositive();
        lanes.settle();
        lanes.clock.passPerRead(0);
        lanes.tick();
        assertThat(publisher.socket.isPaused()).isFalse();
        lanes.settle();
        List<String> all = IntStream.range(0, 30).mapToObj(i -> "m" + i).toList();
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).isEqualTo(all));
        lanes.close();
    }

    @Test
    void aSessionThatLeavesGetsWhatWasPublishedBefore() {
        subscribeAll("/all");
        publish("first");
        LaneClient leaving = waiting().getFirst();
        leaving.unsubscribe("/all");
        publish("second");
        lanes.settle();
        assertThat(messages(leaving)).containsExactly("first");
        many.remove(leaving);
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).containsExactly("first", "second"));
        lanes.close();
    }

    @Test
    void aSessionThatJoinsGetsOnlyWhatIsPublishedAfter() {
        subscribeAll("/all");
        publish("first");
        LaneClient late = lanes.connect(0);
        late.subscribe("/all");
        publish("second");
        lanes.settle();
        assertThat(messages(late)).containsExactly("second");
        lanes.close();
    }

    @Test
    void aSessionThatSubscribesAgainGetsEachMessageOnce() {
        subscribeAll("/all");
        publish("first");
        LaneClient again = waiting().getFirst();
        again.unsubscribe("/all");
        again.subscribe("/all");
        publish("second");
        lanes.settle();
        assertThat(messages(again)).containsExactly("first", "second");
        lanes.close();
    }

    @Test
    void sessionsThatEndMeanwhileDisturbNoOther() {
        subscribeAll("/all");
        publish("first");
        publish("second");
        for (int i = 0; i < SESSIONS / 2; i++) {
            many.remove(lanes.random.nextInt(many.size())).vanish();
            if (i % 10 == 0) {
                lanes.runTurn(0);
            }
        }
        lanes.settle();
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).containsExactly("first", "second"));
        assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
        lanes.close();
    }

    @Test
    void aSubjectThatAllLeaveIsForgotten() {
        subscribeAll("/all");
        publish("first");
        many.forEach(LaneClient::vanish);
        publisher.vanish();
        lanes.settle();
        lanes.clock.pass(lanes.config.history().cacheExpireMillis() + 1);
        lanes.tick();
        assertThat(lanes.knownSubjects()).isZero();
        lanes.close();
    }

    @Test
    void aStalledSessionReadsFromTheHistoryOnce() {
        subscribeAll("/all");
        LaneClient slow = many.getFirst();
        slow.stall();
        publisher.publish("/own/0", "own");
        lanes.settle();
        publish("first");
        publish("second");
        slow.takeAll();
        publish("third");
        lanes.settle();
        slow.takeAll();
        lanes.settle();
        assertThat(messages(slow)).containsExactly("own", "first", "second", "third");
        lanes.close();
    }
}
