package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counter;
import io.belfry.testsupport.TestScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests what clients receive that resume patterns from a position, in memory and on disk. */
class PatternPositionsTest {
    private static final String DISK = "History=disk";

    /** Subscribes to a pattern and returns its first position. */
    private static String follow(Lanes lanes, LaneClient client, String pattern) {
        long id = client.subscribe(pattern);
        lanes.settle();
        return client.answer(id).data();
    }

    private static ReceivedEvent resume(Lanes lanes, LaneClient client, String pattern, String position) {
        long id = client.resumePattern(pattern, position);
        lanes.settle();
        return client.answer(id);
    }

    @Test
    void aResumedPatternReceivesWhatWasPublishedSinceAlsoOnNewSubjects() {
        for (String history : List.of("History=memory", DISK)) {
            try (Lanes lanes = new Lanes(3, 1, history, "CacheSize=100")) {
                LaneClient publisher = lanes.connect(0);
                publisher.publish(lanes.subject(1, 1), "before");
                lanes.pass(100);
                LaneClient client = lanes.connect(0);
                String position = follow(lanes, client, "/s1/**");
                assertThat(position).isNotEmpty();
                client.vanish();
                for (int home = 0; home < 3; home++) {
                    publisher.publish(lanes.subject(home, 1), "one");
                    publisher.publish(lanes.subject(home, 2), "other");
                    publisher.publish(lanes.subject(home, 1), "two");
                }
                lanes.pass(100);
                LaneClient returned = lanes.connect(2);
                ReceivedEvent subscribed = resume(lanes, returned, "/s1/**", position);
                assertThat(subscribed.note()).isEqualTo("complete");
                for (int home = 0; home < 3; home++) {
                    assertThat(returned.data(lanes.subject(home, 1))).containsExactly("one", "two");
                    assertThat(returned.data(lanes.subject(home, 2))).isEmpty();
                    publisher.publish(lanes.subject(home, 1), "live");
                }
                lanes.pass(100);
                assertThat(returned.received(ReceivedEvent::isMessage)).hasSize(9);
                assertThat(returned.ops()).doesNotContain("gap");
                assertThat(lanes.level(Counter.RECOVERIES_COMPLETE)).isEqualTo(1);
            }
        }
    }

    @Test
    void returningClientsReceiveEachMessageOnceInAnyOrderOfTasks() {
        for (int seed = 0; seed < TestScope.seeds(50, 25); seed++) {
            String history = seed % 2 == 0 ? "History=memory" : DISK;
            try (Lanes lanes = new Lanes(1 + seed % 4, seed, history, "CacheSize=1000")) {
                new Play(lanes).run("seed " + seed);
            }
        }
    }

    /** Publishers that use old and new subjects, and a client that is cut off and returns with its latest position. */
    private static final class Play {
        private static final Set<String> POSITIONS = Set.of("subscribed", "position", "progress");

        private final Lanes lanes;
        private final LaneClient publisher;
        private final String data;
        private final Map<String, Integer> published = new HashMap<>();
        private final Map<String, List<Long>> received = new HashMap<>();
        private int subjects = 3;

        Play(Lanes lanes) {
            this.lanes = lanes;
            publisher = lanes.connect();
            // With long messages a recovery takes several answers of a lane.
            data = "m".repeat(lanes.random.nextBoolean() ? 1 : 6000);
        }

        void run(String description) {
            LaneClient client = lanes.connect();
            String position = follow(lanes, client, "/play/**");
            for (int round = 0; round < 6; round++) {
                publish();
                if (lanes.random.nextBoolean()) {
                    lanes.pass(5_000L * lanes.random.nextInt(4));
                }
                IntStream.range(0, lanes.random.nextInt(30)).forEach(i -> lanes.step());
                client.vanish();
                position = take(client, position);
                publish();
                IntStream.range(0, lanes.random.nextInt(10)).forEach(i -> lanes.step());
                client = lanes.connect();
                client.resumePattern("/play/**", position);
                publish();
            }
            lanes.pass(200);
            take(client, position);
            published.forEach((subject, count) -> assertThat(received.get(subject))
                    .as("%s, %s", description, subject)
                    .isEqualTo(LongStream.rangeClosed(1, count).boxed().toList()));
            assertThat(lanes.level(Counter.RECOVERIES_WITH_GAP)).as(description).isZero();
        }

