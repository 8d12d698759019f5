package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubjectPosition;
import io.belfry.server.counter.Counter;
import io.belfry.server.session.SessionPlaces;
import io.belfry.testsupport.TestScope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests sessions that outlive their connection: what returning clients get, on any lane, and when kept sessions end. */
class KeptSessionsTest {
    private static SubjectPosition at(String subject, long seq) {
        return new SubjectPosition(subject.getBytes(StandardCharsets.UTF_8), new Position(Lanes.EPOCH, seq));
    }

    /** Connects a client that asks to keep its session; returns the id of the session. */
    private static String keep(LaneClient client, Lanes lanes) {
        long id = client.request(new ConnectRequest(null, 0, KeptSession.NEW, null));
        lanes.settle();
        assertThat(client.answer(id).epoch()).isEqualTo(60_000);
        return client.answer(id).note();
    }

    private static ReceivedEvent resume(LaneClient client, Lanes lanes, String session, SubjectPosition... positions) {
        long id = client.request(new ConnectRequest(null, 0, new KeptSession(session, Arrays.asList(positions)), null));
        lanes.settle();
        return client.answer(id);
    }

    private static void publish(Lanes lanes, LaneClient publisher, String subject, int count) {
        for (int i = 0; i < count; i++) {
            publisher.publish(subject, "m");
        }
        lanes.settle();
    }

    @Test
    void aReturningClientContinuesOnAnyLane() {
        for (int lane = 0; lane < 3; lane++) {
            try (Lanes lanes = new Lanes(3, lane)) {
                LaneClient publisher = lanes.connect();
                LaneClient client = lanes.connect(1);
                String session = keep(client, lanes);
                List<String> subjects = IntStream.range(0, 3)
                        .mapToObj(home -> lanes.subject(home, 0))
                        .toList();
                client.subscribe(subjects.toArray(String[]::new));
                lanes.settle();
                subjects.forEach(subject -> publish(lanes, publisher, subject, 2));
                client.vanish();
                lanes.settle();
                assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isEqualTo(1);
                assertThat(lanes.lane(1).inspector().row(client.session))
                        .matches(row -> row.state().equals("detached") && row.queuedBytes() == 0);
                subjects.forEach(subject -> publish(lanes, publisher, subject, 3));
                LaneClient returned = lanes.connect(lane);
                // Message 2 was under way when the connection was lost.
                ReceivedEvent connected = resume(
                        returned,
                        lanes,
                        session,
                        at(subjects.get(0), 1),
                        at(subjects.get(1), 1),
                        at(subjects.get(2), 1));
                assertThat(connected.seq()).isEqualTo(1);
                assertThat(connected.note()).isNotEqualTo(session);
                subjects.forEach(subject -> publish(lanes, publisher, subject, 1));
                for (String subject : subjects) {
                    assertThat(returned.seqs(subject)).containsExactly(2L, 3L, 4L, 5L, 6L);
                }
                assertThat(returned.ops()).doesNotContain("subscribed", "error", "gap");
                assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
                assertThat(lanes.level(Counter.DETACHED_BYTES)).isZero();
                assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(3);
                assertThat(lanes.level(Counter.SESSIONS_RESUMED)).isEqualTo(1);
            }
        }
    }

    @Test
    void returningClientsMissNothingInAnyOrderOfTasks() {
        for (int seed = 0; seed < TestScope.seeds(50, 25); seed++) {
            try (Lanes lanes = new Lanes(4, seed)) {
                String subject = lanes.subject(seed % 4, 0);
                LaneClient publisher = lanes.connect();
                LaneClient client = lanes.connect();
                String session = keep(client, lanes);
                client.deltas = seed % 2 == 0;
                client.subscribe(subject);
                lanes.settle();
                int published = 0;
                List<Long> received = new ArrayList<>();
                for (int round = 0; round < 4; round++) {
                    for (int i = lanes.random.nextInt(4); i >= 0; i--) {
                        publisher.publish(subject, "m" + published + " the same".repeat(10));
                        published++;
                    }
                    IntStream.range(0, lanes.random.nextInt(6)).forEach(i -> lanes.step());
                    client.vanish();
                    received.addAll(client.seqs(subject));
                    long last = received.isEmpty() ? 0 : received.getLast();
                    publisher.publish(subject, "m");
                    published++;
                    IntStream.range(0, lanes.random.nextInt(6)).forEach(i -> lanes.step());
                    client = lanes.connect();
                    ReceivedEvent connected = resume(client, lanes, session, at(subject, last));
                    assertThat(connected.seq()).as("seed %d", seed).isEqualTo(1);
                    session = connected.note();
                }
                lanes.settle();
                received.addAll(client.seqs(subject));
                assertThat(received)
                        .as("seed %d", seed)
                        .isEqualTo(LongStream.rangeClosed(1, published).boxed().toList());
                assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
            }
        }
    }

