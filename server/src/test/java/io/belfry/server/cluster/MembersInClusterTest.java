package io.belfry.server.cluster;

import static io.belfry.server.cluster.PlayedMembers.GONE_MILLIS;
import static io.belfry.server.cluster.PlayedMembers.LEAVE_MILLIS;
import static io.belfry.server.cluster.PlayedMembers.NAME;
import static io.belfry.server.cluster.PlayedMembers.ROOM;
import static io.belfry.server.cluster.PlayedMembers.SLOW_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.cluster.PlayedMembers.Follower;
import io.belfry.server.cluster.PlayedMembers.Node;
import io.belfry.server.cluster.PlayedMembers.Report;
import io.belfry.server.cluster.PlayedMembers.View;
import io.belfry.server.cluster.PlayedMembers.World;
import io.belfry.testsupport.TestScope;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the members of subjects on several nodes, which read two logs at their own pace, die, and lose publishes. */
class MembersInClusterTest {
    private static final int SEEDS = TestScope.seeds(150, 75);
    private static final int MANY = 10_000;

    @Test
    void aMemberThatMovesToAnotherNodeIsNotSeen() {
        World world = new World(1, 100);
        Node a = world.start();
        Node b = world.start();
        world.pass(1_000);
        world.enter(a, "ann");
        world.pass(1_000);
        assertThat(world.messages).hasSize(1);
        world.leave(a, "ann");
        world.pass(4_000);
        world.enter(b, "ann");
        world.pass(20_000);
        assertThat(world.messages).hasSize(1);
        world.leave(b, "ann");
        world.pass(4_500);
        assertThat(world.messages).hasSize(1);
        world.pass(1_000);
        assertThat(new String(world.messages.getLast(), StandardCharsets.UTF_8))
                .isEqualTo("{\"event\":\"left\",\"user\":\"ann\"}");
    }

    /** The messages about members may be unread when a lead begins. */
    @Test
    void aNewLeadDoesNotRepeatTheEventsOfTheLast() {
        World world = new World(6, 100);
        Node a = world.start();
        world.pass(2_000);
        world.enter(a, "ann");
        awaitEvents(world, a, 1);
        world.pass(1_000);
        world.enter(a, "bob");
        awaitEvents(world, a, 2);
        world.pass(1_000);
        world.leave(a, "ann");
        world.leave(a, "bob");
        awaitEvents(world, a, 4);
        world.pass(5_000);
        assertThat(world.events).containsExactly("joined ann", "joined bob", "left ann", "left bob");
        assertThat(world.observer.members).isEmpty();
    }

    private static void awaitEvents(World world, Node node, int events) {
        while (world.events.size() < events) {
            world.pass(100);
        }
        assertThat(node.messagesRead).as("control: unread messages").isLessThan(world.messages.size());
        node.leadAgain();
    }

    @Test
    void membersOfADeadNodeLeaveInTime() {
        for (int dying = 0; dying < 2; dying++) {
            World world = new World(1, 100);
            Node a = world.start();
            world.pass(500);
            Node b = world.start();
            world.pass(1_000);
            Node dead = dying == 0 ? a : b;
            world.enter(dead, "ann");
            world.enter(dead, "bob");
            world.enter(dead == a ? b : a, "bob");
            world.pass(1_000);
            world.kill(dead);
            world.pass(GONE_MILLIS - 1_000);
            assertThat(world.observer.members.keySet()).containsExactly("ann", "bob");
            world.pass(2_500);
            assertThat(world.observer.members).containsExactly(Map.entry("bob", "1null"));
            assertThat(world.told).containsExactly("bob");
        }
    }

    @Test
    void membersOfAStoppedNodeLeaveAtOnce() {
        World world = new World(2, 100);
        Node a = world.start();
        world.pass(500);
        world.start();
        world.pass(1_000);
        world.enter(a, "ann");
        world.pass(1_000);
        world.stop(a);
        world.pass(LEAVE_MILLIS - 500);
        assertThat(world.observer.members).hasSize(1);
        world.pass(1_000);
        assertThat(world.observer.members).isEmpty();
    }

    @Test
    void aRestartOfAllNodesIsNotSeen() {
        World world = new World(8, 100);
        Node a = world.start();
        world.pass(500);
        world.enter(a, "ann");
        world.enter(a, "bob");
        world.pass(1_000);
        world.stop(a);
        Node b = world.start();
        world.pass(2_000);
        world.enter(b, "ann");
        world.pass(2_000);
        assertThat(world.observer.members.keySet()).containsExactly("ann", "bob");
        world.pass(3_000);
        assertThat(world.observer.members.keySet()).containsExactly("ann");
    }

