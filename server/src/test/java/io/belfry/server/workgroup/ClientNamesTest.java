package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.KeptSession;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.entitlement.OpenEntitlement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that at most one connection of the node has a name, on whatever lanes the connections and the name are. */
class ClientNamesTest {
    private static final String ON = "Session.ClientNames=true";

    private static ConnectRequest named(String name) {
        return new ConnectRequest(null, 0, null, name);
    }

    private static ReceivedEvent connect(LaneClient client, Lanes lanes, ConnectRequest request) {
        long id = client.request(request);
        lanes.settle();
        return client.answer(id);
    }

    private static void assertRefused(ReceivedEvent answer, Code code) {
        assertThat(answer.op()).isEqualTo("error");
        assertThat(answer.note()).startsWith(code.text());
    }

    /** Returns the names in the directories of all lanes. */
    private static int names(Lanes lanes) {
        return IntStream.range(0, lanes.count())
                .map(lane -> lanes.lane(lane).parts().clientNames.size())
                .sum();
    }

    @Test
    void theNewcomerWinsAndTheOlderConnectionIsClosed() {
        for (int seed = 0; seed < 9; seed++) {
            try (Lanes lanes = new Lanes(3, seed, ON)) {
                LaneClient older = lanes.connect(seed / 3);
                LaneClient newcomer = lanes.connect(seed % 3);
                LaneClient other = lanes.connect();
                assertThat(connect(other, lanes, named("other")).op()).isEqualTo("connected");
                assertThat(connect(older, lanes, named("name")).op()).isEqualTo("connected");
                assertThat(connect(newcomer, lanes, named("name")).op()).isEqualTo("connected");
                assertThat(older.socket.closed).isEqualTo(Code.CLIENT_TAKEN);
                assertThat(newcomer.socket.closed).isNull();
                assertThat(other.socket.closed).isNull();
                lanes.tick();
                assertThat(lanes.level(Counter.CLIENT_NAMES)).isEqualTo(2);
                newcomer.vanish();
                lanes.settle();
                assertThat(names(lanes)).isEqualTo(1);
            }
        }
    }

    @Test
    void exactlyOneSessionOfEachNameRemainsInAnyOrderOfTasks() {
        int count = 4;
        Counters counters = new Counters(count);
        var config = Lanes.config(count, ON);
        for (int seed = 0; seed < 500; seed++) {
            try (Lanes lanes = new Lanes(count, seed, new OpenEntitlement(), counters, config)) {
                List<List<LaneClient>> byName = new ArrayList<>();
                for (int name = 0; name < 3; name++) {
                    byName.add(new ArrayList<>());
                }
                for (int i = 0; i < 30; i++) {
                    int name = lanes.random.nextInt(byName.size());
                    List<LaneClient> clients = byName.get(name);
                    if (lanes.random.nextInt(4) == 0 && !clients.isEmpty()) {
                        clients.get(lanes.random.nextInt(clients.size())).vanish();
                    } else {
                        LaneClient client = lanes.connect();
                        client.request(named("n" + name));
                        clients.add(client);
                    }
                    IntStream.range(0, lanes.random.nextInt(5)).forEach(step -> lanes.step());
                }
                // A lost connection may have claimed its name last. None of the following ones is lost.
                lanes.settle();
                for (int i = 0; i < 9; i++) {
                    LaneClient client = lanes.connect();
                    client.request(named("n" + i % byName.size()));
                    byName.get(i % byName.size()).add(client);
                }
                lanes.settle();
                for (List<LaneClient> clients : byName) {
                    assertThat(clients.stream().filter(each -> each.socket.closed == null))
                            .as("seed %d", seed)
                            .hasSize(1);
                    assertThat(clients.stream().map(each -> each.socket.closed))
                            .as("seed %d", seed)
                            .isSubsetOf(null, Code.CLIENT_TAKEN, Code.CONNECTION_LOST);
                }
                assertThat(names(lanes)).as("seed %d", seed).isEqualTo(byName.size());
                byName.forEach(clients -> clients.forEach(LaneClient::vanish));
                lanes.settle();
                assertThat(names(lanes)).as("seed %d", seed).isZero();
            }
        }
    }

