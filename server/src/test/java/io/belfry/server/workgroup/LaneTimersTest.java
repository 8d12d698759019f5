package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.testsupport.ExpectedFaults;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the timers of a lane, its draining, and failures inside it. */
class LaneTimersTest {
    @Test
    void aSilentClientIsPingedAndOneThatNeverAnswersIsClosed() {
        try (Lanes lanes = new Lanes(1, 1, "PingInterval=1 s")) {
            LaneClient silent = lanes.connect(0);
            LaneClient talking = lanes.connect(0);
            LaneClient stream = lanes.connect(0, null);
            stream.socket.answersPings = false;
            for (int i = 0; i < 10; i++) {
                talking.ping();
                lanes.pass(500);
            }
            assertThat(silent.socket.pings).isPositive();
            assertThat(silent.socket.closed).isEqualTo(Code.PING_TIMEOUT);
            assertThat(lanes.counters.closes(Code.PING_TIMEOUT)).isEqualTo(1);
            assertThat(talking.socket.closed).isNull();
            assertThat(talking.socket.pings).isZero();
            assertThat(stream.socket.closed).as("a stream cannot answer pings").isNull();
            assertThat(stream.socket.pings).isPositive();
        }
    }

    @Test
    void anUnacknowledgedStreamIsClosedAndAStalledOneStays() {
        try (Lanes lanes = new Lanes(1, 1, "PingInterval=10 s")) {
            LaneClient vanished = lanes.connect(0);
            LaneClient stalled = lanes.connect(0);
            stalled.socket.acknowledged = silentMillis -> 0;
            int closedMillis = 0;
            for (int millis = 100; millis <= 60_000; millis += 100) {
                lanes.pass(100);
                if (vanished.socket.closed != null && closedMillis == 0) {
                    closedMillis = millis;
                }
            }
            assertThat(vanished.socket.closed).isEqualTo(Code.PING_TIMEOUT);
            assertThat(closedMillis).isBetween(20_000, 23_000);
            assertThat(stalled.socket.closed).isNull();
        }
    }

    @Test
    void anAcknowledgedStreamIsCheckedOncePerInterval() {
        try (Lanes lanes = new Lanes(1, 1, "PingInterval=10 s")) {
            LaneClient stream = lanes.connect(0);
            stream.acknowledgePings(lanes, 100_000);
            assertThat(stream.socket.closed).isNull();
            assertThat(stream.socket.pings).isBetween(8, 10);
            assertThat(stream.socket.checks).isBetween(7, 10);
        }
    }

    @Test
    void drainingSpreadsReconnectsAndClosesOverTheGivenTime() {
        try (Lanes lanes = new Lanes(1, 1)) {
            List<LaneClient> clients = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                clients.add(lanes.connect(0));
            }
            lanes.lane(0).drain(10_000);
            lanes.settle();
            lanes.pass(5000);
            long gone = clients.stream().filter(c -> c.session.isClosed()).count();
            assertThat(gone).isBetween(45L, 55L);
            lanes.pass(5100 + 300);
            assertThat(clients).allSatisfy(client -> {
                assertThat(client.socket.closed).isEqualTo(Code.DRAIN);
                assertThat(client.received(event -> event.op().equals("reconnect")))
                        .hasSize(1);
            });
            assertThat(lanes.counters.closes(Code.DRAIN)).isEqualTo(100);
        }
    }

    @Test
    void publishesBeforeTheReconnectNoticeAreAnswered() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient publisher = lanes.connect(0);
            long waiting = publisher.publish(lanes.subject(1, 0), "x");
            lanes.settleOnly(0);
            lanes.lane(0).drain(1);
            lanes.settleOnly(0);
            lanes.tickOnly(0);
            assertThat(publisher.received(event -> event.op().equals("reconnect")))
                    .hasSize(1);
            assertThat(publisher.socket.isPaused())
                    .as("the server stopped reading")
                    .isTrue();
            assertThat(publisher.socket.closed).isNull();
            lanes.settle();
            assertThat(publisher.answer(waiting).seq()).isEqualTo(1);
            lanes.pass(300);
            assertThat(publisher.socket.closed).isEqualTo(Code.DRAIN);
        }
    }

    @Test
    void aClientThatConnectsDuringADrainIsClosedToo() {
        try (Lanes lanes = new Lanes(1, 1)) {
            lanes.connect(0);
            lanes.lane(0).drain(1);
            lanes.settle();
            lanes.pass(400);
            LaneClient late = lanes.connect(0);
            lanes.pass(400);
            assertThat(late.socket.closed).isEqualTo(Code.DRAIN);
        }
    }

    @Test
    void aFailedWriteIsCountedAndOtherSessionsAreServed() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient broken = lanes.connect(0);
            LaneClient well = lanes.connect(0);
            broken.subscribe("/a");
            well.subscribe("/a");
            lanes.settle();
            broken.socket.breaks = true;
            well.publish("/a", "x");
            lanes.settle();
            lanes.tick();
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isEqualTo(1);
            ExpectedFaults.remove("this outbound is broken");
            assertThat(well.data("/a")).containsExactly("x");
            broken.socket.breaks = false;
        }
    }

    @Test
    void aFailedCallBetweenLanesDoesNotAffectOtherCalls() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient broken = lanes.connect(0, null);
            LaneClient well = lanes.connect(0);
            broken.subscribe(subject);
            well.subscribe(subject);
            broken.socket.breaksStaging = true;
            lanes.settle();
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isPositive();
            ExpectedFaults.remove("this outbound is broken");
            assertThat(well.ops()).contains("subscribed");
            broken.socket.breaksStaging = false;
        }
    }

    @Test
    void aCongestedLanePausesPublishersUntilItsInboxIsProcessed() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient publisher = lanes.connect(0);
            String data = "x".repeat(60_000);
            int sent = 0;
            while (!publisher.socket.isPaused() && sent < 1000) {
                publisher.publish(subject, data);
                lanes.settleOnly(0);
                sent++;
            }
            assertThat(sent).isBetween(200, 400);
            long waiting = publisher.publish(subject, "last");
            lanes.settle();
            lanes.tick();
            assertThat(publisher.socket.isPaused()).isFalse();
            lanes.settle();
            assertThat(publisher.answer(waiting).seq()).isEqualTo(sent + 1);
            assertThat(lanes.level(Counter.INBOX_BYTES)).isZero();
        }
    }

    @Test
    void levelsReportTheContentsOfTheLanes() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient client = lanes.connect(0);
            client.publish(lanes.subject(0, 0), "x");
            client.publish(lanes.subject(1, 0), "state", true, null);
            client.subscribe(lanes.subject(1, 1), "/x/*");
            lanes.settle();
            lanes.tick();
            assertThat(lanes.level(Counter.SUBJECTS)).isEqualTo(3);
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(2);
            assertThat(lanes.level(Counter.CACHED_MESSAGES)).isEqualTo(2);
            assertThat(lanes.level(Counter.RETAINED_MESSAGES)).isEqualTo(1);
            assertThat(lanes.counters.connectedSessions()).isEqualTo(1);
        }
    }
}
