package io.belfry.server.workgroup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.BelfryFormat;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.presence.PresenceRooms;
import io.belfry.testsupport.TestScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what followers of presence subjects receive. */
class PresenceRoomsTest {
    private static final int MANY = TestScope.length(10_000, 2_000);
    private static final int SEEDS = TestScope.seeds(37, 20);
    private static final String ROOM = "/room/1";
    private static final String FOLLOWED = "/$presence/room/1";
    private static final String OPTION = "Subjects.1=/room/** presence=yes";
    private static final String FOLDER = "History.Folder=unused";

    private static Principal principal(@Nullable String user, @Nullable String info) {
        return new Principal() {
            @Override
            public Decision maySubscribe(byte[] subject, long nowMillis) {
                return Decision.ALLOWED;
            }

            @Override
            public Decision mayPublish(byte[] subject, int length, long nowMillis) {
                return Decision.ALLOWED;
            }

            @Override
            public @Nullable String user() {
                return user;
            }

            @Override
            public @Nullable String info() {
                return info;
            }
        };
    }

    private static LaneClient connect(Lanes lanes, @Nullable String user, @Nullable String info) {
        return lanes.connect(
                lanes.random.nextInt(lanes.count()),
                lanes.random.nextBoolean() ? BelfryFormat.WEBSOCKET_JSON : BelfryFormat.WEBSOCKET_BINARY,
                principal(user, info),
                true);
    }

    private static LaneClient member(Lanes lanes, String user) {
        LaneClient client = connect(lanes, user, null);
        client.subscribe(ROOM);
        lanes.settle();
        return client;
    }

    private static LaneClient follower(Lanes lanes) {
        LaneClient client = connect(lanes, null, null);
        client.subscribe(FOLLOWED);
        lanes.settle();
        return client;
    }

    @Test
    void aFollowerGetsTheMembersAndThenEachChange() {
        aFollowerGetsTheMembersAndThenEachChange(1);
        aFollowerGetsTheMembersAndThenEachChange(4);
    }

    private static void aFollowerGetsTheMembersAndThenEachChange(int count) {
        try (Lanes lanes = new Lanes(count, 1, OPTION)) {
            LaneClient ann = member(lanes, "ann");
            LaneClient follower = follower(lanes);
            LaneClient bob = connect(lanes, "bob", "{\"age\":7}");
            bob.subscribe(ROOM);
            lanes.settle();
            member(lanes, "bob");
            ann.unsubscribe(ROOM);
            lanes.pass(4_900);
            assertThat(follower.data(FOLLOWED))
                    .containsExactly(
                            "{\"event\":\"state\",\"users\":1,\"sessions\":1,\"members\":[{\"user\":\"ann\",\"sessions\":1}]}",
                            "{\"event\":\"joined\",\"user\":\"bob\",\"sessions\":1,\"info\":{\"age\":7}}",
                            "{\"event\":\"changed\",\"user\":\"bob\",\"sessions\":2}");
            lanes.pass(300);
            assertThat(follower.data(FOLLOWED)).last().isEqualTo("{\"event\":\"left\",\"user\":\"ann\"}");
            assertThat(follower.seqs(FOLLOWED)).containsExactly(1L, 2L, 3L, 4L);
            assertThat(follower.messages(FOLLOWED).getFirst().note()).isEqualTo("snapshot");
            assertThat(lanes.level(Counter.PRESENCE_MEMBERS)).isEqualTo(1);
            assertThat(lanes.level(Counter.PRESENCE_SUBJECTS)).isEqualTo(1);
        }
    }

    @Test
    void aMemberThatReturnsInTimeIsNotSeen() {
        try (Lanes lanes = new Lanes(3, 2, OPTION, "Presence.LeaveTime=2 s")) {
            LaneClient follower = follower(lanes);
            for (int i = 0; i < 20; i++) {
                LaneClient ann = member(lanes, "ann");
                lanes.pass(100);
                ann.vanish();
                lanes.pass(1_800);
            }
            assertThat(follower.data(FOLLOWED)).hasSize(1);
            lanes.pass(300);
            assertThat(follower.data(FOLLOWED)).hasSize(2).last().asString().contains("left");
        }
    }