    @Test
    void withoutTheKeyANameIsRefusedAndNothingChanges() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient first = lanes.connect();
            LaneClient second = lanes.connect();
            assertRefused(connect(first, lanes, named("name")), Code.UNSUPPORTED);
            assertRefused(connect(second, lanes, named("name")), Code.UNSUPPORTED);
            assertThat(first.socket.closed).isNull();
            assertThat(connect(first, lanes, new ConnectRequest(null, 0)).op()).isEqualTo("connected");
            assertThat(names(lanes)).isZero();
        }
    }

    @Test
    void aSessionKeepsItsFirstName() {
        try (Lanes lanes = new Lanes(2, 1, ON)) {
            LaneClient client = lanes.connect();
            connect(client, lanes, named("name"));
            assertThat(connect(client, lanes, named("name")).op()).isEqualTo("connected");
            assertThat(connect(client, lanes, new ConnectRequest(null, 0)).op()).isEqualTo("connected");
            assertRefused(connect(client, lanes, named("another")), Code.BAD_REQUEST);
            assertThat(client.socket.closed).isNull();
            assertThat(names(lanes)).isEqualTo(1);
            assertThat(connect(lanes.connect(), lanes, named("name")).op()).isEqualTo("connected");
            assertThat(client.socket.closed).isEqualTo(Code.CLIENT_TAKEN);
        }
    }

    @Test
    void namesBeyondTheLimitAreRefusedAndATakeoverIsNot() {
        try (Lanes lanes = new Lanes(1, 1, ON, "Limit.ClientNames=2")) {
            LaneClient first = lanes.connect();
            connect(first, lanes, named("a"));
            connect(lanes.connect(), lanes, named("b"));
            LaneClient third = lanes.connect();
            assertRefused(connect(third, lanes, named("c")), Code.CLIENT_NAMES_FULL);
            assertThat(third.socket.closed).isNull();
            assertThat(third.socket.isPaused()).isFalse();
            assertThat(connect(lanes.connect(), lanes, named("b")).op()).isEqualTo("connected");
            first.vanish();
            assertThat(connect(third, lanes, named("c")).op()).isEqualTo("connected");
            assertThat(names(lanes)).isEqualTo(2);
        }
    }

    @Test
    void aKeptSessionReleasesItsNameAndContinuesWithIt() {
        for (int seed = 0; seed < 9; seed++) {
            try (Lanes lanes = new Lanes(3, seed, ON)) {
                LaneClient client = lanes.connect(seed / 3);
                String session = connect(client, lanes, new ConnectRequest(null, 0, KeptSession.NEW, "name"))
                        .note();
                client.subscribe("/a");
                lanes.settle();
                client.vanish();
                lanes.settle();
                assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isEqualTo(1);
                assertThat(names(lanes)).isZero();
                LaneClient returned = lanes.connect(seed % 3);
                KeptSession old = new KeptSession(session, List.of());
                ReceivedEvent connected = connect(returned, lanes, new ConnectRequest(null, 0, old, "name"));
                assertThat(connected.seq()).as("resumed").isEqualTo(1);
                assertThat(names(lanes)).isEqualTo(1);
                assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
            }
        }
    }

    @Test
    void aReturningClientContinuesTheSessionOfItsOlderConnection() {
        for (int seed = 0; seed < 100; seed++) {
            try (Lanes lanes = new Lanes(3, seed, ON)) {
                LaneClient older = lanes.connect();
                String session = connect(older, lanes, new ConnectRequest(null, 0, KeptSession.NEW, "name"))
                        .note();
                older.subscribe("/a");
                lanes.settle();
                LaneClient newcomer = lanes.connect();
                KeptSession old = new KeptSession(session, List.of());
                ReceivedEvent connected = connect(newcomer, lanes, new ConnectRequest(null, 0, old, "name"));
                assertThat(connected.seq()).as("resumed").isEqualTo(1);
                assertThat(older.socket.closed).isEqualTo(Code.CLIENT_TAKEN);
                assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isEqualTo(1);
                assertThat(lanes.level(Counter.DETACHED_SESSIONS)).isZero();
                assertThat(names(lanes)).isEqualTo(1);
            }
        }
    }
}
