package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.testsupport.TestScope;
import io.netty.util.ResourceLeakDetector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Runs random commands in random task orders and checks the delivery guarantees to subscribers. */
class InterleavingTest {
    private static final int SEEDS = Integer.getInteger("belfry.seeds", TestScope.length(500, 100));
    private static final int LANES_MAX = 4;
    private static final int CONFLATE_MILLIS_MAX = 500;
    private static final Counters[] COUNTERS = new Counters[LANES_MAX + 1];
    private static final Map<List<String>, ServerConfig> CONFIGS = new HashMap<>();

    private static Lanes lanes(int count, long seed, String... settings) {
        List<String> key = new ArrayList<>(List.of(settings));
        key.add(String.valueOf(count));
        ServerConfig config = CONFIGS.computeIfAbsent(key, k -> Lanes.config(count, settings));
        if (COUNTERS[count] == null) {
            COUNTERS[count] = new Counters(count);
        }
        return new Lanes(count, seed, new OpenEntitlement(), COUNTERS[count], config);
    }

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
            Play play = new Play(seed, "CacheSize=1000");
            play.perform(60, 0);
            play.finish();
        }
    }

    @Test
    void stallingSessionsReceiveEachMessageOnceInOrder() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Play play = new Play(seed, "CacheSize=1000");
            play.perform(60, 4);
            play.finish();
        }
    }

    @Test
    void batchingSessionsReceiveEachMessageOnceInOrder() {
        long full = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Play play = new Play(
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
            Play play = new Play(
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
            Play play = new Play(seed, "CacheSize=3");
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
            Play play = new Play(seed, "CacheSize=" + (2 + seed % 9), "CacheMemory=128 KB", "MaxMessageSize=16 KB");
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
            Play play = new Play(seed, "CacheSize=0");
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
            Play play = new Play(
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
            Play play = new Play(seed, "CacheSize=1000");
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
            Play play = new Play(
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

    /** Clients that execute random commands. */
    private static final class Play {
        private final Random random;
        private final Lanes lanes;
        private final List<String> subjects = new ArrayList<>();
        private final Map<String, Integer> published = new HashMap<>();
        private final Map<LaneClient, Map<Long, Long>> resumed = new HashMap<>();
        private final int seed;
        private final long dropsBefore;
        private final long conflationsBefore;
        private String padding = "";
        private long announced;
        private boolean conflates;
        private boolean stays;
        private boolean left;
        private long jumped;
        private final long requestedBefore;

        Play(int seed, String... settings) {
            this.seed = seed;
            random = new Random(seed);
            int count = 1 + random.nextInt(LANES_MAX);
            lanes = lanes(count, seed, settings);
            dropsBefore = lanes.level(Counter.MESSAGES_DROPPED);
            requestedBefore = lanes.counters.conflations(Code.CONFLATE_REQUESTED);
            conflationsBefore = lanes.level(Counter.MESSAGES_CONFLATED) - requestedBefore;
            for (int i = 0; i <= random.nextInt(3); i++) {
                subjects.add(lanes.subject(random.nextInt(lanes.count()), i));
            }
            for (int i = 0; i < 2 + random.nextInt(4); i++) {
                connect();
            }
        }

        private void connect() {
            int lane = random.nextInt(lanes.count());
            LaneClient client = random.nextInt(4) == 0 ? lanes.connect(lane, null) : lanes.connect(lane);
            resumed.put(client, new HashMap<>());
        }

        void knowSubjects(int count) {
            while (subjects.size() < count) {
                subjects.add(lanes.subject(random.nextInt(lanes.count()), subjects.size()));
            }
        }

        private String subject() {
            return subjects.get(random.nextInt(subjects.size()));
        }

        private LaneClient client() {
            List<LaneClient> clients = lanes.clients();
            return clients.get(random.nextInt(clients.size()));
        }

        /** Performs random acts; of 20 acts of a client, {@code stalls} are stalling or reading on. */
        void perform(int acts, int stalls) {
            for (int i = 0; i < acts; i++) {
                act(client(), random.nextInt(20), stalls);
                for (int steps = random.nextInt(4); steps > 0; steps--) {
                    lanes.step();
                }
            }
        }

        private void act(LaneClient client, int choice, int stalls) {
            if (stays && choice >= 16 && choice != 18) {
                publish(client);
            } else if (choice < stalls) {
                stallOrReadOn(client);
            } else if (choice < 12) {
                publish(client);
            } else if (choice < 16) {
                subscribe(client);
            } else if (choice < 18) {
                left = true;
                client.unsubscribe(subject());
            } else if (choice == 18 && random.nextBoolean()) {
                lanes.tick();
            } else if (choice == 18) {
                lanes.passShortly(1 + random.nextInt(6));
            } else if (random.nextInt(4) == 0) {
                left = true;
                client.vanish();
                connect();
            }
        }

        private void stallOrReadOn(LaneClient client) {
            switch (random.nextInt(4)) {
                case 0 -> client.socket.stallAfter(random.nextInt(300));
                case 1 -> client.takeMore(random.nextInt(500));
                case 2 -> client.socket.free(random.nextInt(500));
                default -> client.takeAll();
            }
        }

        private void publish(LaneClient client) {
            for (int burst = 1 + random.nextInt(3); burst > 0; burst--) {
                String subject = subject();
                int number = published.merge(subject, 1, Integer::sum);
                client.publish(subject, "m" + number + padding, random.nextInt(4) == 0, null);
            }
        }

        private void subscribe(LaneClient client) {
            String subject = subject();
            if (subjects.size() > 3 && random.nextInt(2) == 0) {
                client.subscribeWithHistory(random.nextInt(4), subjects.toArray(String[]::new));
                return;
            }
            if (conflates && random.nextBoolean()) {
                client.conflate(subject, 1 + random.nextInt(CONFLATE_MILLIS_MAX));
                return;
            }
            switch (random.nextInt(3)) {
                case 0 -> client.subscribe(subject);
                case 1 -> client.subscribeWithHistory(subject, 1 + random.nextInt(5));
                default -> {
                    long from = random.nextInt(1 + (int) lanes.knownSeqOf(subject));
                    byte[] bytes = subject.getBytes(StandardCharsets.UTF_8);
                    long id = client.subscribe(
                            new SubscribeRequest(List.of(bytes), new Position(Lanes.EPOCH, from), 0, 0));
                    java.util.Objects.requireNonNull(resumed.get(client)).put(id, from);
                }
            }
        }

        void finish() {
            try {
                comeToRest();
                check();
                leaveNothingBehind();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("with seed " + seed, failure);
            } finally {
                lanes.close();
            }
        }

        private void comeToRest() {
            lanes.settle();
            for (LaneClient client : lanes.clients()) {
                client.takeAll();
            }
            lanes.settle();
            lanes.passShortly(lanes.config.messages().maxBatchingMillis());
            if (conflates) {
                lanes.pass(2 * CONFLATE_MILLIS_MAX);
            }
        }

        private void check() {
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            for (String subject : subjects) {
                Map<Long, String> data = new HashMap<>();
                for (LaneClient client : lanes.clients()) {
                    check(client, subject, data);
                }
            }
            checkCounts();
        }

        /**
         * Compares the counters with the announcements to clients; skipped if a client disconnected before it received
         * them.
         */
        private void checkCounts() {
            long conflated = lanes.clients().stream()
                    .mapToLong(client -> announced(client, true))
                    .sum();
            long dropped = lanes.clients().stream()
                    .mapToLong(client -> announced(client, false))
                    .sum();
            announced = conflated + dropped;
            long dropsCounted = lanes.level(Counter.MESSAGES_DROPPED) - dropsBefore;
            long requested = lanes.counters.conflations(Code.CONFLATE_REQUESTED);
            long conflationsCounted = lanes.level(Counter.MESSAGES_CONFLATED) - requested - conflationsBefore;
            if (!left) {
                assertThat(requested - requestedBefore).isEqualTo(jumped);
            }
            if (lanes.clients().stream().noneMatch(client -> client.session.isClosed())) {
                assertThat(dropsCounted).isEqualTo(dropped);
                assertThat(conflationsCounted).isEqualTo(conflated);
            } else {
                assertThat(dropsCounted).isGreaterThanOrEqualTo(dropped);
                assertThat(conflationsCounted).isGreaterThanOrEqualTo(conflated);
            }
        }

        private static long announced(LaneClient client, boolean conflated) {
            return client
                    .received(event -> event.op().equals("gap")
                            && conflated == event.note().equals("conflated"))
                    .stream()
                    .mapToLong(gap -> Math.max(
                            0,
                            gap.seq()
                                    - java.util.Objects.requireNonNull(Position.parse(gap.data()))
                                            .seq()))
                    .sum();
        }

        private void check(LaneClient client, String subject, Map<Long, String> data) {
            Follower follower = new Follower(subject, java.util.Objects.requireNonNull(resumed.get(client)));
            Long at = follower.follow(client.received());
            if (at != null && !client.session.isClosed()) {
                assertThat(at).as("%s: %s", subject, client.received()).isEqualTo(lanes.seqOf(subject));
            }
            jumped += follower.jumped();
            follower.dataBySeq()
                    .forEach((seq, text) ->
                            assertThat(data.merge(seq, text, (a, b) -> a)).isEqualTo(text));
        }

        private void leaveNothingBehind() {
            lanes.clients().forEach(LaneClient::vanish);
            lanes.settle();
            assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
            assertThat(lanes.level(Counter.SLOW_SESSIONS)).isZero();
            LaneClient last = lanes.connect();
            subjects.forEach(subject -> last.publish(subject, "", true, null));
            last.vanish();
            lanes.settle();
            lanes.clock.pass(lanes.config.history().cacheExpireMillis() + 1);
            lanes.tick();
            assertThat(lanes.level(Counter.SUBJECTS)).isZero();
            assertThat(lanes.knownSubjects()).isZero();
            assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
            assertThat(lanes.level(Counter.CACHED_MESSAGES)).isZero();
            assertThat(lanes.level(Counter.RETAINED_BYTES)).isZero();
            assertThat(lanes.level(Counter.INBOX_BYTES)).isZero();
            assertThat(lanes.level(Counter.HELD_SESSIONS)).isZero();
        }
    }

    @Test
    void subscriptionsByPatternAndNameReceiveEachMessageOnce() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(LANES_MAX);
            try (Lanes lanes = lanes(count, seed, seed % 3 == 0 ? "CacheSize=0" : "CacheSize=1000")) {
                String subject = lanes.subject(random.nextInt(count), 0);
                LaneClient client = lanes.connect();
                LaneClient publisher = lanes.connect();
                client.subscribe("/**");
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
                        default -> publisher.publish(subject, "m" + ++published);
                    }
                    for (int steps = random.nextInt(3); steps > 0; steps--) {
                        lanes.step();
                    }
                }
                lanes.settle();
                client.takeAll();
                lanes.settle();
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

    @Test
    void conflatingPatternsAndNamesNeverRepeatOrReorder() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(LANES_MAX);
            String[] settings = {
                seed % 3 == 0 ? "CacheSize=0" : "CacheSize=1000",
                "SlowConsumer=" + (seed % 2 == 0 ? "drop" : "conflate")
            };
            try (Lanes lanes = lanes(count, seed, settings)) {
                String subject = lanes.subject(random.nextInt(count), 0);
                LaneClient client = lanes.connect();
                LaneClient publisher = lanes.connect();
                client.conflate("/**", 1 + random.nextInt(CONFLATE_MILLIS_MAX));
                lanes.settle();
                int published = 0;
                for (int i = 0; i < 50; i++) {
                    switch (random.nextInt(10)) {
                        case 0 -> client.subscribe(subject);
                        case 1 -> client.conflate(subject, 1 + random.nextInt(CONFLATE_MILLIS_MAX));
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
                lanes.pass(2 * CONFLATE_MILLIS_MAX);
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