    @Test
    void sessionsWithoutUserAndOtherSubjectsHaveNoPresence() {
        try (Lanes lanes = new Lanes(2, 3, OPTION)) {
            LaneClient follower = follower(lanes);
            follower.subscribe("/$presence/other", "/$presence/$presence/room/1");
            connect(lanes, null, null).subscribe(ROOM);
            connect(lanes, "ann", null).subscribe("/other");
            connect(lanes, "ann", null).subscribe("/room/*");
            lanes.settle();
            assertThat(follower.received(ReceivedEvent::isMessage)).isEmpty();
            assertThat(lanes.level(Counter.PRESENCE_SUBJECTS)).isZero();
        }
    }

    @Test
    void aReloadBeginsAndEndsPresence() {
        try (Lanes lanes = new Lanes(2, 4)) {
            LaneClient follower = follower(lanes);
            member(lanes, "ann");
            assertThat(follower.data(FOLLOWED)).isEmpty();
            reload(lanes, OPTION);
            assertThat(follower.data(FOLLOWED))
                    .containsExactly("{\"event\":\"joined\",\"user\":\"ann\",\"sessions\":1}");
            reload(lanes, OPTION + " history=3");
            assertThat(follower.data(FOLLOWED)).hasSize(1);
            reload(lanes);
            lanes.pass(6_000);
            assertThat(follower.data(FOLLOWED)).last().isEqualTo("{\"event\":\"left\",\"user\":\"ann\"}");
        }
    }

    private static void reload(Lanes lanes, String... settings) {
        for (int i = 0; i < lanes.count(); i++) {
            lanes.lane(i).reconfigure(Lanes.config(lanes.count(), settings), new OpenEntitlement());
        }
        lanes.pass(100);
    }

    @Test
    void conflateIsRefused() {
        try (Lanes lanes = new Lanes(1, 5, OPTION)) {
            LaneClient client = connect(lanes, null, null);
            long id = client.conflate(FOLLOWED, 1000);
            lanes.settle();
            assertThat(client.answer(id).note()).isEqualTo("bad-request");
        }
    }

    @Test
    void aFollowerThatMissedTooMuchGetsAGapAndTheMembers() {
        try (Lanes lanes = new Lanes(2, 6, OPTION, "CacheSize=2")) {
            LaneClient first = follower(lanes);
            member(lanes, "ann");
            PresenceView view = new PresenceView(FOLLOWED);
            view.read(first);
            first.vanish();
            for (String user : List.of("bob", "cy", "dan", "eve")) {
                member(lanes, user);
            }
            LaneClient again = connect(lanes, null, null);
            again.resume(FOLLOWED, view.at.epoch(), view.at.seq());
            lanes.settle();
            view.reconnected();
            assertThat(view.read(again)).containsOnlyKeys("state");
            assertThat(view.members.keySet()).containsExactly("ann", "bob", "cy", "dan", "eve");
            assertThat(again.received(event -> event.is("gap", FOLLOWED))).hasSize(1);
        }
    }

