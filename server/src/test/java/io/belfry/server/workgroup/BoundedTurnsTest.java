package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubjectPosition;
import io.belfry.server.counter.Counter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Work for very many sessions or subjects is divided among several turns, between which the lane serves its sockets. */
class BoundedTurnsTest {
    private static final int MANY = 300;

    /** Lets each read of the clock take so long that a turn does 20 steps. */
    private static void workSlowly(Lanes lanes) {
        lanes.clock.passPerRead(25_000);
    }

    private static String[] subjects() {
        return IntStream.range(0, MANY).mapToObj(i -> "/s/" + i).toArray(String[]::new);
    }

    private static List<LaneClient> connect(Lanes lanes) {
        return IntStream.range(0, MANY).mapToObj(i -> lanes.connect(0)).toList();
    }

    /** Runs turns until a condition would hold, and returns the most sessions that were closed in one of them. */
    private static long mostClosedInATurn(Lanes lanes, List<LaneClient> clients) {
        long most = 0;
        long closed = closed(clients);
        for (int turns = 0; turns < MANY && closed < MANY; turns++) {
            lanes.runTurn(0);
            most = Math.max(most, closed(clients) - closed);
            closed = closed(clients);
        }
        return most;
    }

    private static long closed(List<LaneClient> clients) {
        return clients.stream().filter(client -> client.session.isClosed()).count();
    }

    @Test
    void aCommandWithManySubjectsTakesSeveralTurnsAndIsAnsweredBeforeTheNextOne() {
        try (Lanes lanes = new Lanes(1, 1)) {
            LaneClient client = lanes.connect(0);
            LaneClient other = lanes.connect(0);
            workSlowly(lanes);
            long subscribing = client.subscribe(subjects());
            long ping = client.ping();
            lanes.runTurn(0);
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isBetween(10L, MANY / 2L);
            assertThat(client.socket.isPaused()).isTrue();
            long pong = other.ping();
            lanes.runTurn(0);
            assertThat(other.answer(pong).op()).isEqualTo("pong");
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isLessThan(MANY);
            lanes.settle();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(MANY);
            assertThat(lanes.level(Counter.WORK_DEFERRED)).isPositive();
            lanes.settle(); // sends the command that waited
            assertThat(client.received(event -> event.op().equals("subscribed") && event.id() == subscribing))
                    .hasSize(MANY);
            assertThat(client.answer(ping).op()).isEqualTo("pong");
            client.unsubscribe(subjects());
            lanes.settle();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
            assertThat(client.socket.isPaused()).isFalse();
        }
    }

    @Test
    void manyCommandsWithManySubjectsShareTheTimeOfATurn() {
        try (Lanes lanes = new Lanes(1, 1)) {
            List<LaneClient> clients =
                    IntStream.range(0, 10).mapToObj(i -> lanes.connect(0)).toList();
            workSlowly(lanes);
            clients.forEach(client -> client.subscribe(subjects()));
            long before = lanes.level(Counter.SUBSCRIPTIONS);
            lanes.runTurn(0);
            assertThat(lanes.level(Counter.SUBSCRIPTIONS) - before).isLessThan(30);
            clients.getFirst().vanish();
            lanes.settle();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(9 * MANY);
        }
    }

    @Test
    void aReturningClientGetsManySubscriptionsInSeveralTurns() {
        for (int lane = 0; lane < 2; lane++) {
            try (Lanes lanes = new Lanes(2, 1)) {
                LaneClient client = lanes.connect(0);
                String session = keep(lanes, client);
                client.subscribe(subjects());
                lanes.settle();
                client.vanish();
                lanes.settle();
                LaneClient publisher = lanes.connect(1);
                publisher.publish("/s/7", "missed");
                lanes.settle();
                lanes.clock.passPerRead(225_000);
                LaneClient returned = lanes.connect(lane);
                List<SubjectPosition> received = Stream.of(subjects())
                        .map(subject -> new SubjectPosition(
                                subject.getBytes(StandardCharsets.UTF_8), new Position(Lanes.EPOCH, 0)))
                        .toList();
                long resuming = returned.request(new ConnectRequest(null, 0, new KeptSession(session, received), null));
                publisher.publish("/s/8", "meanwhile");
                lanes.settle();
                assertThat(returned.answer(resuming).op()).isEqualTo("connected");
                if (lane == 0) {
                    // Otherwise each part needs an answer of the other lane.
                    assertThat(lanes.level(Counter.WORK_DEFERRED)).isPositive();
                }
                assertThat(lanes.level(Counter.SESSIONS_RESUMED)).isEqualTo(1);
                assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(MANY);
                assertThat(returned.data("/s/7")).containsExactly("missed");
                assertThat(returned.data("/s/8")).containsExactly("meanwhile");
                assertThat(returned.socket.isPaused()).isFalse();
                assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
            }
        }
    }

