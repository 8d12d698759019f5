package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.KeptSession;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.testsupport.TestScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the directory of users and the limit of sessions per user, on whatever lanes the sessions and the user are. */
class UserSessionsTest {
    private static final String LIMIT = "Limit.SessionsPerUser=2";
    private static final String REFUSE = "Limit.SessionsPerUser.Policy=refuse";

    /** A principal that may do everything. */
    private record Named(@Nullable String user) implements Principal {
        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return Decision.ALLOWED;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return Decision.ALLOWED;
        }
    }

    /** The token is the name of the user. */
    private static final Entitlement BY_TOKEN =
            (credentials, answer) -> answer.accept(new Entitlement.Answer.Accepted(new Named(credentials.token())));

    private static Lanes lanes(int count, int seed, String... settings) {
        return new Lanes(count, seed, BY_TOKEN, settings);
    }

    private static LaneClient open(Lanes lanes, int lane, @Nullable String user) {
        return lanes.connect(lane, io.belfry.protocol.BelfryFormat.WEBSOCKET_JSON, new Named(user), true);
    }

    private static ReceivedEvent connect(LaneClient client, Lanes lanes, String token) {
        long id = client.request(new ConnectRequest(token, 0));
        lanes.settle();
        return client.answer(id);
    }

    /** Returns the users in the directories of all lanes. */
    private static int users(Lanes lanes) {
        return IntStream.range(0, lanes.count())
                .map(lane -> lanes.lane(lane).parts().users.size())
                .sum();
    }

    /** Returns the number of sessions of a user in the directory. */
    private static int sessionsOf(Lanes lanes, String user) {
        int lane = lanes.lane(0).parts().users.laneOf(user);
        return lanes.lane(lane).parts().users.sessionsOf(user).size();
    }

    @Test
    void theOldestSessionOfAUserIsReplaced() {
        for (int seed = 0; seed < 9; seed++) {
            try (Lanes lanes = lanes(3, seed, LIMIT)) {
                List<LaneClient> ada = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    ada.add(open(lanes, (seed + i) % 3, "ada"));
                    lanes.settle();
                }
                LaneClient bob = open(lanes, 0, "bob");
                LaneClient anonymous = open(lanes, 1, null);
                lanes.settle();
                assertThat(ada.stream().map(each -> each.socket.closed))
                        .containsExactly(Code.USER_REPLACED, Code.USER_REPLACED, null, null);
                assertThat(bob.socket.closed).isNull();
                assertThat(anonymous.socket.closed).isNull();
                lanes.tick();
                assertThat(lanes.level(Counter.USERS)).isEqualTo(2);
                assertThat(sessionsOf(lanes, "ada")).isEqualTo(2);
            }
        }
    }

    @Test
    void aNewSessionIsRefusedUntilAnotherOneEnds() {
        for (int seed = 0; seed < 9; seed++) {
            try (Lanes lanes = lanes(3, seed, LIMIT, REFUSE)) {
                LaneClient first = open(lanes, seed % 3, "ada");
                LaneClient second = open(lanes, 0, "ada");
                lanes.settle();
                LaneClient third = open(lanes, seed / 3, "ada");
                assertThat(third.socket.isPaused()).isTrue();
                lanes.settle();
                assertThat(third.socket.closed).isEqualTo(Code.TOO_MANY_OF_USER);
                assertThat(first.socket.closed).isNull();
                assertThat(second.socket.closed).isNull();
                assertThat(second.socket.isPaused()).isFalse();
                first.vanish();
                lanes.settle();
                LaneClient fourth = open(lanes, seed / 3, "ada");
                lanes.settle();
                assertThat(fourth.socket.closed).isNull();
                assertThat(fourth.socket.isPaused()).isFalse();
                assertThat(sessionsOf(lanes, "ada")).isEqualTo(2);
            }
        }
    }

    @Test
    void aConnectWithATokenClaimsTheUserBeforeItsAnswer() {
        for (int seed = 0; seed < 9; seed++) {
            try (Lanes lanes = lanes(3, seed, LIMIT, REFUSE)) {
                open(lanes, 0, "ada");
                open(lanes, 1, "ada");
                LaneClient third = open(lanes, seed % 3, null);
                lanes.settle();
                ReceivedEvent refused = connect(third, lanes, "ada");
                assertThat(refused.op()).isEqualTo("error");
                assertThat(refused.note()).startsWith("too-many-of-user");
                assertThat(third.socket.closed).isEqualTo(Code.TOO_MANY_OF_USER);
                assertThat(connect(open(lanes, seed % 3, null), lanes, "bob").op())
                        .isEqualTo("connected");
                assertThat(users(lanes)).isEqualTo(2);
            }
        }
    }

    @Test
    void aSessionMayChangeItsUser() {
        try (Lanes lanes = lanes(3, 1)) {
            LaneClient client = open(lanes, 0, "ada");
            assertThat(connect(client, lanes, "ada").op()).isEqualTo("connected");
            assertThat(sessionsOf(lanes, "ada")).isEqualTo(1);
            assertThat(connect(client, lanes, "bob").op()).isEqualTo("connected");
            assertThat(sessionsOf(lanes, "ada")).isZero();
            assertThat(sessionsOf(lanes, "bob")).isEqualTo(1);
            assertThat(users(lanes)).isEqualTo(1);
        }
    }

    @Test
    void aReplacedSessionIsKeptAndContinued() {
        for (int seed = 0; seed < 50; seed++) {
            try (Lanes lanes = lanes(3, seed, "Limit.SessionsPerUser=1")) {
                LaneClient older = open(lanes, seed % 3, "ada");
                long id = older.request(new ConnectRequest(null, 0, KeptSession.NEW, null));
                lanes.settle();
                String session = older.answer(id).note();
                older.subscribe("/a");
                lanes.settle();
                LaneClient newcomer = open(lanes, seed / 3 % 3, "ada");
                long again = newcomer.request(new ConnectRequest(null, 0, new KeptSession(session, List.of()), null));
                lanes.settle();
                assertThat(newcomer.answer(again).seq()).as("resumed").isEqualTo(1);
                // The connect may reach the lane of the older session before the notice of the user's lane.
                assertThat(older.socket.closed).isIn(Code.USER_REPLACED, Code.SESSION_TAKEN);
                assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(1);
                assertThat(sessionsOf(lanes, "ada")).isEqualTo(1);
            }
        }
    }

    /** Plays random openings, changes of users and ends, and compares the directory with the open sessions. */
    private static void play(String... settings) {
        int count = 4;
        Counters counters = new Counters(count);
        ServerConfig config = Lanes.config(count, settings);
        int limit = config.limits().held().users().sessions();
        for (int seed = 0; seed < TestScope.seeds(100, 50); seed++) {
            try (Lanes lanes = new Lanes(count, seed, BY_TOKEN, counters, config)) {
                List<LaneClient> clients = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    int action = lanes.random.nextInt(8);
                    LaneClient any = clients.isEmpty() ? null : clients.get(lanes.random.nextInt(clients.size()));
                    String user = "u" + lanes.random.nextInt(3);
                    if (action == 0 && any != null) {
                        any.vanish();
                    } else if (action == 1 && any != null && any.socket.closed == null) {
                        any.request(new ConnectRequest(user, 0));
                    } else {
                        clients.add(open(lanes, lanes.random.nextInt(count), action == 2 ? null : user));
                    }
                    IntStream.range(0, lanes.random.nextInt(5)).forEach(step -> lanes.step());
                }
                lanes.settle();
                Map<String, Integer> open = new HashMap<>();
                for (LaneClient each : clients) {
                    String user = each.session.principal().user();
                    if (each.socket.closed == null && user != null) {
                        open.merge(user, 1, Integer::sum);
                        assertThat(each.socket.isPaused()).as("seed %d", seed).isFalse();
                    }
                }
                assertThat(users(lanes)).as("seed %d", seed).isEqualTo(open.size());
                open.forEach((user, sessions) -> {
                    assertThat(sessionsOf(lanes, user)).isEqualTo(sessions);
                    assertThat(sessions).isLessThanOrEqualTo(limit == 0 ? Integer.MAX_VALUE : limit);
                });
                clients.forEach(LaneClient::vanish);
                lanes.settle();
                assertThat(users(lanes)).as("seed %d", seed).isZero();
            }
        }
    }

    @Test
    void theDirectoryHasExactlyTheOpenSessionsInAnyOrderOfTasks() {
        play();
    }

    @Test
    void noUserHasMoreSessionsThanAllowedInAnyOrderOfTasks() {
        play(LIMIT);
        play("Limit.SessionsPerUser=1");
        play(LIMIT, REFUSE);
    }
}