    /** While Kafka does not answer no node writes; afterwards none of them is regarded as dead. */
    @Test
    void noMemberLeavesBecauseOfAnOutage() {
        World world = new World(3, 100);
        Node a = world.start();
        Node b = world.start();
        world.enter(a, "ann");
        world.enter(b, "bob");
        world.pass(2_000);
        assertThat(world.observer.members).hasSize(2);
        world.nowMillis += 60_000;
        world.pass(20_000);
        assertThat(world.observer.members).hasSize(2);
    }

    @Test
    void aNewNodeShowsTheMembers() {
        World world = new World(4, 100);
        Node a = world.start();
        world.pass(500);
        for (int i = 0; i < 20; i++) {
            world.enter(a, "u" + i);
            world.pass(200);
        }
        Node late = world.start();
        world.pass(3_000);
        Follower follower = new Follower();
        follower.begin(late);
        assertThat(follower.view.members).isEqualTo(world.truth());
        assertThat(late.rooms.list(NAME).users()).isEqualTo(20);
    }

    /** The reports about older members are not read any more by a node that starts, so it asks for all of them. */
    @Test
    void aNewNodeAsksForTheMembersUntilItsQuestionIsRead() {
        World world = new World(9, 100);
        Node a = world.start();
        world.pass(500);
        world.enter(a, "ann");
        world.pass(60_000);
        Node late = world.start();
        world.pass(3_000);
        assertThat(late.rooms.list(NAME).users()).isEqualTo(1);
        assertThat(late.state()).as("what followers get").isNotNull();
    }

    /** Each node stores each member once; followers get one short message per second. */
    @Test
    void tenThousandMembersAreCountedOnly() {
        World world = new World(5, 1_000);
        List<Node> nodes = List.of(world.start(), world.start(), world.start());
        world.pass(1_000);
        for (int i = 0; i < MANY; i++) {
            world.enter(nodes.get(i % 3), "user" + i);
            if (i % 100 == 0) {
                world.pass(100);
            }
        }
        world.pass(3_000);
        assertThat(new String(world.messages.getLast(), StandardCharsets.UTF_8))
                .isEqualTo("{\"event\":\"counts\",\"users\":" + MANY + ",\"sessions\":" + MANY + "}");
        assertThat(world.messages.size()).isBetween(1_000, 1_020);
        assertThat(world.messages.subList(1_002, world.messages.size())).allMatch(message -> message.length < 64);
        for (Node node : nodes) {
            assertThat(node.rooms.list(NAME).users()).isEqualTo(MANY);
            assertThat(node.rooms.list(NAME).members()).isNull();
            Follower follower = new Follower();
            follower.begin(node);
            assertThat(follower.view.users).isEqualTo(MANY);
        }
        world.kill(nodes.getFirst());
        world.pass(GONE_MILLIS + 5_000);
        assertThat(world.observer.users).isEqualTo(world.truth().size());
        for (Node node : nodes) {
            List.copyOf(node.sessions.keySet()).subList(10, 3_000).forEach(user -> world.leave(node, user));
        }
        world.pass(LEAVE_MILLIS + 3_000);
        assertThat(world.observer.counted).isFalse();
        assertThat(world.observer.members).isEqualTo(world.truth());
    }

    @Test
    void usersOverTheLimitAreLeftOut() {
        World world = new World(6, 100);
        MemberExchange exchange = new MemberExchange(new Node(world, "x"), GONE_MILLIS, 2);
        assertThat(exchange.enter(ROOM, "a", null)).isTrue();
        assertThat(exchange.enter(ROOM, "b", null)).isTrue();
        assertThat(exchange.enter(ROOM, "c", null)).isFalse();
        assertThat(exchange.enter(ROOM, "a", null)).isTrue();
        exchange.leave(ROOM, "b");
        assertThat(exchange.enter(ROOM, "c", null)).isTrue();
        assertThat(exchange.ownUsers()).isEqualTo(2);
    }

    @Test
    void foreignRecordsAreSkipped() {
        World world = new World(7, 100);
        Node node = world.start();
        world.reports.add(new Report("z", new byte[0], world.nowMillis));
        world.reports.add(new Report("z", new byte[] {8, 1, 2}, world.nowMillis));
        world.enter(node, "ann");
        world.pass(GONE_MILLIS + 2_000);
        assertThat(world.observer.members).hasSize(1);
    }

