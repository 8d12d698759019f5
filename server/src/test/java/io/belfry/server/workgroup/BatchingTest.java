package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.testsupport.ExpectedFaults;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Tests {@code MaxBatchingTime} and {@code MaxBatchingSpace}: messages of a busy session are sent in one write. */
class BatchingTest {
    private static final String TEN_MILLIS = "MaxBatchingTime=10";

    @Test
    void anIdleSessionReceivesAMessageAtOnce() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient client = subscriber(lanes);
            publish(lanes, 1);
            assertThat(client.seqs("/a")).containsExactly(1L);
            lanes.passShortly(10);
            publish(lanes, 1);
            assertThat(client.seqs("/a")).containsExactly(1L, 2L);
        }
    }

    @Test
    void furtherMessagesAreSentInOneWriteAfterTheBatchingTime() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient client = subscriber(lanes);
            publish(lanes, 1);
            lanes.passShortly(3);
            int writes = client.socket.writes;
            for (int i = 0; i < 5; i++) {
                publish(lanes, 1);
                lanes.passShortly(1);
            }
            assertThat(client.seqs("/a")).containsExactly(1L);
            assertThat(lanes.level(Counter.HELD_SESSIONS)).isEqualTo(1);
            lanes.passShortly(4);
            assertThat(client.socket.writes).isEqualTo(writes);
            lanes.passShortly(1);
            assertThat(client.socket.writes).isEqualTo(writes + 1);
            assertThat(client.seqs("/a")).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
            assertThat(lanes.level(Counter.HELD_SESSIONS)).isZero();
            assertThat(lanes.level(Counter.MESSAGES_OUT)).isEqualTo(6);
        }
    }

    @Test
    void deliveryLatencyIncludesTheBatchingTime() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            subscriber(lanes);
            publish(lanes, 1);
            lanes.passShortly(1);
            publish(lanes, 3);
            lanes.passShortly(10);
            Histogram latency = lanes.counters.loop(0).deliveryLatency().takeInterval();
            assertThat(latency.getTotalCount()).isEqualTo(4);
            assertThat(latency.getCountBetweenValues(9_900, 10_100)).isEqualTo(3);
        }
    }

    @Test
    void eachSessionHasItsOwnBatchingTime() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient early = subscriber(lanes);
            publish(lanes, 2);
            lanes.passShortly(4);
            publish(lanes, 1);
            LaneClient late = subscriber(lanes);
            publish(lanes, 1);
            assertThat(late.seqs("/a")).containsExactly(4L);
            publish(lanes, 1);
            lanes.passShortly(10);
            assertThat(early.seqs("/a")).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(late.seqs("/a")).containsExactly(4L, 5L);
        }
    }

    @Test
    void aBatchKeepsTheOrderOfMessagesOfSeveralSubjects() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/a", "/b");
            lanes.settle();
            LaneClient publisher = lanes.connect(0);
            for (int i = 0; i < 6; i++) {
                publisher.publish(i % 2 == 0 ? "/a" : "/b", "m" + i);
                publisher.publish("/others", "not subscribed to");
                lanes.settle();
            }
            lanes.passShortly(10);
            assertThat(client.received(event -> event.op().equals("message")))
                    .extracting(ReceivedEvent::data)
                    .containsExactly("m0", "m1", "m2", "m3", "m4", "m5");
        }
    }

    @Test
    void anAnswerFlushesTheMessagesBeforeIt() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient client = subscriber(lanes);
            publish(lanes, 1);
            publish(lanes, 1);
            client.clearReceived();
            int writes = client.socket.writes;
            client.ping();
            lanes.settle();
            assertThat(client.ops()).containsExactly("message", "pong");
            assertThat(client.socket.writes).isEqualTo(writes + 1);
            lanes.passShortly(20);
            assertThat(client.socket.writes).isEqualTo(writes + 1);
        }
    }

    @Test
    void anAnswerDoesNotMakeASessionBusy() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient client = subscriber(lanes);
            client.ping();
            lanes.settle();
            publish(lanes, 1);
            assertThat(client.seqs("/a")).containsExactly(1L);
        }
    }

    @Test
    void aBatchOfMaxBatchingSpaceIsSentAtOnce() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS, "MaxBatchingSpace=1 KB")) {
            LaneClient client = subscriber(lanes);
            publish(lanes, 1);
            for (int i = 0; i < 7; i++) {
                lanes.connect(0).publish("/a", "x".repeat(300));
                lanes.settle();
            }
            assertThat(client.seqs("/a")).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(lanes.level(Counter.BATCHES_FULL)).isEqualTo(1);
            lanes.passShortly(10);
            assertThat(client.seqs("/a")).hasSize(8);
        }
    }

    @Test
    void withoutMaxBatchingSpaceADefaultBoundApplies() {
        try (Lanes lanes = new Lanes(1, 1, "MaxBatchingTime=10 s")) {
            LaneClient client = subscriber(lanes);
            publish(lanes, 1);
            for (int i = 0; i < 7; i++) {
                lanes.connect(0).publish("/a", "x".repeat(10_000));
                lanes.settle();
            }
            assertThat(client.seqs("/a")).hasSize(8);
        }
    }

    @Test
    void recoveredMessagesAreNotBatched() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/b");
            lanes.settle();
            publish(lanes, 3);
            LaneClient publisher = lanes.connect(0);
            publisher.publish("/b", "makes it busy");
            lanes.settle();
            publisher.publish("/b", "waits");
            lanes.settle();
            client.resume("/a", Lanes.EPOCH, 1);
            lanes.settle();
            assertThat(client.seqs("/a")).containsExactly(2L, 3L);
            assertThat(client.data("/b")).containsExactly("makes it busy", "waits");
        }
    }

    @Test
    void aSessionWithItsOwnEncodingIsBatchedToo() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient client = lanes.connect(0, null);
            client.subscribe("/a");
            lanes.settle();
            publish(lanes, 1);
            publish(lanes, 2);
            assertThat(client.seqs("/a")).containsExactly(1L);
            lanes.passShortly(10);
            assertThat(client.seqs("/a")).containsExactly(1L, 2L, 3L);
        }
    }

    @Test
    void aSessionThatStallsOnABatchContinuesFromTheHistory() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient client = subscriber(lanes);
            publish(lanes, 1);
            publish(lanes, 3);
            client.stall();
            lanes.passShortly(10);
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isEqualTo(1);
            publish(lanes, 3);
            client.takeAll();
            lanes.settle();
            lanes.passShortly(20);
            assertThat(client.seqs("/a")).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
            assertThat(lanes.level(Counter.HELD_SESSIONS)).isZero();
        }
    }

    @Test
    void waitingMessagesAreSentBeforeAnOrderlyClose() {
        try (Lanes lanes = new Lanes(1, 1, "MaxBatchingTime=1 s")) {
            LaneClient client = subscriber(lanes);
            publish(lanes, 1);
            publish(lanes, 2);
            lanes.lane(0).drain(1);
            lanes.settle();
            lanes.pass(400);
            assertThat(client.socket.closed).isEqualTo(Code.DRAIN);
            assertThat(client.seqs("/a")).containsExactly(1L, 2L, 3L);
            assertThat(lanes.level(Counter.HELD_SESSIONS)).isZero();
        }
    }

    @Test
    void theBatchOfALostSessionIsDiscardedAndItsSlotStartsIdle() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient client = subscriber(lanes);
            LaneClient other = subscriber(lanes);
            publish(lanes, 1);
            publish(lanes, 2);
            client.vanish();
            assertThat(lanes.level(Counter.HELD_SESSIONS)).isEqualTo(1);
            LaneClient next = subscriber(lanes);
            assertThat(next.session.slot()).isEqualTo(client.session.slot());
            publish(lanes, 1);
            assertThat(next.seqs("/a")).containsExactly(4L);
            lanes.passShortly(10);
            assertThat(other.seqs("/a")).containsExactly(1L, 2L, 3L, 4L);
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
        }
    }

    @Test
    void aFailedBatchWriteClosesOnlyItsSession() {
        try (Lanes lanes = new Lanes(1, 1, TEN_MILLIS)) {
            LaneClient broken = subscriber(lanes);
            LaneClient sound = subscriber(lanes);
            publish(lanes, 1);
            publish(lanes, 2);
            broken.socket.breaks = true;
            lanes.passShortly(10);
            assertThat(broken.socket.closed).isEqualTo(Code.INTERNAL);
            ExpectedFaults.remove("this outbound is broken");
            assertThat(sound.seqs("/a")).containsExactly(1L, 2L, 3L);
            assertThat(lanes.level(Counter.HELD_SESSIONS)).isZero();
        }
    }

    @Test
    void waitingMessagesOutliveTheBlockTheyWereEncodedIn() {
        try (Lanes lanes = new Lanes(1, 1, "MaxBatchingTime=1 s", "MaxBatchingSpace=1 MB")) {
            LaneClient early = subscriber(lanes);
            publish(lanes, 1);
            LaneClient publisher = lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY);
            for (int i = 0; i < 40; i++) {
                publisher.publish(i % 4 == 0 ? "/a" : "/others", "m" + i + "x".repeat(6000));
                lanes.settle();
                if (i == 20) {
                    subscriber(lanes).subscribe("/others");
                }
            }
            assertThat(early.seqs("/a")).containsExactly(1L);
            lanes.passShortly(1000);
            assertThat(early.data("/a")).hasSize(11).last().asString().startsWith("m36x");
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
        }
    }

    private static LaneClient subscriber(Lanes lanes) {
        LaneClient client = lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY);
        client.subscribe("/a");
        lanes.settle();
        return client;
    }

    /** Publishes messages, each in a turn of its own. */
    private static void publish(Lanes lanes, int count) {
        for (int i = 0; i < count; i++) {
            LaneClient publisher = lanes.connect(0, BelfryFormat.WEBSOCKET_BINARY);
            publisher.publish("/a", "m");
            lanes.settle();
            publisher.vanish();
        }
    }
}
