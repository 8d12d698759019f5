package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Sessions whose sockets do not take what they are given. */
class SlowSessionTest {
    private static final String[] SMALL = {"MaxMessageSize=1 KB", "SlowConsumer.MaxBytes=2 KB"};

    private static String[] small(String... more) {
        String[] all = java.util.Arrays.copyOf(SMALL, SMALL.length + more.length);
        System.arraycopy(more, 0, all, SMALL.length, more.length);
        return all;
    }

    @Test
    void aStalledSessionKeepsItsPlaceAndReadsOnWhenItIsReady() {
        try (Lanes lanes = new Lanes(2, 1)) {
            String subject = lanes.subject(1, 0);
            Client client = lanes.connect(0);
            Client publisher = lanes.connect(1);
            client.subscribe(subject);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 100; i++) {
                publisher.publish(subject, "m" + i);
                lanes.settle();
            }
            assertThat(client.socket.queuedBytes())
                    .as("one message waits, not a hundred")
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
    void aSocketThatTurnsReadyWithinAWriteDoesNotMakeItsSessionReadTwice() {
        try (Lanes lanes = new Lanes(1, 1)) {
            Client client = lanes.connect(0);
            Client publisher = lanes.connect(0);
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
    void beyondMaxBytesItIsClosedAndCounted() {
        try (Lanes lanes = new Lanes(2, 1, small())) {
            String subject = lanes.subject(1, 0);
            Client client = lanes.connect(0);
            client.subscribe(subject);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 5; i++) {
                lanes.connect(1).publish(subject, "x".repeat(900));
                lanes.settle();
            }
            assertThat(client.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
            assertThat(lanes.counters.closes(Code.SLOW_CONSUMER)).isEqualTo(1);
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isZero();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
        }
    }

    @Test
    void whatWasReadAgainNoLongerCountsAsBehind() {
        try (Lanes lanes = new Lanes(1, 1, "SlowConsumer.MaxBytes=300 KB")) {
            Client client = lanes.connect(0);
            Client publisher = lanes.connect(0);
            client.subscribe("/a");
            lanes.settle();
            client.stall();
            publish(lanes, publisher, 25);
            while (client.seqs("/a").size() < 15) {
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

    private static void publish(Lanes lanes, Client publisher, int count) {
        for (int i = 0; i < count; i++) {
            publisher.publish("/a", "x".repeat(10_000));
            lanes.settle();
        }
    }

    @Test
    void beyondTheGraceItIsClosed() {
        try (Lanes lanes = new Lanes(1, 1, "SlowConsumer.Grace=2 s")) {
            Client client = lanes.connect(0);
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

    @Test
    void whoFallsBehindTheHistoryIsClosedAndNeverSilentlySkips() {
        try (Lanes lanes = new Lanes(2, 1, "CacheSize=2")) {
            String subject = lanes.subject(1, 0);
            Client client = lanes.connect(0);
            client.subscribe(subject);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 9; i++) {
                lanes.connect(1).publish(subject, "m" + i);
                lanes.settle();
            }
            client.takeAll();
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L);
            assertThat(client.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
        }
    }

    @Test
    void closingTheLastReaderOfAnExpiredSubjectIsNoFailure() {
        try (Lanes lanes = new Lanes(1, 1, "CacheExpireTime=1 s")) {
            Client client = lanes.connect(0);
            Client publisher = lanes.connect(0);
            client.subscribe("/a");
            lanes.settle();
            client.stall();
            for (int i = 0; i < 3; i++) {
                publisher.publish("/a", "m" + i);
                lanes.settle();
            }
            lanes.pass(1500);
            client.takeAll();
            lanes.settle();
            assertThat(client.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            assertThat(lanes.knownSubjects()).isZero();
        }
    }

    @Test
    void withoutAHistoryAStalledSessionHasABudgetOfBytes() {
        try (Lanes lanes = new Lanes(1, 1, small("CacheSize=0"))) {
            Client client = lanes.connect(0);
            Client publisher = lanes.connect(0);
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
    void withoutAHistoryClosingTheLastSubscriberDuringItsPublishForgetsTheSubjectOnce() {
        try (Lanes lanes = new Lanes(1, 1, small("CacheSize=0"))) {
            Client client = lanes.connect(0);
            Client publisher = lanes.connect(0);
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
    void aSlowFollowerByNameIsClosedAndTheFollowerByPatternStillGetsTheMessage() {
        for (int home = 0; home < 2; home++) {
            try (Lanes lanes = new Lanes(2, 1, small("CacheSize=0"))) {
                String subject = lanes.subject(home, 1);
                Client slow = lanes.connect(1);
                Client other = lanes.connect(1);
                Client publisher = lanes.connect(0);
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
}
