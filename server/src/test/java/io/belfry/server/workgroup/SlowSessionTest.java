package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.server.counter.Counter;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests sessions whose sockets do not take the messages they are sent. */
class SlowSessionTest {
    private static final String[] SMALL = {"MaxMessageSize=1 KB", "SlowConsumer.MaxBytes=2 KB"};

    static String[] small(String... more) {
        String[] all = java.util.Arrays.copyOf(SMALL, SMALL.length + more.length);
        System.arraycopy(more, 0, all, SMALL.length, more.length);
        return all;
    }

    @Test
    void aStalledSessionContinuesWhereItStoppedWhenItIsReady() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.subscribe(subject);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 100; i++) {
                publisher.publish(subject, "m" + i);
                lanes.settle();
            }
            assertThat(client.socket.queuedBytes())
                    .as("one message is queued, not a hundred")
                    .isLessThan(200);
            assertThat(client.socket.isPaused()).isTrue();
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isEqualTo(1);
            client.takeAll();
            lanes.settle();
            assertThat(client.seqs(subject))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 100).boxed().toList());
            assertThat(client.messages(subject))
                    .allMatch(message -> message.note().equals("live"));
            assertThat(client.socket.isPaused()).isFalse();
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isZero();
        }
    }

    @Test
    void aSocketReadyDuringAWriteDoesNotCauseRepeatedMessages() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(0);
            client.subscribe("/a", "/b");
            lanes.settle();
            client.stall();
            for (int i = 0; i < 6; i++) {
                publisher.publish("/a", "x".repeat(40_000));
                lanes.settle();
            }
            client.takeMore(client.socket.queuedBytes());
            publisher.publish("/b", "stalls it again before the answer comes");
            lanes.step();
            assertThat(client.session.isReady()).isFalse();
            client.socket.free(Long.MAX_VALUE);
            lanes.settle();
            assertThat(client.seqs("/a")).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        }
    }

    @Test
    void overMaxBytesForTheGraceASessionIsClosedAndCounted() {
        try (Lanes lanes = new Lanes(2, 1, small("SlowConsumer.Grace=2 s"))) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            client.subscribe(subject);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 5; i++) {
                lanes.connect(1).publish(subject, "x".repeat(900));
                lanes.settle();
            }
            assertThat(client.socket.closed).as("within the grace").isNull();
            // No tick runs, because it would close the session for taking nothing.
            lanes.clock.pass(2000);
            lanes.connect(1).publish(subject, "x");
            lanes.settle();
            assertThat(client.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
            assertThat(lanes.counters.closes(Code.SLOW_CONSUMER)).isEqualTo(1);
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isZero();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
        }
    }

    @Test
    void messagesReadBackNoLongerCountAsLag() {
        try (Lanes lanes = new Lanes(1, 1, "SlowConsumer.MaxBytes=300 KB")) {
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(0);
            client.subscribe("/a");
            lanes.settle();
            client.stall();
            publish(lanes, publisher, 25);
            while (client.seqs("/a").size() < 13) {
                client.takeMore(Math.max(1, client.socket.queuedBytes()));
                lanes.settle();
            }
            assertThat(client.session.isCatchingUp()).isTrue();
            publish(lanes, publisher, 20);
            assertThat(client.socket.closed).isNull();
            client.takeAll();
            lanes.settle();
            assertThat(client.seqs("/a"))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 45).boxed().toList());
        }
    }

    private static void publish(Lanes lanes, LaneClient publisher, int count) {
        for (int i = 0; i < count; i++) {
            publisher.publish("/a", "x".repeat(10_000));
            lanes.settle();
        }
    }

    @Test
    void aStalledSessionIsClosedAfterTheGrace() {
        try (Lanes lanes = new Lanes(1, 1, "SlowConsumer.Grace=2 s")) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/a");
            lanes.settle();
            client.stall();
            client.publish("/a", "x");
            lanes.pass(1900);
            assertThat(client.socket.closed).isNull();
            lanes.pass(300);
            assertThat(client.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
        }
    }

    /** The session takes one of two messages for ten seconds; messages evicted from the history are announced. */
    @Test
    void aSessionAtHalfThePublishersSpeedForTenSecondsIsNotClosed() {
        for (String size : new String[] {"CacheSize=10", "CacheSize=1000"}) {
            try (Lanes lanes = new Lanes(2, 1, small(size))) {
                String subject = lanes.subject(1, 0);
                LaneClient client = lanes.connect(0);
                LaneClient publisher = lanes.connect(1);
                client.subscribe(subject);
                lanes.settle();
                client.stall();
                takeHalf(lanes, client, publisher, subject, 10_000);
                assertThat(client.socket.closed).as(size).isNull();
                client.takeAll();
                lanes.settle();
                assertThat(client.messages(subject).size() + announced(client, Code.SLOW_CONSUMER))
                        .as(size)
                        .isEqualTo(200);
                assertThat(client.seqs(subject)).isSorted().endsWith(200L);
                assertThat(announced(client, Code.SLOW_CONSUMER) > 0).isEqualTo(size.equals("CacheSize=10"));
                assertThat(lanes.counters.drops(Code.SLOW_CONSUMER)).isEqualTo(announced(client, Code.SLOW_CONSUMER));
                assertThat(client.session.extras()).as("caught up").isNull();
            }
        }
    }

    /** Publishes two messages every 100 ms, of which the socket takes one. */
    private static void takeHalf(Lanes lanes, LaneClient client, LaneClient publisher, String subject, int millis) {
        for (int i = 0; i < millis / 100 && client.socket.closed == null; i++) {
            publisher.publish(subject, "x".repeat(900));
            publisher.publish(subject, "x".repeat(900));
            lanes.settle();
            client.takeMore(1000);
            lanes.pass(100);
        }
    }

    @Test
    void aSessionThatLagsForTheGraceIsClosedEvenIfItReads() {
        for (String size : new String[] {"CacheSize=2", "CacheSize=10", "CacheSize=1000"}) {
            try (Lanes lanes = new Lanes(2, 1, small(size, "SlowConsumer.Grace=5 s"))) {
                String subject = lanes.subject(1, 0);
                LaneClient client = lanes.connect(0);
                LaneClient publisher = lanes.connect(1);
                client.subscribe(subject);
                lanes.settle();
                client.stall();
                long before = lanes.clock.millis();
                takeHalf(lanes, client, publisher, subject, 20_000);
                assertThat(client.socket.closed).as(size).isEqualTo(Code.SLOW_CONSUMER);
                assertThat(lanes.clock.millis() - before).as(size).isBetween(5_000L, 12_000L);
            }
        }
    }

    @Test
    void messagesEvictedBeforeDeliveryAreAnnounced() {
        try (Lanes lanes = new Lanes(2, 1, "CacheSize=2")) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            client.subscribe(subject);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 9; i++) {
                lanes.connect(1).publish(subject, "m" + i);
                lanes.settle();
            }
            client.takeAll();
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L, 8L, 9L);
            assertThat(announced(client, Code.SLOW_CONSUMER)).isEqualTo(6);
            assertThat(lanes.counters.drops(Code.SLOW_CONSUMER)).isEqualTo(6);
            assertThat(client.socket.closed).isNull();
            assertThat(client.session.extras()).isNull();
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
        }
    }

    @Test
    void closingTheLastReaderOfAnExpiredSubjectSucceeds() {
        try (Lanes lanes = new Lanes(1, 1, "CacheExpireTime=1 s", "SlowConsumer.Grace=0")) {
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(0);
            client.subscribe("/a");
            lanes.settle();
            client.stall();
            for (int i = 0; i < 3; i++) {
                publisher.publish("/a", "m" + i);
                lanes.settle();
            }
            // No tick runs, because it would close the session for taking nothing.
            lanes.clock.pass(1500);
            client.takeAll();
            lanes.settle();
            assertThat(client.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
            lanes.pass(1500);
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            assertThat(lanes.knownSubjects()).isZero();
        }
    }

    @Test
    void withoutAHistoryTheQueueOfAStalledSessionIsBounded() {
        try (Lanes lanes = new Lanes(1, 1, small("CacheSize=0"))) {
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(0);
            client.subscribe("/a");
            lanes.settle();
            client.stall();
            publisher.publish("/a", "x".repeat(900));
            lanes.settle();
            publisher.publish("/a", "y".repeat(900));
            lanes.settle();
            assertThat(client.socket.closed).isNull();
            assertThat(client.socket.queuedBytes()).isGreaterThan(1800);
            publisher.publish("/a", "z".repeat(900));
            lanes.settle();
            assertThat(client.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
        }
    }

    @Test
    void withoutAHistoryALostSubscriberRemovesItsSubjectOnce() {
        try (Lanes lanes = new Lanes(1, 1, small("CacheSize=0"))) {
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(0);
            client.subscribe("/a");
            lanes.settle();
            client.stall();
            for (int i = 0; i < 4; i++) {
                publisher.publish("/a", "x".repeat(900));
                lanes.settle();
            }
            assertThat(client.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
            assertThat(lanes.knownSubjects()).isZero();
            publisher.subscribe("/b");
            publisher.publish("/b", "still well");
            lanes.settle();
            assertThat(publisher.data("/b")).containsExactly("still well");
        }
    }

    @Test
    void closingASlowSubscriberDoesNotAffectAPatternSubscriber() {
        for (int home = 0; home < 2; home++) {
            try (Lanes lanes = new Lanes(2, 1, small("CacheSize=0"))) {
                String subject = lanes.subject(home, 1);
                LaneClient slow = lanes.connect(1);
                LaneClient other = lanes.connect(1);
                LaneClient publisher = lanes.connect(0);
                slow.subscribe(subject);
                other.subscribe("/s1/*");
                lanes.settle();
                slow.stall();
                for (int i = 0; i < 4; i++) {
                    publisher.publish(subject, "x".repeat(900));
                    lanes.settle();
                }
                assertThat(slow.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
                assertThat(other.messages(subject)).hasSize(4);
                assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            }
        }
    }

    /** Returns the number of messages that gaps with this reason announced to a client. */
    static long announced(LaneClient client, Code reason) {
        return client.received(event -> event.op().equals("gap") && event.note().equals(reason.text())).stream()
                .mapToLong(gap -> gap.seq()
                        - java.util.Objects.requireNonNull(Position.parse(gap.data()))
                                .seq())
                .sum();
    }

    @Test
    void aSessionThatLagsInManySubjectsReadsAFewAtATime() {
        try (Lanes lanes = new Lanes(2, 1, "SlowConsumer.MaxBytes=100 MB", "CacheMemory=40 MB")) {
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.subscribe("/many/*");
            lanes.settle();
            client.stall();
            for (int i = 0; i < 100; i++) {
                for (int j = 0; j < 3; j++) {
                    publisher.publish("/many/" + i, "x".repeat(30_000));
                }
                lanes.settle();
            }
            client.takeMore(client.socket.queuedBytes() + 1);
            lanes.settle();
            assertThat(client.socket.queuedBytes()).isLessThan(1_000_000);
            client.takeAll();
            lanes.settle();
            for (int i = 0; i < 100; i++) {
                assertThat(client.seqs("/many/" + i)).containsExactly(1L, 2L, 3L);
            }
        }
    }
}
