package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.counter.Counter;
import io.belfry.testsupport.TestScope;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Runs random commands in random task orders and checks the delivery guarantees to subscribers. */
class InterleavingTest {
    private static final int SEEDS = TestScope.seeds(50, 25);

    private static ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

    /** Switches off leak detection: it would slow thousands of runs down to minutes, and other tests detect leaks. */
    @BeforeAll
    static void lookForLeaksElsewhere() {
        level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterAll
    static void lookForLeaksAgain() {
        ResourceLeakDetector.setLevel(level);
    }

    @Test
    void subscribersReceiveEachMessageOnceWhileOthersPublish() {
        for (int seed = 0; seed < SEEDS; seed++) {
            InterleavedPlay play = new InterleavedPlay(seed, "CacheSize=1000");
            play.perform(60, 0);
            play.finish();
        }
    }

    @Test
    void stallingSessionsReceiveEachMessageOnceInOrder() {
        for (int seed = 0; seed < SEEDS; seed++) {
            InterleavedPlay play = new InterleavedPlay(seed, "CacheSize=1000");
            play.perform(60, 4);
            play.finish();
        }
    }

    @Test
    void sessionsWrittenInLaterTurnsReceiveEachMessageOnceInOrder() {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<String> settings = new ArrayList<>(List.of("CacheSize=" + (seed % 3 == 0 ? 3 : 1000)));
            if (seed % 4 == 0) {
                settings.addAll(List.of("MaxBatchingTime=5", "MaxBatchingSpace=200"));
            }
            InterleavedPlay play = new InterleavedPlay(seed, settings.toArray(String[]::new));
            play.lanes.writeSlowly(seed % 2);
            play.perform(80, seed % 5);
            play.finish();
        }
    }

    /** A turn records for one or two sessions, so that messages of several turns wait for most sessions. */
    @Test
    void messagesRecordedInSeveralTurnsArriveOnceInOrder() {
        String[] histories = {"CacheSize=1000", "CacheSize=3", "CacheSize=0"};
        String[] policies = {"drop", "conflate", "disconnect"};
        for (int seed = 0; seed < SEEDS * 2; seed++) {
            List<String> settings = new ArrayList<>(List.of(
                    histories[seed % 3],
                    "SlowConsumer=" + policies[seed / 3 % 3],
                    "MaxMessageSize=1 KB",
                    "SlowConsumer.MaxBytes=" + (seed % 5 == 0 ? "1 KB" : "1 MB")));
            if (seed % 4 == 0) {
                settings.addAll(List.of("MaxBatchingTime=5", "MaxBatchingSpace=200"));
            }
            InterleavedPlay play = new InterleavedPlay(seed, settings.toArray(String[]::new));
            play.lanes.writeSlowly(seed % 2);
            play.lanes.divideFanOuts();
            play.conflates = seed % 7 == 0;
            play.perform(80, seed % 5);
            play.finish();
        }
    }

    @Test
    void deltasBecomeThePublishedMessages() {
        String[] policies = {"disconnect", "drop", "conflate"};
        String[] histories = {"CacheSize=1000", "CacheSize=3", "CacheSize=0"};
        long applied = 0;
        for (int seed = 0; seed < SEEDS * 2; seed++) {
            List<String> settings = new ArrayList<>(List.of(
                    histories[seed % 3],
                    "SlowConsumer=" + policies[seed / 3 % 3],
                    "MaxMessageSize=1 KB",
                    "SlowConsumer.MaxBytes=" + (seed % 5 == 0 ? "1 KB" : "1 MB")));
            if (seed % 4 == 0) {
                settings.addAll(List.of("MaxBatchingTime=5", "MaxBatchingSpace=200"));
            }
            InterleavedPlay play = new InterleavedPlay(seed, settings.toArray(String[]::new));
            play.padding = ", \u20ac 17.25 ".repeat(seed % 8 == 7 ? 1 : 12);
            play.deltas = true;
            play.conflates = seed % 7 == 0;
            play.perform(80, seed % 5);
            applied += play.deltasApplied();
            play.finish();
        }
        assertThat(applied).isGreaterThan(SEEDS);
    }