    @Test
    void lostHistoryIsAnnouncedToAReturningClient() {
        try (Lanes lanes = new Lanes(2, 1, "CacheSize=2")) {
            LaneClient publisher = lanes.connect();
            LaneClient client = lanes.connect(0);
            String session = keep(client, lanes);
            client.subscribe("/a");
            lanes.settle();
            publish(lanes, publisher, "/a", 1);
            client.vanish();
            publish(lanes, publisher, "/a", 5);
            LaneClient returned = lanes.connect(1);
            resume(returned, lanes, session, at("/a", 1));
            assertThat(returned.received(event -> event.op().equals("gap")))
                    .singleElement()
                    .satisfies(gap -> assertThat(gap.seq()).isEqualTo(4));
            assertThat(returned.seqs("/a")).containsExactly(5L, 6L);
        }
    }

    @Test
    void aConnectionThatStillWorksIsClosedForTheNewcomer() {
        for (int lane = 0; lane < 2; lane++) {
            try (Lanes lanes = new Lanes(2, 1)) {
                LaneClient publisher = lanes.connect(0);
                LaneClient client = lanes.connect(0);
                String session = keep(client, lanes);
                client.subscribe("/a");
                lanes.settle();
                LaneClient newcomer = lanes.connect(lane);
                assertThat(resume(newcomer, lanes, session, at("/a", 0)).seq()).isEqualTo(1);
                assertThat(client.socket.closed).isEqualTo(Code.SESSION_TAKEN);
                publish(lanes, publisher, "/a", 1);
                assertThat(newcomer.seqs("/a")).containsExactly(1L);
                assertThat(client.seqs("/a")).isEmpty();
                assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(1);
                assertThat(lanes.level(Counter.SESSIONS_OPENED) - lanes.level(Counter.SESSIONS_CLOSED))
                        .isEqualTo(2);
            }
        }
    }