    /** Sessions begin, end and move; nodes start, stop, die, and are slow; publishes fail; followers resume anywhere. */
    @Test
    void eachFollowerShowsTheMembersOnceAllIsQuiet() {
        for (int seed = 0; seed < SEEDS; seed++) {
            new Play(seed).perform(120);
        }
    }

    /** One seeded play. */
    private static final class Play {
        private final World world;
        private final Random random;
        private final Map<Follower, Node> followers = new LinkedHashMap<>();
        private final boolean listed;

        Play(int seed) {
            listed = seed % 4 != 3;
            world = new World(seed, listed ? 100 : 3);
            random = world.random;
            for (int i = 0; i < 3; i++) {
                world.start();
            }
            world.pass(2_000);
        }

        void perform(int steps) {
            for (int i = 0; i < steps; i++) {
                act(random.nextInt(12));
                world.nowMillis += random.nextInt(400);
                List.copyOf(world.nodes).forEach(node -> node.turn(random.nextInt(3) > 0));
            }
            world.pass(GONE_MILLIS + LEAVE_MILLIS + 8_000);
            Map<String, String> truth = world.truth();
            assertView(world.observer, truth);
            followers.keySet().forEach(follower -> assertView(follower.view, truth));
            for (Node node : world.nodes) {
                Follower late = new Follower();
                late.begin(node);
                assertView(late.view, truth);
                assertThat(node.rooms.list(NAME).users()).as(world.name).isEqualTo(truth.size());
            }
            assertThat(world.nodes.stream().filter(node -> node.leading))
                    .as(world.name)
                    .hasSize(1);
            if (listed) {
                // A departure is not reported if all nodes die that know of the member.
                assertThat(world.told).as(world.name).containsAll(truth.keySet());
            }
        }

        private void assertView(View view, Map<String, String> truth) {
            if (view.counted) {
                assertThat(view.users).as(world.name).isEqualTo(truth.size());
            } else {
                assertThat(view.members).as(world.name).isEqualTo(truth);
            }
        }

        private Node any() {
            return world.nodes.get(random.nextInt(world.nodes.size()));
        }

        private void act(int action) {
            Node node = any();
            List<String> users = List.copyOf(node.sessions.keySet());
            switch (action) {
                case 0, 1, 2 -> world.enter(node, "u" + random.nextInt(6));
                case 3, 4 -> {
                    if (!users.isEmpty()) {
                        world.leave(node, users.get(random.nextInt(users.size())));
                    }
                }
                case 5, 6 -> move(node, users);
                case 7 -> {
                    Follower follower = new Follower();
                    follower.begin(node);
                    followers.put(follower, node);
                }
                case 8 -> reconnect(node);
                case 9 -> world.pass(random.nextInt(6_000));
                default -> {
                    if (random.nextInt(4) == 0) {
                        replace(node);
                    }
                }
            }
        }

        private void move(Node from, List<String> users) {
            if (!users.isEmpty()) {
                String user = users.get(random.nextInt(users.size()));
                world.leave(from, user);
                world.enter(any(), user);
            }
        }

        private void reconnect(Node to) {
            if (!followers.isEmpty()) {
                Follower follower = List.copyOf(followers.keySet()).get(random.nextInt(followers.size()));
                follower.end(Objects.requireNonNull(followers.put(follower, to)));
                follower.resume(to);
            }
        }

        /** Stops or kills a node; its users and followers go to others, and another node starts. */
        private void replace(Node node) {
            // A node that has started has the ends of sessions after LeaveTime only from another one.
            long old = world.nowMillis - LEAVE_MILLIS - SLOW_MILLIS;
            if (world.nodes.stream().noneMatch(other -> other != node && other.startedMillis < old)) {
                return;
            }
            List<String> users = List.copyOf(node.sessions.keySet());
            if (random.nextBoolean()) {
                world.stop(node);
            } else {
                world.kill(node);
            }
            users.stream().filter(user -> random.nextBoolean()).forEach(user -> world.enter(any(), user));
            followers.replaceAll((follower, at) -> {
                if (at != node) {
                    return at;
                }
                follower.end(node);
                Node to = any();
                follower.resume(to);
                return to;
            });
            world.start();
        }
    }
}
