package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.cluster.Brokers;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the members of subjects in a cluster: on all nodes, with moves between nodes, and with a node that is killed. */
@Tag("complete")
final class ClusterPresenceTest {
    private static final String ROOMS = "{\"sub\":[\"/rooms/*\"]}";
    private static final String PRESENCE = "Subjects.10=/rooms/** presence=yes";
    private static final long LEAVE_NANOS = 3_000_000_000L;
    private static final int STEPS = TestScope.length(300, 40);
    private static final long SEED = Long.getLong("belfry.seed", 7);
    private static Brokers brokers;
    private static ClusterNodes cluster;
    private static ServerInJvm a;
    private static ServerInJvm b;

    @BeforeAll
    static void start() throws IOException {
        brokers = ClusterNodes.startBrokers(1);
        cluster = ClusterNodes.on(brokers);
        a = ServerInJvm.start(settings("a"));
        b = ServerInJvm.start(settings("b"));
    }

    private static String[] settings(String name) {
        return settings(cluster, name, PRESENCE, "Presence.LeaveTime=3 s");
    }

    private static String[] settings(ClusterNodes of, String name, String... more) {
        List<String> settings = new ArrayList<>(List.of(
                "NodeName=" + name,
                "Kafka.PresenceTime=8 s",
                "Events.Subject=presence.joined presence.left",
                "Api.Listen=127.0.0.1:0",
                "Api.KeyFile=" + ApiCalls.keys(),
                "Entitlement=JWT",
                "Jwt.Secret=" + Jwts.SECRET));
        settings.addAll(List.of(more));
        return of.settings(settings.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        try {
            b.close();
            a.close();
        } finally {
            brokers.close();
        }
    }

    private static String token(String user) {
        return Jwts.hs256("{\"sub\":\"" + user + "\"," + Jwts.claims(600, ROOMS).substring(1));
    }

    private static TestClient member(TestServer node, String user, String room) {
        TestClient client = TestClient.open(node, WireEncoding.JSON, "Authorization: Bearer " + token(user));
        client.subscribe(room);
        return client;
    }

    private static PresenceFollower follower(String room, TestServer... nodes) {
        int[] ports = Stream.of(nodes).mapToInt(TestServer::port).toArray();
        return PresenceFollower.of("/$presence" + room, token("f"), ports);
    }

    private static Map<String, Integer> present(ServerInJvm node, String room) {
        try (Http api = Http.to(node.apiPort())) {
            Map<String, Integer> present = new TreeMap<>();
            api.get("/v1/presence?subject=" + room, ApiCalls.ALL)
                    .json()
                    .path("members")
                    .forEach(each -> present.put(
                            each.path("user").asText(), each.path("sessions").asInt()));
            return present;
        }
    }

    @Test
    void everyNodeShowsTheMembersOfAllNodes() {
        TestClient bob = member(b, "bob", "/rooms/1");
        try (TestClient ann = member(a, "ann", "/rooms/1");
                TestClient again = member(b, "ann", "/rooms/1");
                PresenceFollower atA = follower("/rooms/1", a);
                PresenceFollower atB = follower("/rooms/1", b)) {
            Map<String, Integer> all = Map.of("ann", 2, "bob", 1);
            for (PresenceFollower each : List.of(atA, atB)) {
                Await.until("the members of both nodes", () -> each.members().equals(all));
            }
            for (ServerInJvm node : List.of(a, b)) {
                Await.until(
                        "the answer of the API", () -> present(node, "/rooms/1").equals(all));
            }
            Position position;
            try (TestClient first = TestClient.open(a, WireEncoding.JSON, "Authorization: Bearer " + token("f"))) {
                first.subscribe("/$presence/rooms/1");
                position = first.expect(Event.Message.class).at();
            }
            bob.close();
            Await.until("bob has left", () -> atA.members().size() == 1);
            try (TestClient next = TestClient.open(b, WireEncoding.BINARY, "Authorization: Bearer " + token("f"))) {
                assertThat(next.resume("/$presence/rooms/1", position).recovery())
                        .isEqualTo(Recovery.COMPLETE);
                assertThat(next.data(1)).containsExactly("{\"event\":\"left\",\"user\":\"bob\"}");
            }
            assertThat(List.of(ann, again)).hasSize(2);
        }
    }

    @Test
    void eventsOfMembersAreSentOnce() {
        String system = "Authorization: Bearer "
                + Jwts.hs256("{\"sub\":\"x\","
                        + Jwts.claims(600, "{\"system\":true}").substring(1));
        List<String> sent = new ArrayList<>();
        try (TestClient events = TestClient.open(b, WireEncoding.JSON, system)) {
            events.subscribe("/$events");
            try (TestClient eve = member(a, "eve", "/rooms/2")) {
                await(events, sent, "presence.joined eve");
                eve.unsubscribe("/rooms/2");
            }
            try (TestClient eve = member(b, "eve", "/rooms/2");
                    TestClient fay = member(b, "fay", "/rooms/2")) {
                await(events, sent, "presence.joined fay");
                eve.unsubscribe("/rooms/2");
                fay.unsubscribe("/rooms/2");
            }
            await(events, sent, "presence.left fay");
            assertThat(sent)
                    .containsExactlyInAnyOrder(
                            "presence.joined eve", "presence.joined fay", "presence.left eve", "presence.left fay");
        }
    }

    /** Reads events about members, until this one. */
    private static void await(TestClient events, List<String> sent, String last) {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (!sent.contains(last) && System.nanoTime() - deadline < 0) {
            JsonNode event = Http.json(events.expect(Event.Message.class).data());
            if (event.path("subject").asText().equals("/rooms/2")) {
                sent.add(event.path("type").asText() + " " + event.path("user").asText());
            }
        }
    }

    /** The option begins on one node after the other, and ends so. Sessions and followers were there before. */
    @Test
    void aReloadOfEachNodeBeginsAndEndsPresence() {
        ClusterNodes others = ClusterNodes.on(brokers);
        String room = "/rooms/late";
        try (ServerInJvm first = ServerInJvm.start(settings(others, "first", "Presence.LeaveTime=0"));
                ServerInJvm second = ServerInJvm.start(settings(others, "second", "Presence.LeaveTime=0"));
                TestClient ann = member(first, "ann", room);
                TestClient bob = member(second, "bob", room);
                PresenceFollower atFirst = follower(room, first);
                PresenceFollower atSecond = follower(room, second)) {
            first.reload(PRESENCE);
            for (PresenceFollower each : List.of(atFirst, atSecond)) {
                Await.until("the members of one node", () -> each.members().equals(Map.of("ann", 1)));
            }
            assertThat(present(first, room)).isEqualTo(Map.of("ann", 1));
            second.reload(PRESENCE);
            Map<String, Integer> all = Map.of("ann", 1, "bob", 1);
            try (PresenceFollower later = follower(room, second)) {
                for (PresenceFollower each : List.of(atFirst, atSecond, later)) {
                    Await.until(
                            "the members of both nodes", () -> each.members().equals(all));
                }
            }
            for (ServerInJvm node : List.of(first, second)) {
                Await.until("the answer of the API", () -> present(node, room).equals(all));
            }
            // The node that leads is the first to end it.
            first.reload("Subjects.10=/rooms/** presence=no");
            for (PresenceFollower each : List.of(atFirst, atSecond)) {
                Await.until("ann is no member", () -> each.members().equals(Map.of("bob", 1)));
            }
            second.reload("Subjects.10=/rooms/** presence=no");
            for (PresenceFollower each : List.of(atFirst, atSecond)) {
                Await.until("nobody is a member", () -> each.members().isEmpty());
            }
            assertThat(List.of(ann, bob)).hasSize(2);
        }
    }

    @Test
    void followersSeeTheTruthAfterMovesAndAKilledNode() {
        try (ServerProcess c = ServerProcess.startWatched(settings("c"))) {
            String room = "/rooms/play";
            try (PresenceFollower atA = follower(room, a);
                    PresenceFollower atB = follower(room, b);
                    PresenceFollower moving = follower(room, c, a, b);
                    Play play = new Play(room, List.of(a, b, c))) {
                play.steps(STEPS / 2);
                play.lose(c);
                c.kill();
                play.steps(STEPS / 2);
                for (PresenceFollower each : List.of(atA, atB, moving)) {
                    Await.until("the members", () -> each.members().equals(play.truth()));
                    play.assertNoFlicker(each);
                }
                for (ServerInJvm node : List.of(a, b)) {
                    Await.until(
                            "the answer of the API", () -> present(node, room).equals(play.truth()));
                }
            }
        }
    }

    /** Sessions of users that begin, end, and move between nodes. Owner: the test's thread. */
    private static final class Play implements AutoCloseable {
        /**
         * The time within which a busy machine reports a session to the other nodes and their followers. {@code MembersInClusterTest}
         * checks the exact times, by a clock of its own.
         */
        private static final long REPORT_NANOS = 15_000_000_000L;

        private final Random random = new Random(SEED);
        private final String room;
        private final List<TestServer> nodes;
        private final List<Visit> visits = new ArrayList<>();

        /** A session of a user, with the times between which it certainly existed. */
        private static final class Visit {
            private final TestServer node;
            private final String user;
            private final TestClient client;
            private final long fromNanos;
            private long toNanos = Long.MAX_VALUE;

            Visit(TestServer node, String user, TestClient client) {
                this.node = node;
                this.user = user;
                this.client = client;
                fromNanos = System.nanoTime();
            }

            boolean isPresent() {
                return toNanos == Long.MAX_VALUE;
            }

            void end() {
                toNanos = System.nanoTime();
                client.close();
            }
        }

        Play(String room, List<TestServer> nodes) {
            this.room = room;
            this.nodes = new ArrayList<>(nodes);
        }

        void steps(int steps) {
            for (int step = 0; step < steps; step++) {
                List<Visit> present = visits.stream().filter(Visit::isPresent).toList();
                boolean full = present.size() >= 8;
                if (full || (random.nextInt(2) == 0 && !present.isEmpty())) {
                    Visit leaving = present.get(random.nextInt(present.size()));
                    leaving.end();
                    if (random.nextInt(3) > 0) {
                        enter(leaving.user);
                    }
                } else {
                    enter("u" + random.nextInt(5));
                }
            }
        }

        private void enter(String user) {
            TestServer node = nodes.get(random.nextInt(nodes.size()));
            visits.add(new Visit(node, user, member(node, user, room)));
        }

        /** Ends the sessions of a node that will be killed. Their users do not return by themselves. */
        void lose(TestServer node) {
            nodes.remove(node);
            visits.stream()
                    .filter(visit -> visit.isPresent() && visit.node.equals(node))
                    .forEach(visit -> visit.toNanos = System.nanoTime());
        }

        Map<String, Integer> truth() {
            Map<String, Integer> truth = new TreeMap<>();
            visits.stream().filter(Visit::isPresent).forEach(visit -> truth.merge(visit.user, 1, Integer::sum));
            return truth;
        }

        /** Checks that no user was seen to leave who had a session within the time before, apart from the very last moments. */
        void assertNoFlicker(PresenceFollower follower) {
            for (PresenceFollower.Departure departure : follower.departures()) {
                assertThat(visits)
                        .as("departure of %s, seed %d", departure.user(), SEED)
                        .noneMatch(visit -> visit.user.equals(departure.user())
                                && visit.fromNanos - (departure.nanos() - REPORT_NANOS) < 0
                                && (visit.isPresent() || visit.toNanos - (departure.nanos() - LEAVE_NANOS) > 0));
            }
        }

        @Override
        public void close() {
            visits.forEach(visit -> visit.client.close());
        }
    }
}
