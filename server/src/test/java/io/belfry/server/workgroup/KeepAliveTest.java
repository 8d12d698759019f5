package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.protocol.WireFormat;
import io.belfry.server.counter.Counter;
import org.junit.jupiter.api.Test;

/** Tests ping intervals that clients request, beside sessions with the default interval. */
class KeepAliveTest {
    private static final WireFormat[] ENCODINGS = {BelfryFormat.WEBSOCKET_JSON, BelfryFormat.WEBSOCKET_BINARY};

    private static String answeredMillis(LaneClient client, long id) {
        return client.answer(id).data();
    }

    @Test
    void connectedNamesTheRequestedInterval() {
        for (WireFormat encoding : ENCODINGS) {
            try (Lanes lanes = new Lanes(1, 1)) {
                LaneClient client = lanes.connect(0, encoding);
                long asked = client.requestPing(300_000);
                long again = client.connect(null);
                long plain = lanes.connect(0, encoding).connect(null);
                lanes.settle();
                assertThat(answeredMillis(client, asked)).isEqualTo("300000");
                assertThat(answeredMillis(client, again))
                        .as("a connect without a ping changes nothing")
                        .isEqualTo("300000");
                assertThat(answeredMillis(lanes.clients().get(1), plain)).isEqualTo("25000");
            }
        }
    }

    @Test
    void aRequestBeyondABoundGetsTheBoundAndIsCounted() {
        try (Lanes lanes = new Lanes(1, 1, "PingInterval.Min=20 s", "PingInterval.Max=1 m")) {
            LaneClient client = lanes.connect(0);
            long small = client.requestPing(1);
            long within = client.requestPing(30_000);
            long large = client.requestPing(0xffff_ffffL);
            lanes.settle();
            assertThat(answeredMillis(client, small)).isEqualTo("20000");
            assertThat(answeredMillis(client, within)).isEqualTo("30000");
            assertThat(answeredMillis(client, large)).isEqualTo("60000");
            assertThat(lanes.level(Counter.PING_INTERVALS_CLAMPED)).isEqualTo(2);
        }
    }

    @Test
    void aShortIntervalIsKeptBesideTheDefault() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient quick = lanes.connect(0);
            LaneClient plain = lanes.connect(0);
            quick.requestPing(10_000);
            quick.answerPings(lanes, 24_000);
            assertThat(quick.socket.pings).isEqualTo(2);
            assertThat(plain.socket.pings).isZero();
            lanes.pass(8_000);
            assertThat(plain.socket.pings).isPositive();
        }
    }

    @Test
    void aVanishedClientIsClosedAfterTwoOfItsIntervals() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient quick = lanes.connect(0);
            LaneClient slow = lanes.connect(0);
            LaneClient plain = lanes.connect(0);
            quick.requestPing(10_000);
            slow.requestPing(300_000);
            lanes.pass(20_000);
            assertThat(quick.socket.closed).isNull();
            lanes.pass(200);
            assertThat(quick.socket.closed).isEqualTo(Code.PING_TIMEOUT);
            lanes.pass(40_000);
            assertThat(plain.socket.closed).isEqualTo(Code.PING_TIMEOUT);
            assertThat(slow.socket.pings)
                    .as("pings during the default interval")
                    .isZero();
            lanes.pass(600_000 - 60_200);
            assertThat(slow.socket.closed).isNull();
            assertThat(slow.socket.pings).isPositive();
            lanes.pass(200);
            assertThat(slow.socket.closed).isEqualTo(Code.PING_TIMEOUT);
        }
    }

    @Test
    void anAnsweredPingBeginsTheNextInterval() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = lanes.connect(0);
            client.requestPing(300_000);
            client.answerPings(lanes, 3_600_000);
            assertThat(client.socket.pings).isBetween(11, 12);
            assertThat(client.socket.closed).isNull();
        }
    }

    @Test
    void anAcknowledgedStreamIsCheckedOncePerOwnInterval() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient stream = lanes.connect(0, null);
            lanes.in(
                    0,
                    () -> assertThat(stream.lane.requestPing(stream.session, 100_000))
                            .isEqualTo(100_000));
            stream.acknowledgePings(lanes, 1_000_000);
            assertThat(stream.socket.closed).isNull();
            assertThat(stream.socket.pings).isBetween(8, 10);
            assertThat(stream.socket.checks).isBetween(7, 10);
        }
    }

    @Test
    void sessionsLeaveTheScheduleWithTheirInterval() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient closed = lanes.connect(0);
            LaneClient back = lanes.connect(0);
            LaneClient usual = lanes.connect(0);
            closed.requestPing(300_000);
            back.requestPing(300_000);
            usual.requestPing(25_000);
            lanes.tick();
            assertThat(lanes.level(Counter.SESSIONS_WITH_OWN_PING)).isEqualTo(2);
            closed.vanish();
            back.requestPing(25_000);
            lanes.tick();
            assertThat(lanes.level(Counter.SESSIONS_WITH_OWN_PING)).isZero();
        }
    }

    @Test
    void messagesReachASessionWithItsOwnInterval() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = lanes.connect(0);
            client.requestPing(300_000);
            client.subscribe("/a");
            lanes.settle();
            assertThat(client.session.isOrdinary()).isTrue();
            client.publish("/a", "x");
            lanes.settle();
            assertThat(client.data("/a")).containsExactly("x");
        }
    }
}
