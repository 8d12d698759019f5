package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.SlowSession;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests what sessions that are too slow receive under each policy. */
class SlowPolicyTest {
    private static String[] policy(String policy, String... more) {
        String[] all = java.util.Arrays.copyOf(more, more.length + 1);
        all[more.length] = "SlowConsumer=" + policy;
        return SlowSessionTest.small(all);
    }

    @Test
    void withDropAnOverfullSessionReceivesTheLatestAndAGap() {
        try (Lanes lanes = new Lanes(2, 1, policy("drop"))) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.subscribe(subject);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 9; i++) {
                publisher.publish(subject, "x".repeat(900));
                lanes.settle();
            }
            assertThat(client.socket.closed).isNull();
            client.takeAll();
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L, 8L, 9L);
            assertThat(SlowSessionTest.announced(client, Code.SLOW_CONSUMER)).isEqualTo(6);
            assertThat(lanes.counters.drops(Code.SLOW_CONSUMER)).isEqualTo(6);
            publisher.publish(subject, "live");
            lanes.settle();
            assertThat(client.seqs(subject)).endsWith(9L, 10L);
            assertThat(client.session.extras()).isNull();
        }
    }

    @Test
    void withDropMessagesOlderThanTheGraceAreDropped() {
        try (Lanes lanes = new Lanes(2, 1, policy("drop", "SlowConsumer.Grace=2 s", "PingInterval=1 m"))) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.subscribe(subject);
            lanes.settle();
            client.stall();
            publisher.publish(subject, "fills the socket");
            publisher.publish(subject, "old");
            lanes.settle();
            lanes.pass(3000);
            publisher.publish(subject, "new");
            lanes.settle();
            client.takeAll();
            lanes.settle();
            assertThat(client.socket.closed).isNull();
            assertThat(client.seqs(subject)).containsExactly(1L, 2L, 3L);
            client.stall();
            publisher.publish(subject, "fills the socket");
            lanes.settle();
            publisher.publish(subject, "old");
            lanes.settle();
            lanes.pass(3000);
            publisher.publish(subject, "new");
            lanes.settle();
            client.takeAll();
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L, 2L, 3L, 4L, 6L);
            assertThat(SlowSessionTest.announced(client, Code.SLOW_CONSUMER)).isEqualTo(1);
            assertThat(lanes.counters.drops(Code.SLOW_CONSUMER)).isEqualTo(1);
        }
    }

    @Test
    void withConflateAnOverfullSessionReceivesTheLatestMessages() {
        try (Lanes lanes = new Lanes(2, 1, policy("conflate"))) {
            String one = lanes.subject(1, 0);
            String other = lanes.subject(0, 1);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.subscribe(one, other);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 5; i++) {
                publisher.publish(one, "x".repeat(900));
                publisher.publish(other, "y".repeat(900));
                lanes.settle();
            }
            client.takeAll();
            lanes.settle();
            assertThat(client.seqs(one)).endsWith(5L).hasSizeLessThanOrEqualTo(2);
            assertThat(client.seqs(other)).endsWith(5L).hasSizeLessThanOrEqualTo(2);
            assertThat(client.messages(one).size()
                            + client.messages(other).size()
                            + SlowSessionTest.announced(client, Code.CONFLATED))
                    .isEqualTo(10);
            assertThat(lanes.counters.conflations(Code.CONFLATED))
                    .isEqualTo(SlowSessionTest.announced(client, Code.CONFLATED));
            assertThat(lanes.level(Counter.MESSAGES_DROPPED)).isZero();
        }
    }

    @Test
    void dropAndConflateAnnounceEvictedMessages() {
        for (String policy : new String[] {"drop", "conflate"}) {
            try (Lanes lanes = new Lanes(2, 1, "CacheSize=3", "SlowConsumer=" + policy)) {
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
                boolean drop = policy.equals("drop");
                assertThat(client.socket.closed).isNull();
                assertThat(client.seqs(subject))
                        .containsExactly(drop ? new Long[] {1L, 7L, 8L, 9L} : new Long[] {1L, 9L});
                assertThat(lanes.counters.drops(Code.SLOW_CONSUMER)).isEqualTo(drop ? 5 : 0);
                assertThat(lanes.counters.conflations(Code.CONFLATED)).isEqualTo(drop ? 0 : 7);
                assertThat(SlowSessionTest.announced(client, drop ? Code.SLOW_CONSUMER : Code.CONFLATED))
                        .isEqualTo(drop ? 5 : 7);
            }
        }
    }

    @Test
    void oneSubjectWithDisconnectClosesTheSession() {
        try (Lanes lanes =
                new Lanes(2, 1, policy("drop", "SlowConsumer.Subjects=/s1/* disconnect", "SlowConsumer.Grace=2 s"))) {
            String dropped = lanes.subject(1, 0);
            String strict = lanes.subject(0, 1);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.subscribe(dropped, strict);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 9; i++) {
                publisher.publish(dropped, "x".repeat(900));
                lanes.settle();
            }
            assertThat(client.socket.closed).isNull();
            publisher.publish(strict, "must be delivered or the session is closed");
            lanes.settle();
            assertThat(client.socket.closed).as("within the grace").isNull();
            lanes.pass(2100);
            publisher.publish(strict, "the grace has passed");
            lanes.settle();
            assertThat(client.socket.closed).isEqualTo(Code.SLOW_CONSUMER);
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isZero();
        }
    }

    @Test
    void theLineOfASubjectReplacesTheOtherPolicies() {
        String[] settings = policy(
                "drop",
                "SlowConsumer.Subjects=/s1/* disconnect",
                "Subjects.1=/s1/* slow=conflate",
                "Subjects.2=/s2/* history=1000");
        try (Lanes lanes = new Lanes(2, 1, settings)) {
            String conflated = lanes.subject(1, 1);
            String dropped = lanes.subject(1, 2);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.subscribe(conflated, dropped);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 3; i++) {
                publisher.publish(conflated, "x".repeat(700));
                publisher.publish(dropped, "x".repeat(700));
                lanes.settle();
            }
            lanes.pass(1000);
            assertThat(lanes.counters.slowest(20).getFirst().policy()).isEqualTo("conflate, drop");
        }
    }

    @Test
    void withoutAHistoryDropAnnouncesOneGapPerSubject() {
        try (Lanes lanes = new Lanes(2, 1, policy("drop", "CacheSize=0"))) {
            String subject = lanes.subject(1, 0);
            LaneClient client = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            client.subscribe(subject);
            lanes.settle();
            client.stall();
            for (int i = 0; i < 50; i++) {
                publisher.publish(subject, "x".repeat(900));
                lanes.settle();
            }
            assertThat(client.socket.queuedBytes()).isLessThan(3000);
            client.takeAll();
            publisher.publish(subject, "live");
            lanes.settle();
            assertThat(client.seqs(subject)).containsExactly(1L, 2L, 51L);
            assertThat(client.received(event -> event.op().equals("gap"))).hasSize(1);
            assertThat(SlowSessionTest.announced(client, Code.SLOW_CONSUMER)).isEqualTo(48);
            assertThat(lanes.counters.drops(Code.SLOW_CONSUMER)).isEqualTo(48);
        }
    }

    @Test
    void withoutAHistoryConflateKeepsOneSharedCopyOfTheLatest() {
        try (Lanes lanes = new Lanes(2, 1, policy("conflate", "CacheSize=0"))) {
            String subject = lanes.subject(1, 0);
            LaneClient publisher = lanes.connect(1);
            LaneClient[] clients = {lanes.connect(0), lanes.connect(0), lanes.connect(0)};
            for (LaneClient client : clients) {
                client.subscribe(subject);
            }
            lanes.settle();
            for (LaneClient client : clients) {
                client.stall();
            }
            for (int i = 1; i <= 50; i++) {
                publisher.publish(subject, "m" + i + " " + "x".repeat(900));
                lanes.settle();
            }
            clients[0].vanish();
            clients[1].takeAll();
            lanes.settle();
            publisher.publish(subject, "m51");
            lanes.settle();
            clients[2].takeAll();
            lanes.settle();
            assertThat(clients[1].seqs(subject)).containsExactly(1L, 2L, 50L, 51L);
            assertThat(clients[2].seqs(subject)).containsExactly(1L, 2L, 51L);
            assertThat(lanes.counters.conflations(Code.CONFLATED)).isEqualTo(47 + 48);
        }
    }

    @Test
    void aSessionThatReadsNothingForTwoPingIntervalsIsClosed() {
        try (Lanes lanes = new Lanes(1, 1, policy("drop", "PingInterval=1 s", "SlowConsumer.Grace=100 ms"))) {
            LaneClient dead = lanes.connect(0);
            LaneClient slow = lanes.connect(0);
            LaneClient publisher = lanes.connect(0);
            dead.subscribe("/a");
            slow.subscribe("/a");
            lanes.settle();
            dead.stall();
            slow.stall();
            publisher.publish("/a", "x".repeat(900));
            lanes.settle();
            for (int i = 0; i < 50; i++) {
                slow.takeMore(10);
                publisher.ping();
                lanes.pass(100);
            }
            assertThat(dead.socket.closed).isEqualTo(Code.PING_TIMEOUT);
            assertThat(slow.socket.closed).isNull();
            assertThat(slow.session.isReady()).isFalse();
        }
    }

    @Test
    void theSlowestSessionsAreListedWithTheirLagAndItsStart() {
        try (Lanes lanes = new Lanes(2, 1, policy("drop", "SlowConsumer.Subjects=/s1/* conflate"))) {
            String subject = lanes.subject(1, 0);
            String other = lanes.subject(0, 1);
            LaneClient worse = lanes.connect(0);
            LaneClient slow = lanes.connect(0);
            LaneClient publisher = lanes.connect(1);
            worse.subscribe(subject, other);
            slow.subscribe(subject);
            lanes.settle();
            long before = lanes.clock.millis();
            worse.stall();
            slow.stall();
            for (int i = 0; i < 3; i++) {
                publisher.publish(subject, "x".repeat(700));
                publisher.publish(other, "x".repeat(700));
                lanes.settle();
            }
            lanes.pass(1000);
            List<SlowSession> slowest = lanes.counters.slowest(20);
            assertThat(slowest).hasSize(2);
            assertThat(slowest.getFirst().policy()).isEqualTo("conflate, drop");
            assertThat(slowest.getFirst().state()).isEqualTo(SlowSession.State.TOO_SLOW);
            assertThat(slowest.getFirst().behindMessages() + slowest.getFirst().subjects())
                    .isGreaterThan(5);
            assertThat(slowest.getLast().state()).isEqualTo(SlowSession.State.STALLED);
            assertThat(slowest.getLast().behindMessages()).isEqualTo(2);
            assertThat(slowest.getLast().behindBytes()).isEqualTo(2 * (700 + 32));
            assertThat(slowest.getLast().queuedBytes()).isGreaterThan(700);
            assertThat(slowest.getLast().subjects()).isEqualTo(1);
            assertThat(slowest.getLast().sinceMillis()).isEqualTo(before);
            worse.takeAll();
            slow.takeAll();
            lanes.pass(1000);
            assertThat(lanes.counters.slowest(20)).isEmpty();
        }
    }
}