    @Test
    void aClientThatReturnsTwiceAtOnceGetsAllSubscriptionsOrNone() {
        int resumed = 0;
        for (int steps = 0; steps < 40; steps++) {
            try (Lanes lanes = new Lanes(1, steps)) {
                LaneClient client = lanes.connect(0);
                String session = keep(lanes, client);
                client.subscribe(subjects());
                lanes.settle();
                client.vanish();
                lanes.settle();
                lanes.clock.passPerRead(225_000);
                LaneClient first = lanes.connect(0);
                long resuming = first.request(new ConnectRequest(null, 0, new KeptSession(session, List.of()), null));
                for (int i = 0; i < steps; i++) {
                    lanes.step();
                }
                List<ReceivedEvent> answers = first.received(event -> event.id() == resuming);
                String latest = answers.isEmpty() ? session : answers.getFirst().note();
                first.vanish();
                LaneClient second = lanes.connect(0);
                second.request(new ConnectRequest(null, 0, new KeptSession(latest, List.of()), null));
                lanes.settle();
                LaneClient publisher = lanes.connect(0);
                for (String subject : subjects()) {
                    publisher.publish(subject, "x");
                }
                lanes.settle();
                int expected = lanes.level(Counter.SESSIONS_NOT_RESUMED) == 0 ? MANY : 0;
                assertThat(second.received(ReceivedEvent::isMessage))
                        .as("after %d steps", steps)
                        .hasSize(expected);
                resumed += expected > 0 ? 1 : 0;
            }
        }
        assertThat(resumed).isGreaterThan(20);
    }

    private static String keep(Lanes lanes, LaneClient client) {
        long id = client.request(new ConnectRequest(null, 0, KeptSession.NEW, null));
        lanes.settle();
        return client.answer(id).note();
    }

    @Test
    void aDrainClosesSomeSessionsInATurn() {
        try (Lanes lanes = new Lanes(1, 1)) {
            List<LaneClient> clients = connect(lanes);
            lanes.lane(0).drain(1);
            lanes.settle();
            lanes.tick();
            assertThat(clients).allSatisfy(client -> assertThat(client.ops()).contains("reconnect"));
            lanes.pass(200);
            assertThat(closed(clients)).isZero();
            workSlowly(lanes);
            lanes.tickOnlyBegin(0);
            assertThat(mostClosedInATurn(lanes, clients)).isBetween(1L, 40L);
            assertThat(closed(clients)).isEqualTo(MANY);
        }
    }

    @Test
    void keptSessionsThatEndTogetherEndInSeveralTurns() {
        try (Lanes lanes = new Lanes(1, 1)) {
            List<LaneClient> clients = new ArrayList<>();
            for (LaneClient each : connect(lanes)) {
                each.request(new ConnectRequest(null, 0, KeptSession.NEW, null));
                each.subscribe("/s");
                clients.add(each);
            }
            lanes.settle();
            clients.forEach(LaneClient::vanish);
            lanes.settle();
            assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isEqualTo(MANY);
            lanes.clock.pass(60_000);
            workSlowly(lanes);
            lanes.tickOnlyBegin(0);
            assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isBetween(MANY / 2L, MANY - 1L);
            lanes.settle();
            assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
        }
    }

    @Test
    void stalledSessionsAreEndedInSeveralTurns() {
        try (Lanes lanes = new Lanes(1, 1, "SlowConsumer=disconnect", "SlowConsumer.Grace=1 s", "PingInterval=10 m")) {
            List<LaneClient> clients = connect(lanes);
            clients.forEach(client -> client.subscribe("/s"));
            lanes.settle();
            clients.forEach(LaneClient::stall);
            lanes.connect(0).publish("/s", "x");
            lanes.settle();
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isEqualTo(MANY);
            lanes.clock.pass(1000);
            workSlowly(lanes);
            lanes.tickOnlyBegin(0);
            assertThat(mostClosedInATurn(lanes, clients)).isBetween(1L, 40L);
            assertThat(closed(clients)).isEqualTo(MANY);
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isZero();
        }
    }

    @Test
    void silentSessionsAreEndedInSeveralTurns() {
        try (Lanes lanes = new Lanes(1, 1)) {
            List<LaneClient> clients = connect(lanes);
            lanes.settle();
            for (int passed = 0; closed(clients) == 0 && passed < 20 * 60; passed++) {
                lanes.clock.pass(100);
                workSlowly(lanes);
                lanes.tickOnlyBegin(0);
                assertThat(closed(clients)).isLessThan(40);
                lanes.settle();
                lanes.clock.passPerRead(0);
            }
            lanes.pass(120_000);
            assertThat(closed(clients)).isEqualTo(MANY);
        }
    }

    @Test
    void positionsOfPatternsAreSentInSeveralTurns() {
        try (Lanes lanes = new Lanes(1, 1, "CacheSize=1000")) {
            List<LaneClient> clients = connect(lanes);
            clients.forEach(client -> client.subscribe("/s/*"));
            lanes.settle();
            lanes.pass(10_100);
            clients.forEach(LaneClient::clearReceived);
            lanes.connect(0).publish("/s/1", "x");
            lanes.settle();
            workSlowly(lanes);
            int most = 0;
            long have = 0;
            for (int turns = 0; turns < 2000 && have < MANY; turns++) {
                lanes.runTurn(0);
                if (lanes.isIdle(0)) {
                    lanes.clock.pass(100);
                    lanes.tickOnlyBegin(0);
                }
                long now = clients.stream()
                        .filter(client -> client.ops().contains("position"))
                        .count();
                most = (int) Math.max(most, now - have);
                have = now;
            }
            assertThat(have).isEqualTo(MANY);
            assertThat(most).isBetween(1, 60);
        }
    }
}