    @Test
    void manyMembersAreCountedOncePerSecond() {
        try (Lanes lanes = new Lanes(2, 7, OPTION, "Presence.MaxMembers=50", "Presence.LeaveTime=1 s")) {
            LaneClient follower = follower(lanes);
            List<LaneClient> members = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                members.add(member(lanes, "user" + i));
            }
            lanes.pass(2_000);
            assertThat(follower.messages(FOLLOWED)).hasSizeBetween(51, 54);
            assertThat(follower.data(FOLLOWED))
                    .last()
                    .isEqualTo("{\"event\":\"counts\",\"users\":" + MANY + ",\"sessions\":" + MANY + "}");
            assertThat(follower(lanes).data(FOLLOWED))
                    .containsExactly("{\"event\":\"counts\",\"users\":" + MANY + ",\"sessions\":" + MANY + "}");
            assertThat(lanes.level(Counter.PRESENCE_LISTS_ENDED)).isEqualTo(1);
            members.subList(30, MANY).forEach(LaneClient::vanish);
            lanes.pass(3_000);
            PresenceView view = new PresenceView(FOLLOWED);
            view.read(follower);
            assertThat(view.counted).isFalse();
            assertThat(view.members).hasSize(30);
        }
    }

    @Test
    void aListIsNeverLargerThanAMessage() {
        try (Lanes lanes = new Lanes(1, 8, OPTION, "MaxMessageSize=1 KB")) {
            LaneClient follower = follower(lanes);
            for (int i = 0; i < 100; i++) {
                connect(lanes, "u" + i, "{\"a\":\"" + "x".repeat(50) + "\"}").subscribe(ROOM);
                lanes.settle();
                LaneClient late = follower(lanes);
                assertThat(late.data(FOLLOWED).getFirst().length()).isLessThanOrEqualTo(1024);
            }
            assertThat(follower.data(FOLLOWED)).anyMatch(each -> each.contains("counts"));
        }
    }

    @Test
    void aStartWithADiskRestatesNothingForOtherLanes() {
        try (Lanes lanes = new Lanes(3, 9, OPTION, "History=disk", FOLDER)) {
            Map<LaneClient, PresenceView> followers = new HashMap<>();
            for (int lane = 0; lane < 3; lane++) {
                LaneClient follower = lanes.connect(lane);
                follower.subscribe(FOLLOWED);
                followers.put(follower, new PresenceView(FOLLOWED));
            }
            member(lanes, "ann");
            lanes.pass(2_000);
            followers.forEach((client, view) -> {
                view.read(client);
                assertThat(view.members).containsExactly(Map.entry("ann", "1null"));
            });
        }
    }

    /** Members join, leave and change connections; followers stall, lose connections and resume. */
    @Test
    void eachFollowerShowsTheMembersOnceAllIsQuiet() {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<String> settings = new ArrayList<>(List.of(OPTION, "Presence.LeaveTime=2 s"));
            settings.add("CacheSize=" + (seed % 3 == 0 ? 3 : 1000));
            settings.add("SlowConsumer=" + List.of("drop", "conflate").get(seed % 2));
            if (seed % 4 == 1) {
                settings.add("Presence.MaxMembers=3");
            }
            if (seed % 4 == 2) {
                settings.addAll(List.of("History=disk", FOLDER));
            }
            new Play(seed, settings.toArray(String[]::new)).perform(80);
        }
    }

    /** One seeded play. */
    private static final class Play {
        private static final Map<Integer, Counters> COUNTERS = new HashMap<>();
        private static final long LEAVE_MILLIS = 2_000;

        private final Lanes lanes;
        private final List<LaneClient> members = new ArrayList<>();
        private final Map<LaneClient, String> users = new HashMap<>();
        private final Map<LaneClient, PresenceView> followers = new HashMap<>();
        private final Map<String, Long> absentSince = new HashMap<>();
        private final Set<String> reported = new TreeSet<>();
        private final List<String> wrongReports = new ArrayList<>();
        private final LaneClient observer;
        private final PresenceView observed = new PresenceView(FOLLOWED);
        private final String name;

        Play(int seed, String... settings) {
            name = "seed " + seed;
            int count = 1 + seed % 4;
            lanes = new Lanes(
                    count,
                    seed,
                    new OpenEntitlement(),
                    COUNTERS.computeIfAbsent(count, Counters::new),
                    Lanes.config(count, settings));
            observer = follower(lanes);
            for (int i = 0; i < count; i++) {
                lanes.lane(i).parts().rooms.observe(new Reports());
            }
        }

        /** Checks the reports for the application: each member joins once before it leaves once, and not too early. */
        private final class Reports implements PresenceRooms.Observer {
            @Override
            public void onJoined(byte[] subject, String user) {
                check(subject, user, reported.add(user));
            }

            @Override
            public void onLeft(byte[] subject, String user) {
                long since = absentSince.getOrDefault(user, Long.MAX_VALUE);
                check(subject, user, reported.remove(user) && since <= lanes.clock.millis() - LEAVE_MILLIS);
            }

            private void check(byte[] subject, String user, boolean well) {
                if (!well || !new String(subject, UTF_8).equals(FOLLOWED)) {
                    wrongReports.add(user);
                }
            }
        }

        void perform(int steps) {
            for (int i = 0; i < steps; i++) {
                act(lanes.random.nextInt(10));
                if (lanes.random.nextInt(3) == 0) {
                    lanes.settle();
                    observe();
                } else {
                    lanes.step();
                }
            }
            followers.keySet().forEach(LaneClient::takeAll);
            lanes.settle();
            lanes.pass(LEAVE_MILLIS + 2_500);
            Map<String, String> truth = truth();
            observe();
            assertView(observed, truth, "observer");
            assertThat(wrongReports).as(name).isEmpty();
            assertThat(reported).as(name).isEqualTo(truth.keySet());
            followers.forEach((client, view) -> {
                view.read(client);
                assertView(view, truth, client.received().toString());
            });
            lanes.close();
        }

        private void assertView(PresenceView view, Map<String, String> truth, String what) {
            if (view.counted) {
                assertThat(view.users).as(name).isEqualTo(truth.size());
                assertThat(view.sessions).as(name).isEqualTo(members.size());
            } else {
                assertThat(view.members).as(name + ": " + what).isEqualTo(truth);
            }
        }

        private Map<String, String> truth() {
            Map<String, Integer> sessions = new TreeMap<>();
            members.forEach(each -> sessions.merge(users.get(each), 1, Integer::sum));
            Map<String, String> truth = new TreeMap<>();
            sessions.forEach((user, number) -> truth.put(user, number + info(user)));
            return truth;
        }

        private static @Nullable String info(String user) {
            return user.endsWith("1") ? "{\"n\":1}" : null;
        }

        private void act(int action) {
            switch (action) {
                case 0, 1, 2 -> {
                    String user = "u" + lanes.random.nextInt(6);
                    LaneClient client = connect(lanes, user, info(user));
                    client.subscribe(ROOM);
                    users.put(client, user);
                    members.add(client);
                    absentSince.remove(user);
                }
                case 3, 4 -> leave();
                case 5 -> {
                    LaneClient client = follower(lanes);
                    followers.put(client, new PresenceView(FOLLOWED));
                }
                case 6 -> anyFollower(LaneClient::stall);
                case 7 -> anyFollower(LaneClient::takeAll);
                case 8 -> anyFollower(this::reconnect);
                default -> {
                    lanes.settle();
                    observe();
                    lanes.pass(100L * lanes.random.nextInt(30));
                    observe();
                }
            }
        }

        private void leave() {
            if (members.isEmpty()) {
                return;
            }
            LaneClient client = members.remove(lanes.random.nextInt(members.size()));
            String user = users.getOrDefault(client, "");
            if (lanes.random.nextBoolean()) {
                client.unsubscribe(ROOM);
            } else {
                client.vanish();
            }
            if (members.stream().noneMatch(each -> user.equals(users.get(each)))) {
                absentSince.put(user, lanes.clock.millis());
            }
        }

        private void anyFollower(java.util.function.Consumer<LaneClient> action) {
            if (!followers.isEmpty()) {
                action.accept(List.copyOf(followers.keySet()).get(lanes.random.nextInt(followers.size())));
            }
        }

        private void reconnect(LaneClient client) {
            PresenceView view = java.util.Objects.requireNonNull(followers.remove(client));
            client.vanish();
            view.read(client);
            if (view.at.epoch() == 0) {
                return;
            }
            LaneClient next = connect(lanes, null, null);
            next.resume(FOLLOWED, view.at.epoch(), view.at.seq());
            view.reconnected();
            followers.put(next, view);
        }

        /** Checks that no member is seen to leave while it is present, or earlier than the time allows. */
        private void observe() {
            observed.read(observer).keySet().stream()
                    .filter(event -> event.startsWith("left "))
                    .map(event -> event.substring(5))
                    .forEach(user -> {
                        long since = absentSince.getOrDefault(user, Long.MAX_VALUE);
                        assertThat(since)
                                .as(name + " " + user)
                                .isLessThanOrEqualTo(lanes.clock.millis() - LEAVE_MILLIS);
                    });
        }
    }
}