        private void publish() {
            for (int i = lanes.random.nextInt(6); i >= 0; i--) {
                subjects += lanes.random.nextInt(3) == 0 ? 1 : 0;
                String subject = "/play/" + lanes.random.nextInt(subjects);
                publisher.publish(subject, data);
                published.merge(subject, 1, Integer::sum);
            }
        }

        /** Takes the client's messages, without those that an earlier connection received; returns the last position. */
        private String take(LaneClient client, String before) {
            String position = before;
            for (ReceivedEvent event : client.received()) {
                position = POSITIONS.contains(event.op()) ? event.data() : position;
                if (event.isMessage()) {
                    List<Long> seqs = received.computeIfAbsent(event.subject(), subject -> new ArrayList<>());
                    boolean repeated = event.note().equals("recovered") && seqs.contains(event.seq());
                    if (!repeated) {
                        seqs.add(event.seq());
                    }
                }
            }
            return position;
        }
    }

    @Test
    void aSessionGetsPositionsWhileMessagesArriveAndLaterFromTimeToTime() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient publisher = lanes.connect(0);
            LaneClient client = lanes.connect(1);
            LaneClient quiet = lanes.connect(1);
            follow(lanes, client, "/a/**");
            follow(lanes, quiet, "/b/**");
            lanes.pass(11_000);
            publisher.publish("/a/1", "m");
            lanes.pass(5_000);
            assertThat(client.ops()).containsOnlyOnce("position").endsWith("message", "position");
            for (int passed = 0; passed < 60_000; passed += 10_000) {
                lanes.pass(10_000);
                client.ping();
                quiet.ping();
            }
            assertThat(client.ops()).containsOnlyOnce("position");
            assertThat(quiet.ops()).containsOnlyOnce("position");
            client.vanish();
            LaneClient returned = lanes.connect(0);
            String position = client.received(event -> event.op().equals("position"))
                    .getFirst()
                    .data();
            resume(lanes, returned, "/a/**", position);
            assertThat(returned.ops()).containsExactly("subscribed");
        }
    }

    @Test
    void removedMessagesAreAnnouncedByOneGap() {
        try (Lanes lanes = new Lanes(2, 1, "CacheExpireTime=1 s")) {
            LaneClient publisher = lanes.connect(0);
            String position = follow(lanes, lanes.connect(0), "/s1/**");
            publisher.publish(lanes.subject(0, 1), "old");
            publisher.publish(lanes.subject(1, 1), "old");
            lanes.pass(2_000);
            publisher.publish(lanes.subject(1, 1), "new");
            lanes.settle();
            LaneClient returned = lanes.connect(0);
            assertThat(resume(lanes, returned, "/s1/**", position).note()).isEqualTo("gap");
            assertThat(returned.ops()).containsExactly("gap", "message", "subscribed");
            assertThat(returned.received().getFirst())
                    .matches(gap -> gap.subject().equals("/s1/**") && gap.note().equals("history-gone"));
            assertThat(lanes.level(Counter.RECOVERIES_WITH_GAP)).isEqualTo(1);
        }
    }

    @Test
    void aPositionOfAnotherHistoryBeginsAnewAfterAGap() {
        String position;
        try (Lanes other = new Lanes(3, 1)) {
            position = follow(other, other.connect(0), "/a/**");
        }
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient publisher = lanes.connect(0);
            publisher.publish("/a/1", "kept", true, null);
            lanes.settle();
            LaneClient returned = lanes.connect(0);
            assertThat(resume(lanes, returned, "/a/**", position).note()).isEqualTo("gap");
            assertThat(returned.ops()).containsExactly("gap", "message", "subscribed");
            assertThat(returned.received().getFirst().note()).isEqualTo("epoch-changed");
        }
    }

    @Test
    void withoutHistoryAPatternHasNoPosition() {
        try (Lanes lanes = new Lanes(2, 1, "CacheSize=0")) {
            LaneClient client = lanes.connect(0);
            assertThat(follow(lanes, client, "/a/**")).isEmpty();
            lanes.pass(20_000);
            assertThat(client.ops()).containsExactly("subscribed");
            assertThat(resume(lanes, lanes.connect(1), "/a/**", "AQcAAgAA").note())
                    .isEqualTo("gap");
        }
    }

    @Test
    void overlappingPatternsOfOneSessionReceiveEachMessageOnce() {
        try (Lanes lanes = new Lanes(2, 1)) {
            LaneClient publisher = lanes.connect(0);
            String position = follow(lanes, lanes.connect(0), "/**");
            String subject = lanes.subject(1, 1);
            publisher.publish(subject, "a");
            lanes.settle();
            LaneClient returned = lanes.connect(0);
            returned.resumePattern("/s1/*", position);
            returned.resumePattern("/**", position);
            lanes.settle();
            publisher.publish(subject, "b");
            lanes.settle();
            assertThat(returned.data(subject)).containsExactly("a", "b");
        }
    }

    @Test
    void aRecoveryThatIsCutContinuesFromItsProgress() {
        for (String history : List.of("History=memory", DISK)) {
            try (Lanes lanes = new Lanes(2, 1, history, "CacheSize=100000", "CacheMemory=64 MB")) {
                LaneClient publisher = lanes.connect(0);
                String position = follow(lanes, lanes.connect(0), "/s/**");
                int count = 20_000;
                IntStream.range(0, count).forEach(i -> publisher.publish("/s/" + i % 7, "m" + i));
                lanes.settle();
                Set<String> received = new HashSet<>();
                int connections = 0;
                for (boolean confirmed = false; !confirmed; connections++) {
                    LaneClient returned = lanes.connect(connections % 2);
                    returned.resumePattern("/s/**", position);
                    while (returned.received(event -> Play.POSITIONS.contains(event.op()))
                            .isEmpty()) {
                        lanes.step();
                    }
                    IntStream.range(0, lanes.random.nextInt(5)).forEach(i -> lanes.step());
                    returned.vanish();
                    for (ReceivedEvent event : returned.received()) {
                        if (event.isMessage()) {
                            received.add(event.data());
                        } else if (event.op().equals("progress")) {
                            position = event.data();
                        }
                    }
                    confirmed = returned.ops().contains("subscribed");
                }
                assertThat(received).hasSize(count);
                assertThat(connections).isBetween(4, 200);
                assertThat(lanes.level(Counter.PATTERN_RECORDS_READ)).isLessThan(2L * count);
            }
        }
    }

    @Test
    void aLongRecoveryIsReadInPiecesAndLeavesRoomForOthers() {
        try (Lanes lanes = new Lanes(1, 1, "CacheSize=100000", "CacheMemory=64 MB")) {
            LaneClient publisher = lanes.connect(0);
            String position = follow(lanes, lanes.connect(0), "/s/**");
            int count = 20_000;
            IntStream.range(0, count).forEach(i -> publisher.publish("/s/" + i % 7, "m" + i));
            IntStream.range(0, count).forEach(i -> publisher.publish("/t/" + i % 7, "m" + i));
            lanes.settle();
            LaneClient returned = lanes.connect(0);
            assertThat(resume(lanes, returned, "/s/**", position).note()).isEqualTo("complete");
            assertThat(returned.received(ReceivedEvent::isMessage)).hasSize(count);
            assertThat(lanes.level(Counter.PATTERN_RECORDS_READ)).isEqualTo(2L * count);
        }
    }
}