    @Test
    void aSessionEndsWhenItsClientDoesNotReturnInTime() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient client = lanes.connect(0);
            String session = keep(client, lanes);
            client.subscribe("/a");
            lanes.settle();
            client.vanish();
            lanes.pass(59_000);
            assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isEqualTo(1);
            lanes.pass(1_100);
            assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
            assertThat(lanes.level(Counter.DETACHED_SESSIONS_ENDED)).isEqualTo(1);
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
            assertThat(resume(lanes.connect(1), lanes, session, at("/a", 0)).seq())
                    .isZero();
            assertThat(lanes.level(Counter.SESSIONS_NOT_RESUMED)).isEqualTo(1);
        }
    }

    @Test
    void anIdThatTheNodeDidNotIssueContinuesNothing() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient client = lanes.connect(0);
            String session = keep(client, lanes);
            client.subscribe("/a");
            lanes.settle();
            client.vanish();
            int proof = session.lastIndexOf('.') + 1;
            String name = session.substring(0, proof - 1);
            char first = session.charAt(proof) == 'A' ? 'B' : 'A';
            String wrong = session.substring(0, proof) + first + session.substring(proof + 1);
            for (String other : List.of(name, name + ".", name + ".?", wrong, "x", ".")) {
                assertThat(resume(lanes.connect(0), lanes, other).seq())
                        .as(other)
                        .isZero();
            }
            assertThat(resume(lanes.connect(0), lanes, session).seq()).isEqualTo(1);
        }
    }

    @Test
    void theOldestSessionEndsBeyondTheLimit() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.DetachedSessions=2")) {
            List<String> sessions = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                LaneClient client = lanes.connect(0);
                sessions.add(keep(client, lanes));
                client.subscribe("/a");
                lanes.settle();
                client.vanish();
                lanes.settle();
            }
            assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isEqualTo(2);
            assertThat(resume(lanes.connect(0), lanes, sessions.get(0)).seq()).isZero();
            assertThat(resume(lanes.connect(0), lanes, sessions.get(1)).seq()).isEqualTo(1);
        }
    }

    @Test
    void aSessionLargerThanTheLimitOfBytesIsNotKept() {
        try (Lanes lanes = new Lanes(1, 1, "Limit.DetachedBytes=700")) {
            LaneClient client = lanes.connect(0);
            keep(client, lanes);
            client.subscribe("/a", "/b");
            lanes.settle();
            client.vanish();
            lanes.settle();
            assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
        }
    }

    @Test
    void sessionsWithoutSubjectsAndClosedSessionsAreNotKept() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient pattern = lanes.connect(0);
            keep(pattern, lanes);
            pattern.subscribe("/a/*");
            lanes.settle();
            pattern.vanish();
            LaneClient closing = lanes.connect(0);
            keep(closing, lanes);
            closing.subscribe("/a", "/a/*");
            lanes.settle();
            lanes.in(0, () -> closing.lane.onGone(closing.session, Code.CLIENT_CLOSED));
            lanes.settle();
            assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
        }
    }

    @Test
    void patternsEndWithTheConnectionAndContinueFromTheirPosition() {
        for (int lane = 0; lane < 3; lane++) {
            for (boolean lost : new boolean[] {true, false}) {
                try (Lanes lanes = new Lanes(3, 1)) {
                    LaneClient publisher = lanes.connect(2);
                    LaneClient client = lanes.connect(1);
                    String session = keep(client, lanes);
                    client.subscribe("/own", "/p/both");
                    long id = client.subscribe("/p/**");
                    lanes.settle();
                    String position = client.answer(id).data();
                    List<String> known = List.of("/own", "/p/both", "/p/only");
                    known.forEach(subject -> publish(lanes, publisher, subject, 1));
                    if (lost) {
                        client.vanish();
                        lanes.settle();
                        assertThat(lanes.lane(1).parts().patterns.size()).isZero();
                        assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(2);
                        assertThat(lanes.level(Counter.DETACHED_BYTES)).isEqualTo(400 + 2 * 200);
                    }
                    List<String> all = new ArrayList<>(known);
                    all.add("/p/new");
                    all.forEach(subject -> publish(lanes, publisher, subject, 2));
                    LaneClient returned = lanes.connect(lane);
                    assertThat(resume(returned, lanes, session, at("/own", 1), at("/p/both", 1))
                                    .seq())
                            .isEqualTo(1);
                    returned.resumePattern("/p/**", position);
                    lanes.settle();
                    all.forEach(subject -> publish(lanes, publisher, subject, 1));
                    assertThat(returned.seqs("/own")).containsExactly(2L, 3L, 4L);
                    assertThat(returned.seqs("/p/both")).containsExactly(2L, 3L, 4L);
                    // The position precedes the first message.
                    assertThat(returned.seqs("/p/only")).containsExactly(1L, 2L, 3L, 4L);
                    assertThat(returned.seqs("/p/new")).containsExactly(1L, 2L, 3L);
                    assertThat(returned.ops()).doesNotContain("error", "gap").containsOnlyOnce("subscribed");
                    assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(3);
                    assertThat(lanes.level(Counter.DETACHED_BYTES)).isZero();
                }
            }
        }
    }

    @Test
    void aPatternThatEndsWithTheConnectionLeavesNothing() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient publisher = lanes.connect(0);
            LaneClient client = lanes.connect(1);
            keep(client, lanes);
            client.subscribe("/own");
            client.conflate("/c/*", 1000);
            client.subscribe("/p/*");
            lanes.settle();
            client.stall();
            for (String subject : List.of("/own", "/c/1", "/p/1")) {
                publish(lanes, publisher, subject, 3);
            }
            client.vanish();
            for (String subject : List.of("/own", "/c/1", "/p/1")) {
                publish(lanes, publisher, subject, 3);
            }
            lanes.pass(3_000);
            assertThat(lanes.lane(1).inspector().row(client.session))
                    .matches(row -> row.state().equals("detached"));
            assertThat(SessionPlaces.of(client.session)).isNotNull().matches(places -> places.count() == 1);
            lanes.pass(60_000);
            assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
        }
    }

    @Test
    void aSubjectWithoutAPositionContinuesWhereTheServerStopped() {
        for (int lane = 0; lane < 2; lane++) {
            try (Lanes lanes = new Lanes(2, 1)) {
                LaneClient publisher = lanes.connect(0);
                LaneClient client = lanes.connect(1);
                String session = keep(client, lanes);
                client.subscribe("/a", "/b");
                lanes.settle();
                publish(lanes, publisher, "/a", 1);
                client.stall();
                publish(lanes, publisher, "/a", 1);
                // The session is stalled now, and the following messages are not written.
                publish(lanes, publisher, "/a", 2);
                client.vanish();
                publish(lanes, publisher, "/a", 1);
                publish(lanes, publisher, "/b", 1);
                LaneClient returned = lanes.connect(lane);
                assertThat(resume(returned, lanes, session).seq()).isEqualTo(1);
                // What was written to the lost connection is not repeated.
                assertThat(returned.seqs("/a")).containsExactly(3L, 4L, 5L);
                assertThat(returned.seqs("/b")).containsExactly(1L);
            }
        }
    }

    @Test
    void aConflatedSubscriptionContinuesConflated() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient publisher = lanes.connect(0);
            LaneClient client = lanes.connect(0);
            String session = keep(client, lanes);
            client.conflate("/a", 1000);
            lanes.settle();
            client.vanish();
            publish(lanes, publisher, "/a", 2);
            LaneClient returned = lanes.connect(1);
            resume(returned, lanes, session, at("/a", 0));
            assertThat(returned.seqs("/a")).containsExactly(1L, 2L);
            publish(lanes, publisher, "/a", 5);
            lanes.pass(2000);
            assertThat(returned.seqs("/a")).endsWith(7L).hasSizeLessThan(7);
        }
    }
}
