package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counter;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A message to very many sessions that subscribe by pattern is recorded in several turns, and no session can observe that. */
class LargePatternFanOutTest extends ManySubscribers {
    LargePatternFanOutTest() {
        super("/all/x");
    }

    @AfterEach
    void close() {
        assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
        lanes.close();
        assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
    }

    private void assertAllHave(String... data) {
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).containsExactly(data));
    }

    @Test
    void aMessageIsRecordedInSeveralTurns() {
        subscribeAll("/all/*");
        publish("first");
        assertThat(waiting()).hasSizeBetween(SESSIONS / 3, SESSIONS - 8);
        assertThat(lanes.level(Counter.LARGE_FANOUTS)).isEqualTo(1);
        lanes.settle();
        assertAllHave("first");
    }

    @Test
    void aMessageByPatternIsDividedForFewerSessionsThanOneByName() {
        subscribeAll("/all/*", "/named");
        lanes.lane(0).parts().fanOut.divideSooner(SESSIONS, 8);
        publisher.publish("/named", "by name");
        lanes.settle();
        assertThat(lanes.level(Counter.LARGE_FANOUTS)).isZero();
        publish("by pattern");
        assertThat(lanes.level(Counter.LARGE_FANOUTS)).isEqualTo(1);
        lanes.settle();
        assertAllHave("by name", "by pattern");
    }

    @Test
    void aSessionWithSeveralMatchingPatternsGetsAMessageOnce() {
        subscribeAll("/all/*", "/all/**", "/*/x");
        publish("first");
        assertThat(waiting()).isNotEmpty();
        publish("second");
        lanes.settle();
        assertAllHave("first", "second");
    }

    @Test
    void aSessionWithThePatternAndTheNameGetsAMessageOnce() {
        subscribeAll("/all/*", "/all/x");
        publish("first");
        assertThat(waiting()).isNotEmpty();
        lanes.settle();
        assertAllHave("first");
    }

    @Test
    void anotherMessageToASessionDoesNotOvertake() {
        subscribeAll("/all/*");
        publish("first");
        LaneClient last = waiting().getFirst();
        publisher.publish("/own/" + many.indexOf(last), "own");
        lanes.runTurn(0);
        assertThat(messages(last)).containsExactly("first", "own");
        assertThat(waiting()).isNotEmpty();
        lanes.settle();
        many.remove(last);
        assertAllHave("first");
    }

    @Test
    void severalMessagesWaitInTheirOrder() {
        subscribeAll("/all/*");
        List<String> all = IntStream.range(0, 5).mapToObj(i -> "m" + i).toList();
        all.forEach(this::publish);
        assertThat(waiting()).isNotEmpty();
        lanes.settle();
        assertAllHave(all.toArray(String[]::new));
    }

    @Test
    void aSessionThatLeavesGetsWhatWasPublishedBefore() {
        subscribeAll("/all/*");
        publish("first");
        LaneClient leaving = waiting().getFirst();
        leaving.unsubscribe("/all/*");
        publish("second");
        lanes.settle();
        assertThat(messages(leaving)).containsExactly("first");
        many.remove(leaving);
        assertAllHave("first", "second");
    }

    @Test
    void aSessionThatSubscribesByNameMeanwhileGetsEachMessageOnce() {
        subscribeAll("/all/*");
        publish("first");
        LaneClient both = waiting().getFirst();
        both.subscribe("/all/x");
        publish("second");
        lanes.settle();
        assertAllHave("first", "second");
    }

    @Test
    void aSessionThatJoinsGetsOnlyWhatIsPublishedAfter() {
        subscribeAll("/all/*");
        publish("first");
        LaneClient late = lanes.connect(0);
        late.subscribe("/all/*");
        lanes.settle();
        publish("second");
        lanes.settle();
        assertThat(messages(late)).containsExactly("second");
    }

    @Test
    void sessionsThatEndMeanwhileDisturbNoOther() {
        subscribeAll("/all/*", "/*/x");
        publish("first");
        publish("second");
        for (int i = 0; i < SESSIONS / 2; i++) {
            many.remove(lanes.random.nextInt(many.size())).vanish();
            if (i % 10 == 0) {
                lanes.runTurn(0);
            }
        }
        lanes.settle();
        assertAllHave("first", "second");
    }

    @Test
    void aStalledSessionReadsFromTheHistoryOnce() {
        subscribeAll("/all/*");
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
    }

    @Test
    void aConflatingPatternBesideAnotherOneDeliversNothing() {
        subscribeAll("/all/*");
        LaneClient both = lanes.connect(0);
        both.subscribe("/all/*");
        both.conflate("/*/x", 1000);
        LaneClient conflating = lanes.connect(0);
        conflating.conflate("/all/**", 1000);
        lanes.settle();
        publish("first");
        publish("second");
        lanes.settle();
        assertThat(messages(both)).containsExactly("first", "second");
        assertThat(messages(conflating)).containsExactly("first");
        lanes.pass(1100);
        assertThat(messages(conflating)).containsExactly("first", "second");
        assertThat(messages(both)).containsExactly("first", "second");
        assertAllHave("first", "second");
    }
}
