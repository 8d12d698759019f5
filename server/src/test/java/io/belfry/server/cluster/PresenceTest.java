package io.belfry.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests nodes that report their subscribers through a log that each node reads at its own pace. */
class PresenceTest {
    private static final long GONE_MILLIS = 1000;

    /** A record of the log. Immutable. */
    private static final class LogRecord {
        private final String node;
        private final byte[] value;
        private final long timeMillis;

        LogRecord(String node, byte[] value, long timeMillis) {
            this.node = node;
            this.value = value;
            this.timeMillis = timeMillis;
        }
    }

    private final List<LogRecord> log = new ArrayList<>();
    private long nowMillis;

    private static ByteBuffer name(String subject) {
        return ByteBuffer.wrap(subject.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteBuffer name) {
        return new String(Presence.bytes(name), StandardCharsets.UTF_8);
    }

    /** A node and its subscribers, as its lanes would report them. */
    private final class Node implements Presence.Listener {
        final String name;
        final Set<String> subscribed = new HashSet<>();
        final Set<String> watched = new HashSet<>();
        final Set<String> followedElsewhere = new HashSet<>();
        private final Set<String> watchedElsewhere = new HashSet<>();
        private final Presence presence;
        private int read = log.size();

        Node(String name, int most) {
            this.name = name;
            presence = new Presence(this, GONE_MILLIS, most);
            write(true);
        }

        @Override
        public void onWatchedElsewhere(ByteBuffer subject, boolean now) {
            if (now) {
                watchedElsewhere.add(text(subject));
                presence.followed(subject, subscribed.contains(text(subject)));
            } else {
                watchedElsewhere.remove(text(subject));
            }
        }

        @Override
        public void onFollowedElsewhere(ByteBuffer subject, boolean now) {
            assertThat(now ? followedElsewhere.add(text(subject)) : followedElsewhere.remove(text(subject)))
                    .as("only changes are reported")
                    .isTrue();
        }

        void subscribe(String subject, boolean now) {
            if ((now ? subscribed.add(subject) : subscribed.remove(subject)) && watchedElsewhere.contains(subject)) {
                presence.followed(name(subject), now);
            }
        }

        boolean watch(String subject, boolean now) {
            boolean taken = presence.watched(name(subject), now);
            if (now && taken) {
                watched.add(subject);
            } else {
                watched.remove(subject);
            }
            return taken;
        }

        void write(boolean alive) {
            presence.say(alive, value -> log.add(new LogRecord(name, value, nowMillis)));
        }

        void readLog() {
            while (read < log.size()) {
                LogRecord record = log.get(read++);
                presence.onRecord(record.node, record.node.equals(name), record.value, record.timeMillis);
            }
        }
    }

    private void settle(List<Node> nodes) {
        for (int i = 0; i < 6; i++) {
            nodes.forEach(node -> node.write(false));
            nodes.forEach(Node::readLog);
        }
    }

    private void pass(long millis, List<Node> living) {
        for (long passed = 0; passed < millis; passed += 100) {
            nowMillis += 100;
            living.forEach(node -> node.write(true));
            living.forEach(Node::readLog);
        }
    }

    @Test
    void onlyWatchedSubjectsAreReportedToOtherNodes() {
        Node a = new Node("a", 10);
        Node b = new Node("b", 10);
        b.subscribe("/x", true);
        b.subscribe("/unwatched", true);
        settle(List.of(a, b));
        a.watch("/x", true);
        settle(List.of(a, b));
        assertThat(a.followedElsewhere).containsExactly("/x");
        b.subscribe("/x", false);
        settle(List.of(a, b));
        assertThat(a.followedElsewhere).isEmpty();
        assertThat(log.stream().map(record -> new String(record.value, StandardCharsets.UTF_8)))
                .noneMatch(record -> record.contains("/unwatched"));
    }

    @Test
    void aNewNodeLearnsAllAndASilentNodeNoLongerCounts() {
        Node a = new Node("a", 10);
        Node b = new Node("b", 10);
        settle(List.of(a, b));
        a.watch("/x", true);
        settle(List.of(a, b));
        b.subscribe("/x", true);
        Node c = new Node("c", 10);
        c.subscribe("/x", true);
        settle(List.of(a, b, c));
        assertThat(a.followedElsewhere).containsExactly("/x");
        assertThat(c.followedElsewhere)
                .as("kept because this node may watch it later")
                .containsExactly("/x");
        pass(2 * GONE_MILLIS, List.of(a, c));
        assertThat(a.followedElsewhere).as("c subscribes to it").containsExactly("/x");
        pass(2 * GONE_MILLIS, List.of(a));
        assertThat(a.followedElsewhere).isEmpty();
        pass(200, List.of(a, b, c));
        settle(List.of(a, b, c));
        assertThat(a.followedElsewhere).as("the nodes were only silent").containsExactly("/x");
    }

    @Test
    void noNodeCountsAsGoneWhileTheLogIsSilent() {
        Node a = new Node("a", 10);
        Node b = new Node("b", 10);
        b.subscribe("/x", true);
        a.watch("/x", true);
        settle(List.of(a, b));
        nowMillis += 100 * GONE_MILLIS;
        a.readLog();
        assertThat(a.followedElsewhere).containsExactly("/x");
    }

    @Test
    void watchesOverTheLimitAreLeftOut() {
        Node a = new Node("a", 2);
        assertThat(a.watch("/1", true)).isTrue();
        assertThat(a.watch("/2", true)).isTrue();
        assertThat(a.watch("/3", true)).isFalse();
        a.watch("/1", false);
        assertThat(a.watch("/3", true)).isTrue();
    }

    @Test
    void manyWatchesAreWrittenAsSeveralRecords() {
        Node a = new Node("a", 10_000);
        for (int i = 0; i < 5_000; i++) {
            a.watch("/a/subject/with/a/name/that/takes/some/room/" + i, true);
        }
        Node b = new Node("b", 10);
        settle(List.of(a, b));
        assertThat(log.stream().filter(record -> record.node.equals("a"))).hasSizeGreaterThan(2);
        assertThat(b.watchedElsewhere).hasSize(5_000);
        a.presence.sayAll();
        settle(List.of(a, b));
        assertThat(b.watchedElsewhere).hasSize(5_000);
    }

    @Test
    void foreignRecordsAreSkipped() {
        Node a = new Node("a", 10);
        log.add(new LogRecord("z", new byte[0], 0));
        log.add(new LogRecord("z", new byte[] {0, 3, 50, 1}, 0));
        log.add(new LogRecord("z", new byte[] {7, 1}, 0));
        settle(List.of(a));
        assertThat(a.watchedElsewhere).isEmpty();
    }

    /**
     * Adds and removes subscriptions and watches at random; nodes write and read at random times, are removed and
     * replaced, and lose records.
     */
    @Test
    void nodesAgreeOnceTheyHaveReadTheLog() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            log.clear();
            List<Node> nodes = new ArrayList<>(List.of(new Node("a", 10), new Node("b", 10), new Node("c", 10)));
            int born = 0;
            for (int step = 0; step < 150; step++) {
                Node node = nodes.get(random.nextInt(nodes.size()));
                String subject = "/" + random.nextInt(4);
                switch (random.nextInt(8)) {
                    case 0, 1 -> node.subscribe(subject, random.nextBoolean());
                    case 2, 3 -> node.watch(subject, random.nextBoolean());
                    case 4 -> node.write(random.nextBoolean());
                    case 5 -> node.readLog();
                    case 6 -> {
                        if (random.nextInt(10) == 0) {
                            nodes.remove(node);
                            nodes.add(new Node("n" + born++, 10));
                        }
                    }
                    default -> {
                        if (random.nextInt(10) == 0) {
                            node.presence.say(true, lost -> {});
                            node.presence.sayAll();
                        }
                    }
                }
            }
            pass(3 * GONE_MILLIS, nodes);
            settle(nodes);
            for (Node node : nodes) {
                for (int i = 0; i < 4; i++) {
                    String subject = "/" + i;
                    boolean watchedByOthers =
                            nodes.stream().anyMatch(other -> other != node && other.watched.contains(subject));
                    boolean followedByOthers =
                            nodes.stream().anyMatch(other -> other != node && other.subscribed.contains(subject));
                    assertThat(node.watchedElsewhere.contains(subject))
                            .as(node.name + " of " + subject + ", seed " + seed)
                            .isEqualTo(watchedByOthers);
                    if (node.watched.contains(subject)) {
                        assertThat(node.followedElsewhere.contains(subject))
                                .as(node.name + " of " + subject + ", seed " + seed)
                                .isEqualTo(followedByOthers);
                    }
                }
            }
        }
    }
}