    @Test
    void batchingSessionsReceiveEachMessageOnceInOrder() {
        long full = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            InterleavedPlay play = new InterleavedPlay(
                    seed, "CacheSize=" + (seed % 3 == 0 ? 3 : 1000), "MaxBatchingTime=5", "MaxBatchingSpace=200");
            play.perform(80, seed % 5);
            play.finish();
            full += play.lanes.level(Counter.BATCHES_FULL);
        }
        assertThat(full).isPositive();
    }

    /** A batch is stored some turns after it was submitted, or it fails and all waiting publishes are refused. */
    @Test
    void publishesToDiskAreDeliveredOnceInOrderOrRefused() {
        long refused = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            InterleavedPlay play = new InterleavedPlay(
                    seed,
                    "History=disk",
                    "History.DiskBytes=64 MB",
                    "Limit.RetainedBytes=1 MB",
                    "History.Sync=" + (seed % 5 == 0 ? "always" : "group"),
                    "CacheSize=" + (seed % 3 == 0 ? 3 : 1000));
            play.lanes.disk.failing(seed % 4 == 0 ? 20 : 0);
            play.perform(80, seed % 4);
            play.lanes.disk.failing(0);
            play.lanes.settle();
            play.lanes.pass(1200);
            play.finish();
            refused += play.lanes.level(Counter.PUBLISHES_REFUSED);
        }
        assertThat(refused).isPositive();
    }

    @Test
    void aSmallHistoryNeverLosesMessagesSilently() {
        for (int seed = 0; seed < SEEDS; seed++) {
            InterleavedPlay play = new InterleavedPlay(seed, "CacheSize=3");
            play.perform(80, 3);
            play.finish();
        }
    }

    /** Most messages exceed {@code CacheSize} soon, so the log is cleaned and messages are copied all the time. */
    @Test
    void cleaningAFullHistoryLosesNothingUnannounced() {
        long copied = 0;
        long early = 0;
        for (int seed = 0; seed < Math.max(10, SEEDS / 10); seed++) {
            InterleavedPlay play = new InterleavedPlay(
                    seed, "CacheSize=" + (2 + seed % 9), "CacheMemory=128 KB", "MaxMessageSize=16 KB");
            play.padding = ".".repeat(8000);
            play.perform(150, 3);
            play.finish();
            copied += play.lanes.level(Counter.CACHED_MESSAGES_COPIED);
            early += play.lanes.level(Counter.CACHED_MESSAGES_EARLY);
        }
        assertThat(copied).isPositive();
        assertThat(early).isPositive();
    }

    @Test
    void withoutAHistoryLiveMessagesAreDeliveredOnceInOrder() {
        for (int seed = 0; seed < SEEDS; seed++) {
            InterleavedPlay play = new InterleavedPlay(seed, "CacheSize=0");
            play.perform(60, 3);
            play.finish();
        }
    }

    /** Each message that a lagging session does not receive is announced and counted. */
    @Test
    void slowSessionsReceiveTheRestOrAnExactGapUnderAnyPolicy() {
        String[] policies = {"drop", "conflate", "disconnect"};
        String[] histories = {"CacheSize=1000", "CacheSize=3", "CacheSize=0"};
        long announced = 0;
        for (int seed = 0; seed < SEEDS * 2; seed++) {
            String history = histories[seed / 3 % 3];
            InterleavedPlay play = new InterleavedPlay(
                    seed,
                    "SlowConsumer=" + policies[seed % 3],
                    "SlowConsumer.Subjects=/s1/* " + policies[seed / 9 % 3] + ", /s2/* " + policies[seed / 27 % 3],
                    "MaxMessageSize=1 KB",
                    "SlowConsumer.MaxBytes=1 KB",
                    "SlowConsumer.Grace=" + (seed % 2 == 0 ? "200 ms" : "1 m"),
                    history);
            play.padding = ".".repeat(300);
            play.perform(80, 4);
            play.finish();
            announced += play.announced;
        }
        assertThat(announced).isGreaterThan(SEEDS);
    }

    /** Subscribes to more subjects than may be requested at a time, so that many subscriptions wait for their turn. */
    @Test
    void manySubscriptionsAtOnceReceiveEachMessageOnce() {
        for (int seed = 0; seed < SEEDS / 5; seed++) {
            InterleavedPlay play = new InterleavedPlay(seed, "CacheSize=1000");
            play.knowSubjects(30);
            play.perform(100, seed % 2 * 3);
            play.finish();
        }
    }

    /** Some subscriptions conflate; each message that conflation omits is counted. */
    @Test
    void conflatingSessionsEndAtTheLatestAndOmissionsAreCounted() {
        String[] histories = {"CacheSize=1000", "CacheSize=3", "CacheSize=0"};
        long jumped = 0;
        for (int seed = 0; seed < SEEDS * 2; seed++) {
            InterleavedPlay play = new InterleavedPlay(
                    seed,
                    "SlowConsumer=" + (seed % 2 == 0 ? "drop" : "conflate"),
                    "MaxMessageSize=1 KB",
                    "SlowConsumer.MaxBytes=1 KB",
                    histories[seed % 3]);
            play.padding = ".".repeat(100);
            play.conflates = true;
            play.stays = seed % 4 < 2;
            play.perform(80, 3);
            play.finish();
            jumped += play.jumped;
        }
        assertThat(jumped).isGreaterThan(SEEDS);
    }

    @Test
    void subscriptionsByPatternAndNameReceiveEachMessageOnce() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(InterleavedPlay.LANES_MAX);
            try (Lanes lanes = InterleavedPlay.lanes(count, seed, seed % 3 == 0 ? "CacheSize=0" : "CacheSize=1000")) {
                String subject = lanes.subject(random.nextInt(count), 0);
                LaneClient client = lanes.connect();
                LaneClient publisher = lanes.connect();
                if (seed % 2 == 1) {
                    lanes.divideFanOuts();
                    publisher.subscribe(subject);
                    lanes.connect(client.lane.index()).subscribe(subject);
                    lanes.connect(client.lane.index()).subscribe(subject);
                }
                client.subscribe("/**");
                client.deltas = seed % 2 == 0;
                if (seed % 4 == 3) {
                    // The message is a large one for the patterns too.
                    lanes.connect(client.lane.index()).subscribe("/**", "/s0/*");
                    client.subscribe("/s0/**");
                    lanes.writeSlowly(seed % 2);
                }
                lanes.settle();
                int published = 0;
                for (int i = 0; i < 40; i++) {
                    switch (random.nextInt(6)) {
                        case 0 -> client.subscribe(subject);
                        case 1 -> client.unsubscribe(subject);
                        case 2 -> {
                            if (random.nextInt(3) == 0) {
                                client.socket.stallAfter(random.nextInt(200));
                            } else {
                                client.takeMore(random.nextInt(400));
                            }
                        }
                        default -> publisher.publish(subject, "m" + ++published + " the same".repeat(10));
                    }
                    for (int steps = random.nextInt(3); steps > 0; steps--) {
                        lanes.step();
                    }
                }
                lanes.settle();
                client.takeAll();
                lanes.settle();
                // Publishers that paused resume with a tick.
                lanes.pass(200);
                assertThat(client.seqs(subject))
                        .as("seed %d: %s", seed, client.received())
                        .containsExactlyElementsOf(
                                LongStream.rangeClosed(1, published).boxed().toList());
                lanes.clients().forEach(LaneClient::vanish);
                lanes.settle();
                lanes.clock.pass(lanes.config.history().cacheExpireMillis() + 1);
                lanes.tick();
                assertThat(lanes.knownSubjects()).isZero();
                assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
                assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            }
        }
    }

    /** Several sessions with overlapping patterns, names and stalls; a turn records a message for one or two of them. */
    @Test
    void messagesByPatternRecordedInSeveralTurnsArriveOnceInOrder() {
        String[] patterns = {"/**", "/s0/*", "/s0/**", "/*/**"};
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(InterleavedPlay.LANES_MAX);
            try (Lanes lanes = InterleavedPlay.lanes(count, seed, seed % 3 == 0 ? "CacheSize=0" : "CacheSize=1000")) {
                lanes.divideFanOuts();
                lanes.writeSlowly(seed % 2);
                String subject = lanes.subject(random.nextInt(count), 0);
                LaneClient publisher = lanes.connect();
                List<LaneClient> clients = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    LaneClient client = lanes.connect(random.nextInt(count));
                    client.subscribe("/**");
                    clients.add(client);
                }
                lanes.settle();
                int published = 0;
                for (int i = 0; i < 60; i++) {
                    LaneClient client = clients.get(random.nextInt(clients.size()));
                    switch (random.nextInt(9)) {
                        case 0 -> client.subscribe(subject);
                        case 1 -> client.unsubscribe(subject);
                        case 2 -> client.subscribe(patterns[1 + random.nextInt(3)]);
                        case 3 -> client.unsubscribe(patterns[1 + random.nextInt(3)]);
                        case 4 -> client.conflate(patterns[1 + random.nextInt(3)], 100);
                        case 5 -> {
                            if (random.nextInt(3) == 0) {
                                client.socket.stallAfter(random.nextInt(200));
                            } else {
                                client.takeMore(random.nextInt(400));
                            }
                        }
                        default -> publisher.publish(subject, "m" + ++published);
                    }
                    for (int steps = random.nextInt(3); steps > 0; steps--) {
                        lanes.step();
                    }
                }
                lanes.settle();
                clients.forEach(LaneClient::takeAll);
                lanes.settle();
                lanes.pass(200);
                for (LaneClient client : clients) {
                    assertThat(client.seqs(subject))
                            .as("seed %d: %s", seed, client.received())
                            .containsExactlyElementsOf(
                                    LongStream.rangeClosed(1, published).boxed().toList());
                }
                lanes.clients().forEach(LaneClient::vanish);
                lanes.settle();
                lanes.clock.pass(lanes.config.history().cacheExpireMillis() + 1);
                lanes.tick();
                assertThat(lanes.knownSubjects()).isZero();
                assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
                assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            }
        }
    }

    @Test
    void conflatingPatternsAndNamesNeverRepeatOrReorder() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(InterleavedPlay.LANES_MAX);
            String[] settings = {
                seed % 3 == 0 ? "CacheSize=0" : "CacheSize=1000",
                "SlowConsumer=" + (seed % 2 == 0 ? "drop" : "conflate")
            };
            try (Lanes lanes = InterleavedPlay.lanes(count, seed, settings)) {
                String subject = lanes.subject(random.nextInt(count), 0);
                LaneClient client = lanes.connect();
                LaneClient publisher = lanes.connect();
                client.conflate("/**", 1 + random.nextInt(InterleavedPlay.CONFLATE_MILLIS_MAX));
                lanes.settle();
                int published = 0;
                for (int i = 0; i < 50; i++) {
                    switch (random.nextInt(10)) {
                        case 0 -> client.subscribe(subject);
                        case 1 -> client.conflate(subject, 1 + random.nextInt(InterleavedPlay.CONFLATE_MILLIS_MAX));
                        case 2 -> client.unsubscribe(subject);
                        case 3 -> client.subscribe("/s0/*");
                        case 4 -> client.unsubscribe("/s0/*");
                        case 5 -> {
                            if (random.nextInt(3) == 0) {
                                client.socket.stallAfter(random.nextInt(200));
                            } else {
                                client.takeMore(random.nextInt(400));
                            }
                        }
                        case 6 -> lanes.tick();
                        default -> publisher.publish(subject, "m" + ++published);
                    }
                    for (int steps = random.nextInt(3); steps > 0; steps--) {
                        lanes.step();
                    }
                }
                lanes.settle();
                client.takeAll();
                lanes.settle();
                lanes.pass(2 * InterleavedPlay.CONFLATE_MILLIS_MAX);
                List<Long> seqs = client.seqs(subject);
                assertThat(seqs)
                        .as("seed %d: %s", seed, client.received())
                        .isSorted()
                        .doesNotHaveDuplicates();
                if (published > 0) {
                    assertThat(seqs).as("seed %d: %s", seed, client.received()).endsWith((long) published);
                }
                lanes.clients().forEach(LaneClient::vanish);
                lanes.settle();
                lanes.clock.pass(lanes.config.history().cacheExpireMillis() + 1);
                lanes.tick();
                assertThat(lanes.knownSubjects()).as("seed %d", seed).isZero();
                assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
                assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            }
        }
    }
}
